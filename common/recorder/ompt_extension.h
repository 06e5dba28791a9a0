/*
 * Extension of OMPT by libheddle-gomp.so. A tool gets it from the lookup function by names that OMPT does not have,
 * so any other tool gets OMPT and nothing else.
 */
#ifndef HEDDLE_COMMON_RECORDER_OMPT_EXTENSION_H
#define HEDDLE_COMMON_RECORDER_OMPT_EXTENSION_H

#include "common/budget/mix.h"

#include <stdint.h>

/*
 * In a callback, on its thread: the begin of the function that the compiler outlined from the callback's construct.
 * NULL: none was. Optimizing compilers move code around calls, so that a return address may say nothing about the
 * construct; the outlined function is the construct.
 */
#define EXTENSION_OUTLINED_FUNCTION "heddle_outlined_function"
typedef const void *extension_outlined_function(void);

/* A runtime that has this reads the pointer of a callback once for each call: callbacks may be taken away at any time.
 */
#define EXTENSION_CALLBACKS_GO "heddle_callbacks_go"

/*
 * Sets what is called when a thread begins to wait for an iteration of a doacross loop, ordered depend(sink: ...). OMPT
 * reports only the wait's end, by the callback `dependences`. NULL: nothing. While the tool is started.
 */
#define EXTENSION_SET_DOACROSS_WAIT "heddle_set_doacross_wait"
typedef void extension_doacross_wait(const void *code);
typedef void extension_set_doacross_wait(extension_doacross_wait *callback);

/*
 * Acquisitions that need not be reported to the tool. The function gives the calling thread's places; the place of a
 * call is the one with the number extension_unreported_at. There the tool sets `code` and `left`, in a callback on this
 * thread. The next `left` acquisitions from there and their releases are not reported, if they need not wait as far as
 * it shows. The provider counts `left` down.
 */
#define EXTENSION_UNREPORTED_MUTEXES "heddle_unreported_mutexes"
#define EXTENSION_UNREPORTED_PLACES  128u
struct extension_unreported {
  const void *code; /* where the program calls: a return address */
  uint32_t left;
};
typedef struct extension_unreported *extension_unreported_mutexes(void);

/*
 * The same for explicit tasks, by where they are created. They are not reported on any thread that executes them. But
 * the tool must know where a thread executes some while it waits. Callbacks `task_schedule` switch to one and back, for
 * the first few of a wait and then for one of several. They also do so for a task that calls something that is
 * reported. The data word of such a task has all bits of EXTENSION_UNREPORTED_TASK. Some tasks are reported whatever
 * the tool sets: those with detach or final. The function returns NULL where the program can cancel: all are reported
 * there.
 */
#define EXTENSION_UNREPORTED_TASKS "heddle_unreported_tasks"
#define EXTENSION_UNREPORTED_TASK  (3ull << 62)
typedef struct extension_unreported *extension_unreported_tasks(void);

/*
 * The same for chunks of loops, of the loop that the calling thread is in; `code` is for the tool's use. The provider
 * sums what it does not report: the tool sets the sums to zero.
 */
#define EXTENSION_UNREPORTED_CHUNKS "heddle_unreported_chunks"
struct extension_chunks {
  struct extension_unreported place;
  uint32_t count;
  uint64_t first;      /* iteration of the first of them */
  uint64_t iterations; /* of all */
};
typedef struct extension_chunks *extension_unreported_chunks(void);

static inline unsigned extension_unreported_at(const void *code)
{
  return (unsigned)(mix_upper((uintptr_t)code) >> 57);
}

#endif
