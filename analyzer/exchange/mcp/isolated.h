/*
 * A command of heddle in a process of its own, a copy of this one. A damaged archive, or one that is too large, ends
 * the copy alone.
 */
#ifndef HEDDLE_ANALYZER_EXCHANGE_MCP_ISOLATED_H
#define HEDDLE_ANALYZER_EXCHANGE_MCP_ISOLATED_H

#include "analyzer/exchange/mcp/served.h"

#include <stddef.h>

#define ISOLATED_SECONDS 60u        /* then it is killed */
#define ISOLATED_KEPT    (1u << 16) /* bytes of its output */

struct isolated {
  char *text;  /* its output, or its error; the caller frees it */
  size_t size; /* of all its output */
  bool failed;
};

/* Runs words[0], a command, as `heddle WORDS...`. It reads what is served. False: no process, or out of memory. */
bool isolated_run(const struct served *served, int count, char *const *words, struct isolated *result,
                  struct error *error);

#endif
