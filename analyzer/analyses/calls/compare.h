/* Comparison of the functions of two runs: which differences are beyond chance. Also functions that call each other. */
#ifndef HEDDLE_ANALYZER_ANALYSES_CALLS_COMPARE_H
#define HEDDLE_ANALYZER_ANALYSES_CALLS_COMPARE_H

#include "analyzer/analyses/calls/figures.h"

/* One side: what a sample stands for, in a unit that both sides have. */
struct calls_side {
  const struct calls_figures *figures;
  double unit;
};

struct calls_change {
  double more;       /* of the second side; negative: less */
  double half_width; /* of its 95 % interval */
  bool beyond_chance;
};

struct calls_difference {
  uint32_t code[2]; /* of the sides; TRACE_NONE: without samples there */
  struct calls_change self, inclusive;
};

struct calls_differences {
  struct calls_difference *list; /* the largest change of self first */
  size_t count;
};

/*
 * Functions are the same if name and file name of the module are; lines also need the source file's name and the line.
 * Numbers of samples count as Poisson distributed; the interval of a difference uses the normal approximation. False:
 * no memory. Free the list also then.
 */
bool calls_compare(const struct calls_side sides[2], struct calls_differences *differences);

/* Functions that call each other in a circle, or themselves: the strongly connected parts of the graph of calls. */

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
