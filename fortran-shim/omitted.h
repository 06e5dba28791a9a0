/*
 * What the tool does not want to be told of (ompt_extension.h): acquisitions of mutexes, and which of them the calling
 * thread holds; chunks; tasks (omitted_task.h).
 */
#ifndef HEDDLE_FORTRAN_SHIM_OMITTED_H
#define HEDDLE_FORTRAN_SHIM_OMITTED_H

#include "common/recorder/ompt_extension.h"
#include "fortran-shim/gomp_abi.h"
#include "fortran-shim/state.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

#define OMITTED_HELD 32u

struct omitted {
  uint32_t held_count;
  struct extension_unreported places[EXTENSION_UNREPORTED_PLACES];
  struct extension_unreported tasks[EXTENSION_UNREPORTED_PLACES];
  struct extension_chunks chunks;
  uintptr_t held[OMITTED_HELD]; /* in the order in which they were acquired; a nested lock once an acquisition */
};

extern __thread struct omitted omitted __attribute__((tls_model("initial-exec")));

/*
 * Whether the acquisition that the program requests with this call is not to be reported. The thread holds the mutex
 * then, as far as omitted_release knows.
 */
static inline bool omitted_take(const void *code, uintptr_t mutex)
{
  struct extension_unreported *place = &omitted.places[extension_unreported_at(code)];
  uint32_t count = omitted.held_count;
  if (place->code != code || place->left == 0 || count >= OMITTED_HELD)
    return false;
  place->left--;
  omitted.held[count] = mutex;
  omitted.held_count = count + 1;
  return true;
}

/* After omitted_take at that call: nothing was acquired. */
static inline void omitted_take_back(const void *code)
{
  omitted.places[extension_unreported_at(code)].left++;
  omitted.held_count--;
}

/* Whether the thread holds the mutex without a report. */
bool omitted_holds(uintptr_t mutex);
bool omitted_release_slowly(uintptr_t mutex);

/* The thread releases the mutex: whether its acquisition was not reported. */
static inline bool omitted_release(uintptr_t mutex)
{
  uint32_t count = omitted.held_count;
  if (__builtin_expect(count == 0, 1))
    return false;
  if (omitted.held[count - 1] != mutex)
    return omitted_release_slowly(mutex);
  omitted.held_count = count - 1;
  return true;
}

/* Whether the next chunk need not be reported. */
static inline bool omitted_chunk(void)
{
  return __builtin_expect(omitted.chunks.place.left > 0, 0);
}

static inline void omitted_add_chunk(uint64_t first, uint64_t iterations)
{
  struct extension_chunks *chunks = &omitted.chunks;
  chunks->place.left--;
  if (chunks->count++ == 0)
    chunks->first = first;
  chunks->iterations += iterations;
}

/* A fork's child begins: what the tool wants is to be said anew. */
void omitted_in_child(void);

/* For the tool. */
struct extension_unreported *omitted_mutex_places(void);
struct extension_chunks *omitted_chunks(void);

#pragma GCC visibility pop

/*
 * Tasks that the tool does not want to be told of (ompt_extension.h).
 *
 * One that libgomp runs in the call that creates it goes to libgomp as it is. This is known of some; and of others
 * likely, because the last ones were run so, which one of several that are wrapped shows. The rest is wrapped like the
 * tasks that are reported, so that those executed by a thread that waits are seen.
 *
 * While such a task runs, self.settled is false. What its program calls finds no task of its own, and only then gets
 * one: the tool is told that the thread has switched to it. So the tool never hears of a construct without the task
 * around it, and the task that needs nothing costs nothing.
 */

#pragma GCC visibility push(hidden)

/* The tool has asked for them: such tasks are possible. */
extern bool omitted_tasks_are_wanted;

/* The place of a call that creates a task, if that is not to be reported and its flags allow it; else NULL. */
static inline struct extension_unreported *omitted_task_at(const void *code, unsigned flags)
{
  struct extension_unreported *place = &omitted.tasks[extension_unreported_at(code)];
  if (place->code != code || place->left == 0 || flags & (GOMP_TASK_DETACH | GOMP_TASK_FINAL))
    return NULL;
  return place;
}

/* Whether a task that is not to be reported need not be wrapped either. Counts it. */
static inline bool omitted_task_passes(struct extension_unreported *place, bool may_defer)
{
  enum { LIKELY = 16, ONE_OF = 16 };
  place->left--;
  return !may_defer || (self.at_once >= LIKELY && place->left % ONE_OF != 0);
}

/* One that was wrapped has been created. */
static inline void omitted_task_was_run(bool at_once)
{
  self.at_once = at_once ? self.at_once + 1 : 0;
}

/*
 * Whether the thread executes a task that the tool was not told of, and need not be: it would not record that the task
 * waits for others.
 */
static inline bool is_in_omitted_task(void)
{
  return __builtin_expect(!self.settled, 0) && self.known && omitted_tasks_are_wanted;
}

/* The thread executes one of which the tool must know now. */
void omitted_task_begin(void);

/* For the tool. */
struct extension_unreported *omitted_task_places(void);

#pragma GCC visibility pop

#endif
