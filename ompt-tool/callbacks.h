/*
 * The OMPT callbacks, by subject. Each turns what the runtime says into one record, unless nobody needs it
 * (gated_callbacks.h) or the budget omits it (omissions.h). What a record means is in common/raw/raw_trace.h. The
 * runtime calls them on the thread that they are about.
 *
 * Budget (HEDDLE_BUDGET): the thread that encounters a parallel region decides whether it is recorded; the others learn
 * it from the region's data word. For work-sharing constructs the first thread of the team decides (agreement.h). So
 * the whole instance is omitted, or nothing of it. A task's creator decides; a mutex is omitted from its request to its
 * release.
 *
 * The tool uses only the values of the runtime's data words: the runtime passes copies of them where it likes.
 */
#ifndef HEDDLE_OMPT_TOOL_CALLBACKS_H
#define HEDDLE_OMPT_TOOL_CALLBACKS_H

#include "common/process/codes.h"
#include "common/recorder/ompt_extension.h"
#include "common/recorder/recorder.h"

#include <omp-tools.h>

/* parallel.c */
void on_thread_begin(ompt_thread_t type, ompt_data_t *thread);
void on_thread_end(ompt_data_t *thread);
void on_parallel_begin(ompt_data_t *task, const ompt_frame_t *frame, ompt_data_t *parallel, unsigned requested,
                       int flags, const void *code);
void on_parallel_end(ompt_data_t *parallel, ompt_data_t *task, int flags, const void *code);
void on_implicit_task(ompt_scope_endpoint_t endpoint, ompt_data_t *parallel, ompt_data_t *task, unsigned team_size,
                      unsigned index, int flags);
void on_masked(ompt_scope_endpoint_t endpoint, ompt_data_t *parallel, ompt_data_t *task, const void *code);

/* worksharing.c */
void on_work(ompt_work_t type, ompt_scope_endpoint_t endpoint, ompt_data_t *parallel, ompt_data_t *task, uint64_t count,
             const void *code);
void on_dispatch(ompt_data_t *parallel, ompt_data_t *task, ompt_dispatch_t kind, ompt_data_t instance);

/* synchronization.c */
void on_sync_region(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t *parallel, ompt_data_t *task,
                    const void *code);
void on_sync_region_wait(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t *parallel,
                         ompt_data_t *task, const void *code);
void on_reduction(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t *parallel, ompt_data_t *task,
                  const void *code);
void on_flush(ompt_data_t *thread, const void *code);
void on_doacross_wait(const void *code);

/* mutexes.c */
void on_mutex_acquire(ompt_mutex_t kind, unsigned hint, unsigned impl, ompt_wait_id_t wait, const void *code);
void on_mutex_acquired(ompt_mutex_t kind, ompt_wait_id_t wait, const void *code);
void on_mutex_released(ompt_mutex_t kind, ompt_wait_id_t wait, const void *code);
void on_lock_init(ompt_mutex_t kind, unsigned hint, unsigned impl, ompt_wait_id_t wait, const void *code);
void on_lock_destroy(ompt_mutex_t kind, ompt_wait_id_t wait, const void *code);
void on_nest_lock(ompt_scope_endpoint_t endpoint, ompt_wait_id_t wait, const void *code);

/* tasking.c */
void on_task_create(ompt_data_t *creator, const ompt_frame_t *frame, ompt_data_t *task, int flags, int dependences,
                    const void *code);
void on_dependences(ompt_data_t *task, const ompt_dependence_t *dependences, int n);
void on_task_dependence(ompt_data_t *source, ompt_data_t *sink);
void on_task_schedule(ompt_data_t *prior, ompt_task_status_t status, ompt_data_t *next);
void on_cancel(ompt_data_t *task, int flags, const void *code);

/* control.c */
int on_control_tool(uint64_t command, uint64_t modifier, void *argument, const void *code);
void on_error(ompt_severity_t severity, const char *message, size_t length, const void *code);

/* Profiles beside events (common/profile/live_profile.h): where regions and tasks are from is noted with their
 * begin, for other threads take part in them. */
extern bool callbacks_note_origins __attribute__((visibility("hidden")));
void origin_note(uint64_t id, const void *code);

/* NULL where the runtime does not offer it. */
extern extension_outlined_function *outlined_function;

static inline uint64_t code_of(const void *code)
{
  return codes_of((uintptr_t)code);
}

/* Where a construct is that the compiler may have outlined a function from: raw_trace.h, "code". */
static inline uint64_t code_of_construct(const void *code)
{
  const void *function = outlined_function ? outlined_function() : NULL;
  uint64_t known = code_of(function ? function : code);
  return known + (function && known ? 1 : 0);
}

/* True if the code is the program's own and needs no lookup. Callbacks then end with a call, or none, and save no
 * registers. */
static inline bool code_needs_no_lookup(const void *code)
{
  return __builtin_expect(codes_need_no_lookup((uintptr_t)code), 1);
}

static inline bool construct_needs_no_lookup(const void *code)
{
  return !outlined_function && code_needs_no_lookup(code);
}

#define CALLBACK_PART static inline __attribute__((always_inline)) /* of several callbacks: a call would cost them */
#define CALLBACK_REST __attribute__((noinline)) static             /* what a callback does where that is not so */

static inline uint64_t id_of(const ompt_data_t *data)
{
  return data ? data->value : RAW_ID_NONE;
}

#endif
