/*
 * Figures of what is selected of the sums, by node of a tree, and by function or line: exact whole numbers of samples.
 *
 * A sample belongs to each function on its path once, however often the function occurs (recursion, cycles). The
 * occurrence nearest to the code that ran counts. So for each function the callers' self add up to its own self. The
 * callers' below, and the callees' self + below, add up to its inclusive - self.
 */
#ifndef HEDDLE_ANALYZER_ANALYSES_CALLS_FIGURES_H
#define HEDDLE_ANALYZER_ANALYSES_CALLS_FIGURES_H

#include "analyzer/analyses/calls/calls.h"
#include "analyzer/trace/pass/pass.h"
#include "analyzer/trace/samples.h"

#include <math.h>

/*
 * The calling contexts as a tree of functions, or of functions' source lines: contexts that differ in less are one
 * node. Node 0 is above all others and is no code. Memory depends on definitions alone.
 */

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

/* The share of samples that a function has, and the interval in which its share of the time lies. */

#define CALLS_QUANTILE 1.959963984540054 /* of the normal distribution: 95 % lie within so many standard deviations */

/* All from 0 to 1. */
struct calls_share {
  double share, low, high;
};

/*
 * Wilson's score interval of 95 % for `part` of `all` samples. Unlike the normal approximation it is good for few
 * samples and for shares near 0 and 1. For 0 samples: from 0 to 1.
 */
static inline struct calls_share calls_share_of(double part, double all)
{
  const double z = CALLS_QUANTILE;
  if (!(all > 0))
    return (struct calls_share){0, 0, 1};
  double share = part / all, shrink = 1 + z * z / all;
  double middle = (share + z * z / (2 * all)) / shrink;
  double half = z * sqrt(share * (1 - share) / all + z * z / (4 * all * all)) / shrink;
  return (struct calls_share){share, part > 0 ? fmax(0, middle - half) : 0, part < all ? fmin(1, middle + half) : 1};
}

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
  wide_total *assigned;     /* the part for which it is the nearest occurrence of its code */
  wide_total *through;      /* from the nearest occurrence of its parent's code to it */
  struct calls_flat *codes; /* by code */
  /* By node, of exact calls (exact.h), which has them; NULL: unknown. */
  const wide_total *calls;
  const wide_total *blocked; /* the part of `own` in which the thread waited */
};

/* For sums, or for any weights by node; `own` is a copy of the weights. False: no memory. calls_figures_free() in any
 * case. */
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

/*
 * Which function one thread was in, state by state: the function that most of the samples were taken in. The samples of
 * all triggers count.
 */

/* `samples` outlives it. NULL: an error. `error` is filled in by later failures, too. */
struct states_functions;
struct states_functions *states_functions_open(const struct trace *trace, const struct samples *samples,
                                               uint32_t location, struct error *error);
/* The intervals of the thread in order of time. *function: TRACE_NONE without a sample. False: an error. */
bool states_functions_next(struct states_functions *functions, const struct state_interval *interval,
                           uint32_t *function);
/* All intervals so far that have the state. */
uint32_t states_functions_of(const struct states_functions *functions, enum state state);
void states_functions_close(struct states_functions *functions); /* NULL is allowed */

#endif
