/* Limits of what a process may open, where the kernel has Landlock (Linux 5.13). */
#ifndef HEDDLE_ANALYZER_EXCHANGE_MCP_CONFINE_H
#define HEDDLE_ANALYZER_EXCHANGE_MCP_CONFINE_H

#include "analyzer/exchange/mcp/served.h"

/*
 * For the rest of its life this process reads the served directories and the system's own files. It writes temporary
 * files alone, and executes nothing. So names that change after served_find() lead nowhere else. Without Landlock it
 * does nothing.
 */
void confine_to(const struct served *served);

#endif
