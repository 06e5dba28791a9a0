/* Functions that call each other in a circle, or themselves: the strongly connected parts of the graph of calls. */
#ifndef HEDDLE_ANALYZER_ANALYSES_CALLS_CYCLES_H
#define HEDDLE_ANALYZER_ANALYSES_CALLS_CYCLES_H

#include "analyzer/analyses/calls/figures.h"

struct calls_cycle {
  size_t first, count;  /* its codes in `codes`, by self, the most first */
  wide_total self;      /* samples in its functions */
  wide_total inclusive; /* with one of its functions on the path; each sample once */
};

struct calls_cycles {
  struct calls_cycle *list; /* by inclusive, the most first */
  size_t count;
  uint32_t *codes;
};

/* Calls without samples do not count. False: no memory. calls_cycles_free() in any case. */
bool calls_cycles_find(const struct calls_figures *figures, struct calls_cycles *cycles);
void calls_cycles_free(struct calls_cycles *cycles);

#endif
