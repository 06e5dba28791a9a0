/*
 * Events that the tool omits because of its budget (ompt_extension.h): acquisitions of mutexes, chunks and tasks. The
 * shim does not report them. All of this is the calling thread's.
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
  uintptr_t held[OMITTED_HELD]; /* in the order of acquisition; a nested lock is there once for each */
};

extern __thread struct omitted omitted __attribute__((tls_model("initial-exec")));

/*
 * True if the acquisition that the program requests by this call is omitted. Then omitted_release takes the thread for
 * the mutex' holder.
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

/* Undoes omitted_take: nothing was acquired. */
static inline void omitted_take_back(const void *code)
{
  omitted.places[extension_unreported_at(code)].left++;
  omitted.held_count--;
}

/* True if the thread holds the mutex by an omitted acquisition. */
bool omitted_holds(uintptr_t mutex);
bool omitted_release_slowly(uintptr_t mutex);

/* The thread releases the mutex: true if its acquisition was omitted. */
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

/* True if the next chunk is omitted. */
static inline bool omitted_chunk(void)
{
  return __builtin_expect(omitted.chunks.place.left > 0, 0);
}

/* Counts an omitted chunk. */
static inline void omitted_add_chunk(uint64_t first, uint64_t iterations)
{
  struct extension_chunks *chunks = &omitted.chunks;
  chunks->place.left--;
  if (chunks->count++ == 0)
    chunks->first = first;
  chunks->iterations += iterations;
}

/* A child of fork begins: nothing is omitted until the tool asks for it again. */
void omitted_in_child(void);

/* Return the places that the tool reads and writes. */
struct extension_unreported *omitted_mutex_places(void);
struct extension_chunks *omitted_chunks(void);

/*
 * Omitted tasks. A task that libgomp runs inside the call that creates it is passed to libgomp unchanged. Some tasks
 * certainly run so. Others probably do, because the last ones did; one of several is wrapped to check this. All other
 * tasks are wrapped like reported ones, so that the shim notices tasks that a waiting thread executes.
 *
 * While an omitted task runs, self.settled is false. If the task encounters a construct, it gets a state of its own,
 * and the switch to it is reported. Thus the tool never gets a construct without its task, and other tasks cost
 * nothing.
 */

/* The tool has asked for the places of tasks: tasks may be omitted. */
extern bool omitted_tasks_are_wanted;

/* Returns the place of a call that creates a task, if the task is omitted and its flags allow it; otherwise NULL. */
static inline struct extension_unreported *omitted_task_at(const void *code, unsigned flags)
{
  struct extension_unreported *place = &omitted.tasks[extension_unreported_at(code)];
  if (place->code != code || place->left == 0 || flags & (GOMP_TASK_DETACH | GOMP_TASK_FINAL))
    return NULL;
  return place;
}

/* True if an omitted task need not be wrapped. Counts it. */
static inline bool omitted_task_passes(struct extension_unreported *place, bool may_defer)
{
  enum { LIKELY = 16, ONE_OF = 16 };
  place->left--;
  return !may_defer || (self.at_once >= LIKELY && place->left % ONE_OF != 0);
}

/* A wrapped omitted task was created. at_once: it ran inside the call. */
static inline void omitted_task_was_run(bool at_once)
{
  self.at_once = at_once ? self.at_once + 1 : 0;
}

/* True if the thread executes an omitted task, whose waits for other tasks are not recorded either. */
static inline bool is_in_omitted_task(void)
{
  return __builtin_expect(!self.settled, 0) && self.known && omitted_tasks_are_wanted;
}

/* Reports the omitted task that the thread executes, because it encounters a construct. */
void omitted_task_begin(void);

/* Returns the places that the tool reads and writes. */
struct extension_unreported *omitted_task_places(void);

#pragma GCC visibility pop

#endif
