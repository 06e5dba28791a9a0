/*
 * The sums of samples in a size that a page can hold. Where the tree or the sums are too large, nodes with less than a
 * part of each trigger's samples are left out: theirs go to a node "others" below the node above them, so all sums stay
 * what they were. If 1 % is not enough, sums of all threads take the place of those by thread.
 */
#ifndef HEDDLE_ANALYZER_REPORT_PRUNED_CALLS_H
#define HEDDLE_ANALYZER_REPORT_PRUNED_CALLS_H

#include "analyzer/analyses/calls/calls.h"
#include "analyzer/analyses/calls/figures.h"

/* What a page holds at most. */
struct pruned_limits {
  size_t nodes, cells;
  size_t text; /* bytes of the functions' names and files */
};
#define PRUNED_LIMITS (struct pruned_limits){20000, 100000, (size_t)4 << 20}

struct pruned_node {
  uint32_t code;   /* TRACE_NONE: of node 0, which is above all others, and of others */
  uint32_t parent; /* a smaller number; TRACE_NONE: of node 0 */
};

struct pruned_cell {
  uint32_t node;
  uint32_t location; /* TRACE_NONE: all threads */
  uint32_t construct, state, trigger;
  uint64_t samples;
};

struct pruned_calls {
  struct pruned_node *nodes;
  struct pruned_cell *cells; /* by node, location, construct, state, trigger */
  uint32_t *node_of;         /* by node of the whole tree */
  size_t node_count, cell_count;
  double least; /* the part of a trigger's samples from 0 to 1 that a node has at least; 0: none was left out */
  bool summed;  /* over threads */
};

/* False: no memory. pruned_calls_free() in any case. */
bool pruned_calls_make(const struct calls *calls, const struct calls_tree *tree, struct pruned_limits limits,
                       struct pruned_calls *pruned);
void pruned_calls_free(struct pruned_calls *pruned);

#endif
