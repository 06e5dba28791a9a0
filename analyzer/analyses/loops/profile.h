/*
 * Private to schedule/: what the iterations of one execution of a loop cost, from the times of its chunks. A profile is
 * made of pieces: iterations that were measured together. The cost of a single iteration of a piece is unknown.
 */
#ifndef HEDDLE_ANALYZER_ANALYSES_LOOPS_PROFILE_H
#define HEDDLE_ANALYZER_ANALYSES_LOOPS_PROFILE_H

#include "base/vector.h"

#include <stdint.h>

#define PROFILE_PIECES 8192 /* of an execution; if there are more chunks, neighbours are put together */

struct piece_of_loop {
  int64_t first; /* as recorded: an index of the program, or a count */
  uint64_t iterations, chunks, ticks;
};

/* Pieces in any order. Zeroed: empty. */
struct piece_list {
  VECTOR(struct piece_of_loop) pieces;
  uint64_t rises, falls; /* how often `first` was larger, and smaller, than that of the piece before */
  bool coarse;           /* neighbours were put together */
};

/* False: out of memory. */
bool piece_list_add(struct piece_list *list, const struct piece_of_loop *piece);
/* Adds all pieces of `from`, which keeps them. False: out of memory. */
bool piece_list_append(struct piece_list *list, const struct piece_list *from);
void piece_list_free(struct piece_list *list);

struct profile {
  size_t count;
  uint64_t *begins; /* count + 1: iterations before piece i, in the order of the loop */
  double *costs;    /* count + 1: ticks before piece i */
};

/*
 * Puts the pieces into the order of the loop, and subtracts `overhead` ticks from each chunk (the result is at least
 * 0). False: *no_memory, or the pieces are no complete iteration space (gaps, overlaps, too many iterations).
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

/* The piece that has iteration `at`; the number of pieces if none has. */
size_t profile_piece_at(const struct profile *profile, uint64_t at);

/* Ticks of the iterations before `at`: if all of a piece cost the same, and the least and the most that is possible. */
struct profile_cost {
  double even, least, most;
};
struct profile_cost profile_before(const struct profile *profile, uint64_t at);

#endif
