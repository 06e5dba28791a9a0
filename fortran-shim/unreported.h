/*
 * What the tool does not want to be told of (ompt_extension.h): acquisitions of mutexes, and which of them the calling
 * thread holds; chunks; tasks (unreported_task.h).
 */
#ifndef HEDDLE_FORTRAN_SHIM_UNREPORTED_H
#define HEDDLE_FORTRAN_SHIM_UNREPORTED_H

#include "common/recorder/ompt_extension.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

#define UNREPORTED_HELD 32u

struct unreported {
  uint32_t held_count;
  struct extension_unreported places[EXTENSION_UNREPORTED_PLACES];
  struct extension_unreported tasks[EXTENSION_UNREPORTED_PLACES];
  struct extension_chunks chunks;
  uintptr_t held[UNREPORTED_HELD]; /* in the order in which they were acquired; a nested lock once an acquisition */
};

extern __thread struct unreported unreported __attribute__((tls_model("initial-exec")));

/*
 * Whether the acquisition that the program requests with this call is not to be reported. The thread holds the mutex
 * then, as far as unreported_release knows.
 */
static inline bool unreported_take(const void *code, uintptr_t mutex)
{
  struct extension_unreported *place = &unreported.places[extension_unreported_at(code)];
  uint32_t count = unreported.held_count;
  if (place->code != code || place->left == 0 || count >= UNREPORTED_HELD)
    return false;
  place->left--;
  unreported.held[count] = mutex;
  unreported.held_count = count + 1;
  return true;
}

/* After unreported_take at that call: nothing was acquired. */
static inline void unreported_take_back(const void *code)
{
  unreported.places[extension_unreported_at(code)].left++;
  unreported.held_count--;
}

/* Whether the thread holds the mutex without a report. */
bool unreported_holds(uintptr_t mutex);
bool unreported_release_slowly(uintptr_t mutex);

/* The thread releases the mutex: whether its acquisition was not reported. */
static inline bool unreported_release(uintptr_t mutex)
{
  uint32_t count = unreported.held_count;
  if (__builtin_expect(count == 0, 1))
    return false;
  if (unreported.held[count - 1] != mutex)
    return unreported_release_slowly(mutex);
  unreported.held_count = count - 1;
  return true;
}

/* Whether the next chunk need not be reported. */
static inline bool unreported_chunk(void)
{
  return __builtin_expect(unreported.chunks.place.left > 0, 0);
}

static inline void unreported_add_chunk(uint64_t first, uint64_t iterations)
{
  struct extension_chunks *chunks = &unreported.chunks;
  chunks->place.left--;
  if (chunks->count++ == 0)
    chunks->first = first;
  chunks->iterations += iterations;
}

/* A fork's child begins: what the tool wants is to be said anew. */
void unreported_in_child(void);

/* For the tool. */
struct extension_unreported *unreported_places(void);
struct extension_chunks *unreported_chunks(void);

#pragma GCC visibility pop

#endif
