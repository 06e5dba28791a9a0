/* The directories whose archives `heddle mcp` may read. */
#ifndef HEDDLE_ANALYZER_EXCHANGE_MCP_SERVED_H
#define HEDDLE_ANALYZER_EXCHANGE_MCP_SERVED_H

#include "base/error.h"

enum { SERVED_MOST = 64 };

struct served {
  char *roots[SERVED_MOST]; /* real paths */
  unsigned count;
};

/* Adds a directory. False: it is none, or there are too many. */
bool served_add(struct served *served, const char *directory, struct error *error);
void served_free(struct served *served);

/*
 * The real path of a directory that a client names: absolute, or from one of the served ones. The caller frees it.
 * NULL: it is outside of these, is no directory, or has links that lead out of them. Such paths look as if they were
 * not there.
 */
char *served_find(const struct served *served, const char *path, struct error *error);

/* Archives in the served directories, a path a line; the caller frees the text. NULL: out of memory. */
char *served_list(const struct served *served);

#endif
