/*
 * Private to schedule/: what the iterations of one execution of a loop cost, as its chunks tell. A profile is made of
 * pieces (iterations that were measured together); inside a piece the cost of an iteration is not known.
 */
#ifndef HEDDLE_ANALYZER_SCHEDULE_PROFILE_H
#define HEDDLE_ANALYZER_SCHEDULE_PROFILE_H

#include "base/vector.h"

#include <stdint.h>

#define PROFILE_PIECES 8192 /* of an execution; where there are more chunks, neighbours are put together */

struct piece_of_loop {
  int64_t first; /* as the archive has it: an index of the program, or counted */
  uint64_t iterations, chunks, ticks;
};

/* Pieces as they come, in any order. Zeroed: empty. */
struct piece_list {
  VECTOR(struct piece_of_loop) pieces;
  uint64_t rises, falls; /* how often `first` was larger, smaller than that of the chunk before */
  bool coarse;           /* neighbours were put together */
};

/* False: no memory. */
bool piece_list_add(struct piece_list *list, const struct piece_of_loop *piece);
/* Adds all of `from`, which stays as it is. */
bool piece_list_append(struct piece_list *list, const struct piece_list *from);
void piece_list_free(struct piece_list *list);

struct profile {
  size_t count;
  uint64_t *begins; /* count + 1: iterations before piece i, in the order of the loop */
  double *costs;    /* count + 1: ticks before piece i */
};

/*
 * Puts the pieces in the order of the loop; from each chunk's ticks `overhead` is taken off (it never becomes
 * negative). False: they do not make a whole iteration space (gaps, overlaps, too many iterations), or *no_memory.
 */
bool profile_make(struct profile *profile, struct piece_list *list, double overhead, bool *no_memory);
void profile_free(struct profile *profile);

static inline uint64_t profile_iterations(const struct profile *profile)
{
  return profile->begins[profile->count];
}

static inline double profile_total(const struct profile *profile)
{
  return profile->costs[profile->count];
}

/* The piece that iteration `at` is in; the number of pieces behind the last one. */
size_t profile_find(const struct profile *profile, uint64_t at);

/* The cost of the iterations before `at`: as if those of a piece cost the same; and the least and the most it can be.
 */
struct profile_cost {
  double even, least, most;
};
struct profile_cost profile_before(const struct profile *profile, uint64_t at);

#endif
