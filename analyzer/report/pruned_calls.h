/*
 * Samples in a size that a page can hold: their sums, and their times.
 *
 * If the tree or the sums are too large, nodes with less than a part of each trigger's samples are pruned. Their
 * samples go to a node "others" below the node above them, which keeps all sums. If 1 % is not enough, sums of all
 * threads replace those by thread.
 */
#ifndef HEDDLE_ANALYZER_REPORT_PRUNED_CALLS_H
#define HEDDLE_ANALYZER_REPORT_PRUNED_CALLS_H

#include "analyzer/analyses/calls/calls.h"
#include "analyzer/analyses/calls/figures.h"
#include "analyzer/trace/pass/pass.h"
#include "analyzer/trace/samples.h"
#include "base/vector.h"

/* Limits of a page. */
struct pruned_limits {
  size_t nodes, cells;
  size_t text; /* bytes of the functions' names and files */
};
#define PRUNED_LIMITS (struct pruned_limits){20000, 100000, (size_t)4 << 20}

struct pruned_node {
  uint32_t code;   /* TRACE_NONE: for node 0, which is above all others, and for others */
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
  double least; /* the part of a trigger's samples from 0 to 1 that a node has at least; 0: no node was pruned */
  bool summed;  /* over threads */
};

/* False: out of memory. pruned_calls_free() in any case. */
bool pruned_calls_make(const struct calls *calls, const struct calls_tree *tree, struct pruned_limits limits,
                       struct pruned_calls *pruned);
void pruned_calls_free(struct pruned_calls *pruned);

#define SAMPLE_TIMES_MOST  200000
#define SAMPLE_TIMES_LEAST 32 /* that a thread keeps, however many threads there are */

/*
 * Times of each thread's samples, for the timeline. If a thread has many, each second, fourth, ... one is kept: all
 * threads together have about SAMPLE_TIMES_MOST, for a run of any length.
 */
struct sample_times_lane {
  VECTOR(struct samples_event) list; /* in order of time; the first of each `every` samples */
  uint64_t every;                    /* a power of 2 */
};

struct sample_times {
  struct sample_times_lane *lanes; /* by location */
  uint32_t lane_count;
};

/* Keeps them in a pass of either kind. Options: the struct samples, which are needed and outlive the analysis; result:
 * struct sample_times. */
extern const struct analysis sample_times_analysis;

/* Adds the next sample of a thread that keeps at most `most`, at least 2. False: out of memory. */
bool sample_times_add(struct sample_times_lane *lane, const struct samples_event *event, uint64_t number, size_t most);

#endif
