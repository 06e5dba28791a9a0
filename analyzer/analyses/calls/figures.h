/*
 * What is selected of the sums, by node of a tree, and by function or line: exact whole numbers of samples.
 *
 * A sample belongs to each function on its path once, however often the function is there (recursion, cycles): to its
 * occurrence that is nearest to the code that ran. So for each function
 *   the callers' self add up to its own self, the callers' below to its inclusive - self,
 *   the callees' self + below add up to its inclusive - self.
 */
#ifndef HEDDLE_ANALYZER_ANALYSES_CALLS_FIGURES_H
#define HEDDLE_ANALYZER_ANALYSES_CALLS_FIGURES_H

#include "analyzer/analyses/calls/calls.h"
#include "analyzer/analyses/calls/tree.h"

#define CALLS_ANY (UINT32_MAX - 1)

/* Which samples; CALLS_ANY: all. process and construct can be TRACE_NONE: those in none. */
struct calls_selection {
  uint32_t trigger, process, location, construct, state;
};
#define CALLS_ALL                                                                                                      \
  (struct calls_selection)                                                                                             \
  {                                                                                                                    \
    CALLS_ANY, CALLS_ANY, CALLS_ANY, CALLS_ANY, CALLS_ANY                                                              \
  }

bool calls_selects(const struct trace *trace, const struct calls_selection *selection, const struct calls_cell *cell);

/* By code. */
struct calls_flat {
  wide_total self;      /* its own code ran */
  wide_total inclusive; /* ... or code that it had called, directly or not */
};

struct calls_figures {
  const struct calls_tree *tree;
  wide_total all;
  /* By node: */
  wide_total *own;          /* its own code ran; of node 0: 0 */
  wide_total *below;        /* ... or code below it, in any occurrence; of node 0: all */
  wide_total *assigned;     /* of these: those of which it is the nearest occurrence of its code */
  wide_total *through;      /* from the nearest occurrence of its parent's code to it */
  struct calls_flat *codes; /* by code */
  /* By node, of exact calls (exact.h), which has them; NULL: unknown. */
  const wide_total *calls;
  const wide_total *blocked; /* the part of `own` in which the thread waited */
};

/* Of sums; or of any weights by node, of which `own` is a copy. False: no memory. calls_figures_free() in any case. */
bool calls_figures_find(const struct trace *trace, const struct calls *calls, const struct calls_selection *selection,
                        const struct calls_tree *tree, struct calls_figures *figures);
bool calls_figures_of(const wide_total *weights, const struct calls_tree *tree, struct calls_figures *figures);
void calls_figures_free(struct calls_figures *figures);

/* A caller of a function, or a function that it calls. */
struct calls_relative {
  uint32_t code;             /* TRACE_NONE: nothing called it */
  wide_total self;           /* callers: samples in the function itself; callees: in the callee itself */
  wide_total below;          /* in what it called */
  wide_total calls, blocked; /* of exact calls: calls by the caller, or of the callee; the part of self */
};

struct calls_relatives {
  struct calls_relative *list; /* those with the most first */
  size_t count;
};

/* False: no memory. Free the list also then. */
bool calls_callers(const struct calls_figures *figures, uint32_t code, struct calls_relatives *callers);
bool calls_callees(const struct calls_figures *figures, uint32_t code, struct calls_relatives *callees);

/* Samples as ticks of the trace, rounded: times the trigger's period. 0: the period is not one of time, or unknown. */
wide_total calls_ticks(const struct trace *trace, const struct samples_trigger *trigger, wide_total samples);

#endif
