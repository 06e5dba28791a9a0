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
 * Reads the calls that are recorded beside the trace, or else the Enter and Leave of another tool (entered.h). Calls of
 * a worker of a team are below `main`, as its samples are, if the initial thread's calls begin there. NULL: an error,
 * or *none: the trace has no calls. calls_exact_free() in any case.
 */
struct exact_calls *calls_exact_read(const struct trace *trace, struct calls_exact *exact, bool *none,
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

/* Which of both is shown of a run that has samples and exact calls. */
enum calls_use { CALLS_USE_ANY, CALLS_USE_EXACT, CALLS_USE_SAMPLES };
#define CALLS_USE_WORDS "exact|samples" /* in this order, from 1 on */
bool calls_has_samples(const struct trace *trace);
bool calls_has_exact(const struct trace *trace);
/* ANY: exact calls, if there are any. False: the trace has none of both, or not what is wanted. */
bool calls_use_choose(const struct trace *trace, enum calls_use wanted, bool *exact, struct error *error);
/* Fails, because exact calls do not have what `option` asks for. Always false. */
bool calls_exact_refuse(const struct trace *trace, const char *option, struct error *error);

#endif
