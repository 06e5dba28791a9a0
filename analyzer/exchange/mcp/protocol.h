/* The Model Context Protocol: JSON-RPC 2.0, a message a line. docs/heddle-mcp.1.md has the limits. */
#ifndef HEDDLE_ANALYZER_EXCHANGE_MCP_PROTOCOL_H
#define HEDDLE_ANALYZER_EXCHANGE_MCP_PROTOCOL_H

#include "analyzer/exchange/mcp/served.h"

#include <stddef.h>

enum { MCP_LINE_MOST = 1 << 16, MCP_DEPTH_MOST = 32, MCP_ANSWER_MOST = 8192 /* bytes, with the end of the line */ };

/*
 * Answers one message, without its end of line. *answer: a line without its end, below MCP_ANSWER_MOST bytes, which the
 * caller frees. NULL: the message needs none. False: out of memory.
 */
bool mcp_answer(const struct served *served, const char *message, size_t length, char **answer);

/* The answer to a message that is longer than MCP_LINE_MOST. */
bool mcp_answer_too_long(char **answer);

#endif
