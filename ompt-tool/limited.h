/*
 * The OMPT callbacks where recording has a budget (HEDDLE_BUDGET): each hands over to the one of callbacks.h, unless
 * this instance is left out, or the thread is in something that is. Without a budget these are not used.
 *
 * Whether a parallel region is recorded decides the thread that encounters it; the others learn it from the region's
 * data word. For work-sharing constructs the first thread of the team decides (agreement.h); so the whole instance is
 * left out, or nothing of it. A task's creator decides; a mutex is left out from its acquisition to its release.
 */
#ifndef HEDDLE_OMPT_TOOL_LIMITED_H
#define HEDDLE_OMPT_TOOL_LIMITED_H

#include "common/budget/left_out.h"
#include "ompt-tool/callbacks.h"

/* Kinds of BUDGET_CONSTRUCTS: ompt_work_t, and this. */
#define LIMITED_REGION 0u
/* Threads of a team execute the same single construct in different ways. */
static inline unsigned limited_kind(ompt_work_t type)
{
  return type == ompt_work_single_other ? ompt_work_single_executor : type;
}

/* limited.c */
extern __typeof__(on_thread_end) limited_thread_end;
extern __typeof__(on_parallel_begin) limited_region_begin;
extern __typeof__(on_parallel_end) limited_region_end;
extern __typeof__(on_implicit_task) limited_any_implicit_task;
extern __typeof__(on_work) limited_any_work;
extern __typeof__(on_dispatch) limited_dispatch;
extern __typeof__(on_sync_region) limited_sync_region;

/* limited_regions.c: the same, but shorter where that can be */
extern __typeof__(on_parallel_begin) limited_parallel_begin;
extern __typeof__(on_parallel_end) limited_parallel_end;
extern __typeof__(on_implicit_task) limited_implicit_task;
/* limited_works.c: likewise */
extern __typeof__(on_work) limited_work;

/* limited_tasks.c */
/* NULL: the runtime reports all. */
extern extension_unreported_tasks *limited_unreported_tasks;
extern __typeof__(on_task_create) limited_task_create;
extern __typeof__(on_dependences) limited_dependences;
extern __typeof__(on_task_dependence) limited_task_dependence;
extern __typeof__(on_task_schedule) limited_task_schedule;
extern __typeof__(on_cancel) limited_cancel;
extern __typeof__(on_masked) limited_masked;
extern __typeof__(on_sync_region_wait) limited_sync_region_wait;
extern __typeof__(on_reduction) limited_reduction;
extern __typeof__(on_flush) limited_flush;
extern __typeof__(on_doacross_wait) limited_doacross_wait;

/* The runtime's, of this thread; NULL: it reports all chunks. */
extern extension_unreported_chunks *limited_unreported_chunks;
/* Something else happens in a loop's chunk: what was lent to the runtime comes back. */
struct skip;
void limited_take_back_chunks(struct skip *skip);

/* limited_mutexes.c */
/* NULL: the runtime reports all. */
extern extension_unreported_mutexes *limited_unreported_mutexes;
extern __typeof__(on_mutex_acquire) limited_mutex_acquire;
extern __typeof__(on_mutex_acquired) limited_mutex_acquired;
extern __typeof__(on_mutex_released) limited_mutex_released;
extern __typeof__(on_lock_init) limited_lock_init;
extern __typeof__(on_lock_destroy) limited_lock_destroy;
extern __typeof__(on_nest_lock) limited_nest_lock;

/* The data word of what is left out, region or task; of a region the rest is its code, of a task
 * a number of its own, or what EXTENSION_UNREPORTED_TASK says. No id has this bit. */
#define LIMITED_SKIPPED (1ull << 63)

static inline bool limited_is_skipped(const ompt_data_t *data)
{
  return data && (data->value & LIMITED_SKIPPED) != 0;
}

#endif
