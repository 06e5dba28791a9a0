/*
 * The calling contexts as a tree of functions, or of functions' source lines: contexts that differ in less are one
 * node. Node 0 is above all others and is no code. Memory depends on definitions alone.
 */
#ifndef HEDDLE_ANALYZER_ANALYSES_CALLS_TREE_H
#define HEDDLE_ANALYZER_ANALYSES_CALLS_TREE_H

#include "analyzer/trace/samples.h"

enum calls_unit { CALLS_FUNCTIONS, CALLS_LINES };

/* A function, or a line of one. */
struct calls_code {
  uint32_t function; /* index in samples->functions */
  const char *file;  /* FUNCTIONS: where it begins; "": unknown; owned by the samples */
  uint32_t line;     /* 0: unknown */
};

struct calls_node {
  uint32_t code;                      /* TRACE_NONE: of node 0 */
  uint32_t parent;                    /* a smaller number; TRACE_NONE: of node 0 */
  uint32_t first_child, next_sibling; /* TRACE_NONE: none */
  uint32_t depth;                     /* of node 0: 0 */
};

struct calls_tree {
  const struct samples *samples;
  struct calls_code *codes; /* FUNCTIONS: by function, also those without nodes */
  struct calls_node *nodes; /* parents first */
  uint32_t *node_of;        /* by context */
  uint32_t code_count, node_count;
};

/* False: no memory. calls_tree_free() in any case. The samples outlive the tree. */
bool calls_tree_make(const struct samples *samples, enum calls_unit unit, struct calls_tree *tree);
void calls_tree_free(struct calls_tree *tree);

/* Calls `enter` for each node but node 0 before those below it, and `leave` (which may be NULL) after them. `path` has
 * the nodes from node 0 to this one, by depth. False: no memory. */
typedef void calls_visit(void *context, uint32_t node, const uint32_t *path);
bool calls_tree_walk(const struct calls_tree *tree, calls_visit *enter, calls_visit *leave, void *context);

#endif
