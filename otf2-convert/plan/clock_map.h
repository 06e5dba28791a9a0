/*
 * The map from ticks of a machine's counter to nanoseconds of CLOCK_MONOTONIC, from its anchors: moments at which both
 * were read. Between two anchors it is a straight piece, so it is right at all of them, whatever happens between: a
 * machine that is suspended or moved bends one piece. A jump that is much longer than its piece breaks the map in two
 * stretches, which go on as before up to the jump; where the counter went back, ticks mean two times.
 *
 * Any thread may look up times once the map is finished.
 */
#ifndef HEDDLE_OTF2_CONVERT_PLAN_CLOCK_MAP_H
#define HEDDLE_OTF2_CONVERT_PLAN_CLOCK_MAP_H

#include "base/vector.h"
#include "otf2-convert/plan/process_info.h"

#include <stdbool.h>
#include <stdint.h>

#define CLOCK_MAP_JUMPS 8u /* so many are kept; more are counted */

struct clock_jump {
  uint64_t from, to; /* ns: it is between these anchors */
  int64_t ahead;     /* ns by which the counter is ahead then, or is behind */
};

struct clock_map {
  VECTOR(struct anchor) anchors; /* in the order of time, not too near to each other */
  VECTOR(size_t) stretches;      /* the first anchor of each, between long jumps; within one, ticks do not decrease */
  uint64_t number;               /* of the map, from 1; never used again */
  double rate;                   /* ticks a ns, of most of the time; 0: cannot be known */
  uint64_t apart, width;         /* ns: the longest piece; how exactly the anchors are known, about */
  uint64_t span;                 /* ns from the first anchor to the last */
  struct clock_jump jumps[CLOCK_MAP_JUMPS];
  size_t jump_count;
};

/* False: memory is short. */
bool clock_map_add(struct clock_map *map, struct anchor anchor);
/* After the last anchor. False: memory is short. A map with a rate of 0 has no times. */
bool clock_map_finish(struct clock_map *map);
void clock_map_free(struct clock_map *map);

/* The time of ticks, in ns of CLOCK_MONOTONIC; the first one, where they come again. */
uint64_t clock_map_time_slowly(const struct clock_map *map, uint64_t ticks);
/* The first time of ticks that is not before `since`, or `since`. */
uint64_t clock_map_time_after(const struct clock_map *map, uint64_t ticks, uint64_t since);
/* The last time of ticks that is not after `until`, or the first one. */
uint64_t clock_map_time_before(const struct clock_map *map, uint64_t ticks, uint64_t until);
/* The ticks at a time: no smaller ones have it, if the map is not broken. */
uint64_t clock_map_ticks(const struct clock_map *map, uint64_t time);

static inline bool clock_map_is_broken(const struct clock_map *map)
{
  return map->stretches.count > 1;
}

/* The piece that a thread has used last. */
struct clock_piece {
  uint64_t number;         /* of its map */
  uint64_t ticks, length;  /* from these ticks on, so many */
  uint64_t time, duration; /* of the same, ns */
  uint64_t ns_a_tick;      /* << CLOCK_PIECE_SHIFT */
};
#define CLOCK_PIECE_SHIFT 44
extern _Thread_local struct clock_piece clock_piece_used;

/* The same as clock_map_time_slowly(). */
static inline uint64_t clock_map_time(const struct clock_map *map, uint64_t ticks)
{
  const struct clock_piece *piece = &clock_piece_used;
  uint64_t since = ticks - piece->ticks;
  if (__builtin_expect(piece->number != map->number || since > piece->length, 0))
    return clock_map_time_slowly(map, ticks);
  uint64_t ns = (uint64_t)((unsigned __int128)since * piece->ns_a_tick >> CLOCK_PIECE_SHIFT);
  return piece->time + (ns < piece->duration ? ns : piece->duration);
}

#endif
