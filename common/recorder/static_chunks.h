/*
 * The chunks of a thread in a loop with schedule(static, C). The runtime reports the first one alone: thread i of n
 * gets the chunks i, i + n, ... The first one shows C and the loop's begin, unless it is the loop's last one, cut
 * short.
 */
#ifndef HEDDLE_COMMON_RECORDER_STATIC_CHUNKS_H
#define HEDDLE_COMMON_RECORDER_STATIC_CHUNKS_H

#include <stdbool.h>
#include <stdint.h>

/* A loop of so many iterations, and the first chunk of a thread of its team. */
struct static_loop {
  uint64_t count;
  uint64_t first, iterations;
  uint64_t team, number; /* number: of the thread in the team */
};

/* The chunks behind the first one. The first iteration of chunk k, from 1 on, is first + k * step. The chunk has as
 * many iterations as the first one, but for the last chunk. */
struct static_chunks {
  uint64_t chunks, step, last;
};

/* False: there are none, or the loop is divided in another way. */
static inline bool static_chunks_of(const struct static_loop *loop, struct static_chunks *rest)
{
  uint64_t n = loop->team, index = loop->number, size = loop->iterations, count = loop->count;
  if (n < 2 || index >= n || size == 0 || count > INT64_MAX / 2)
    return false;
  uint64_t even = count / n;
  /* One block a thread has at least this many iterations. */
  if (size > even || (size == even && index >= count % n))
    return false;
  uint64_t begin = loop->first - index * size; /* may wrap: it is the program's signed number */
  if (index > 0 && begin != 0 && loop->first + size == count)
    return false;
  uint64_t offset = index * size, step = n * size, left = count - offset; /* offset: from `begin` */
  if (offset >= count || left <= step)
    return false;
  uint64_t chunks = (left - 1) / step, behind = left - chunks * step;
  *rest = (struct static_chunks){.chunks = chunks, .step = step, .last = behind < size ? behind : size};
  return true;
}

static inline uint64_t static_chunks_iterations(const struct static_loop *loop, const struct static_chunks *rest)
{
  return (rest->chunks - 1) * loop->iterations + rest->last;
}

#endif
