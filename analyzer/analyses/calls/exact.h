/*
 * Exact calls (trace/exact_calls.h) in the terms of calls/: by context and thread, by node of a tree, and by function.
 * Times are ticks. The time of a call is self, blocked, and the time of its callees. Its own code ran during self; the
 * thread waited there during blocked. Memory depends on how many contexts and threads there are, never on calls.
 */
#ifndef HEDDLE_ANALYZER_ANALYSES_CALLS_EXACT_H
#define HEDDLE_ANALYZER_ANALYSES_CALLS_EXACT_H

#include "analyzer/analyses/calls/calls.h"
#include "analyzer/analyses/calls/figures.h"
#include "analyzer/trace/exact_calls.h"

struct calls_exact_sums {
  wide_total calls, running; /* running: the part that had not returned when the thread ended */
  wide_total self, blocked;
  uint64_t shortest, longest; /* of the calls that returned; 0: none did */
};

struct calls_exact_cell {
  uint32_t context;  /* index in paths->contexts */
  uint32_t location; /* of the trace */
  struct calls_exact_sums sums;
};

/* Calls of the analyzed threads (trace/restriction.h), in the whole run. */
struct calls_exact {
  struct calls_exact_cell *cells; /* by location, each context of it once */
  size_t cell_count;
};

/*
 * Calls of a worker of a team are below `main`, as its samples are, if a thread of the process begins there. False: an
 * error. calls_exact_free() in any case.
 */
bool calls_exact_find(const struct trace *trace, const struct exact_calls *archive, struct calls_exact *exact,
                      struct error *error);
void calls_exact_free(struct calls_exact *exact);

/* The results for one location, or for all (CALLS_ANY). */
struct calls_exact_figures {
  struct calls_figures times;     /* self and blocked are a node's own; calls and blocked are its own, too */
  struct calls_exact_sums *nodes; /* by node of the tree */
  struct calls_exact_sums *codes; /* by function */
  struct calls_exact_sums all;
  wide_total *calls, *blocked; /* by node, for `times` */
};

/* `tree` is of the archive's paths, of functions. False: no memory. calls_exact_figures_free() in any case. */
bool calls_exact_figures_find(const struct calls_exact *exact, uint32_t location, const struct calls_tree *tree,
                              struct calls_exact_figures *figures);
void calls_exact_figures_free(struct calls_exact_figures *figures);

/*
 * The same in the form of samples, for what shows these: a sample is a ns of a function's own time, or a call. Sums
 * have no constructs and states. False: no memory. calls_free() in any case.
 */
enum { EXACT_TIME, EXACT_BLOCKED_TIME, EXACT_NUMBER, EXACT_TRIGGERS };
extern const struct samples_trigger calls_exact_triggers[EXACT_TRIGGERS];
bool calls_exact_as_sums(const struct trace *trace, const struct calls_exact *exact, struct calls *calls);

#endif
