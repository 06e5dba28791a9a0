/*
 * The OMPT callbacks where sums are recorded, not events (HEDDLE_PROFILE): they feed the thread's profile
 * (common/profile/profile.h). Callbacks that are not here are not needed for sums.
 *
 * The data word of a parallel region is the address of its frame in the profile of the thread that encountered it, 0
 * none. The data word of an explicit task is PROFILED_TASK and what profiled_tasks.c makes of it.
 */
#ifndef HEDDLE_OMPT_TOOL_PROFILED_H
#define HEDDLE_OMPT_TOOL_PROFILED_H

#include "common/profile/profile.h"
#include "ompt-tool/callbacks.h"

/* profiled.c */
extern __typeof__(on_thread_begin) profiled_thread_begin;
extern __typeof__(on_thread_end) profiled_thread_end;
extern __typeof__(on_parallel_begin) profiled_parallel_begin;
extern __typeof__(on_parallel_end) profiled_parallel_end;
extern __typeof__(on_implicit_task) profiled_implicit_task;
extern __typeof__(on_work) profiled_work;
extern __typeof__(on_dispatch) profiled_dispatch;
extern __typeof__(on_masked) profiled_masked;
extern __typeof__(on_sync_region) profiled_sync_region;
extern __typeof__(on_sync_region_wait) profiled_sync_region_wait;
extern __typeof__(on_reduction) profiled_reduction;

extern __typeof__(on_control_tool) profiled_control_tool;

/* profiled_locks.c */
extern __typeof__(on_mutex_acquire) profiled_mutex_acquire;
extern __typeof__(on_mutex_acquired) profiled_mutex_acquired;
extern __typeof__(on_mutex_released) profiled_mutex_released;
extern __typeof__(on_nest_lock) profiled_nest_lock;

/* profiled_tasks.c */
extern __typeof__(on_task_create) profiled_task_create;
extern __typeof__(on_task_schedule) profiled_task_schedule;

#define PROFILED_TASK (1ull << 63)

/* profiled_place.c: the runtime's own code, where a tail call ends, is no place. Once, before the first callback. */
void profiled_set_runtime(const void *code, bool libomp);
extern bool profiled_libomp;
uint64_t profiled_code(const void *code);
uint64_t profiled_code_of_construct(const void *code);

#endif
