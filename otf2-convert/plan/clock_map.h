/*
 * Map from ticks of a machine's counter to nanoseconds of CLOCK_MONOTONIC. Anchors are moments at which both were read;
 * the map is linear between two anchors and exact at each. If the machine is suspended or moved, one piece bends. A
 * jump that is much longer than its piece divides the map into two stretches, each with the normal rate up to the jump.
 * If the counter went back, ticks have two times.
 *
 * Any thread may look up times in a finished map.
 */
#ifndef HEDDLE_OTF2_CONVERT_PLAN_CLOCK_MAP_H
#define HEDDLE_OTF2_CONVERT_PLAN_CLOCK_MAP_H

#include "base/vector.h"
#include "otf2-convert/plan/process_info.h"

#include <stdbool.h>
#include <stdint.h>

#define CLOCK_MAP_JUMPS 8u /* further jumps are only counted */

struct clock_jump {
  uint64_t from, to; /* ns of the anchors before and after it */
  int64_t ahead;     /* ns by which the counter is ahead afterwards; negative: behind */
};

struct clock_map {
  VECTOR(struct anchor) anchors; /* in the order of time, not too near to each other */
  VECTOR(size_t) stretches;      /* the first anchor of each, between long jumps; within one, ticks do not decrease */
  uint64_t number;               /* unique number of the map, from 1 */
  double rate;                   /* ticks per ns, most of the time; 0: unknown */
  uint64_t apart, width;         /* ns: the longest piece; approximate error of the anchors */
  uint64_t span;                 /* ns from the first anchor to the last */
  struct clock_jump jumps[CLOCK_MAP_JUMPS];
  size_t jump_count;
};

/* Adds an anchor. False: out of memory. */
bool clock_map_add(struct clock_map *map, struct anchor anchor);
/* Finishes the map after the last anchor. A map with a rate of 0 has no times. False: out of memory. */
bool clock_map_finish(struct clock_map *map);
void clock_map_free(struct clock_map *map);

/* Returns the time of ticks, in ns of CLOCK_MONOTONIC; the first one if there are two. */
uint64_t clock_map_time_slowly(const struct clock_map *map, uint64_t ticks);
/* Returns the first time of ticks that is not before `since`; else `since`. */
uint64_t clock_map_time_after(const struct clock_map *map, uint64_t ticks, uint64_t since);
/* Returns the last time of ticks that is not after `until`; else the first one. */
uint64_t clock_map_time_before(const struct clock_map *map, uint64_t ticks, uint64_t until);
/* Returns the smallest ticks at a time, if the map is not broken. */
uint64_t clock_map_ticks(const struct clock_map *map, uint64_t time);

static inline bool clock_map_is_broken(const struct clock_map *map)
{
  return map->stretches.count > 1;
}

/* The piece that a thread used last. */
struct clock_piece {
  uint64_t number;         /* of its map */
  uint64_t ticks, length;  /* its begin and length in ticks */
  uint64_t time, duration; /* its begin and length in ns */
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
