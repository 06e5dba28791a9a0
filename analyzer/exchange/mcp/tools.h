/* The tools of `heddle mcp`: each is a command of heddle on archives that are served. */
#ifndef HEDDLE_ANALYZER_EXCHANGE_MCP_TOOLS_H
#define HEDDLE_ANALYZER_EXCHANGE_MCP_TOOLS_H

#include "analyzer/exchange/mcp/served.h"

#include <jansson.h>
#include <stddef.h>

struct tool_answer {
  char *text;  /* the caller frees it */
  size_t size; /* of all that the command printed: more than the text if this was cut */
  bool failed; /* the command's error is the text */
};

/* What tools/list answers, as an array. NULL: out of memory. */
json_t *tools_list(void);

bool tools_have(const char *name);

/* Calls a tool that is there. False: the arguments are wrong, or out of memory. */
bool tools_call(const struct served *served, const char *name, const json_t *arguments, struct tool_answer *answer,
                struct error *error);

#endif
