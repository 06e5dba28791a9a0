/* Parallel regions, work-sharing constructs, barriers and other waits. */
#include "ompt-tool/profiled.h"

#include "common/budget/mix.h"
#include "common/profile/profile_fold.h"
#include "common/profile/profile_table.h"

#include <link.h>

void profiled_thread_begin(ompt_thread_t type, ompt_data_t *thread)
{
  (void)thread;
  profile_thread_begin(type);
}

void profiled_thread_end(ompt_data_t *thread)
{
  (void)thread;
  profile_thread_end();
}

void profiled_parallel_begin(ompt_data_t *task, const ompt_frame_t *frame, ompt_data_t *parallel, unsigned requested,
                             int flags, const void *code)
{
  (void)task;
  (void)frame;
  (void)requested;
  uint64_t now, place = profiled_code_of_construct(code);
  parallel->value = 0;
  struct profile *profile = profile_enter(&now);
  if (!profile)
    return;
  unsigned league = (unsigned)flags & ompt_parallel_league ? RAW_PARALLEL_LEAGUE : 0;
  parallel->value = (uintptr_t)profile_open(&profile->table, RAW_ROW_REGION, league, place, now);
  profile_leave(profile);
}

void profiled_parallel_end(ompt_data_t *parallel, ompt_data_t *task, int flags, const void *code)
{
  (void)task;
  (void)flags;
  (void)code;
  uint64_t now;
  struct profile *profile = profile_enter(&now);
  if (!profile)
    return;
  struct profile_table *table = &profile->table;
  const struct construct *region = (const struct construct *)(uintptr_t)parallel->value;
  ptrdiff_t at = region ? region - table->stack.open : 0;
  if (!region)
    table->stack.over -= table->stack.over > 0;
  else if (at > 0 && at < (ptrdiff_t)table->stack.depth && region->kind == RAW_ROW_REGION)
    profile_end_region(table, (uint32_t)at, now);
  profile_leave(profile);
}

void profiled_implicit_task(ompt_scope_endpoint_t endpoint, ompt_data_t *parallel, ompt_data_t *task,
                            unsigned team_size, unsigned index, int flags)
{
  (void)flags;
  uint64_t now;
  const struct construct *region = parallel ? (const struct construct *)(uintptr_t)parallel->value : NULL;
  if (task && endpoint == ompt_scope_begin)
    task->value = RAW_ID_IMPLICIT;
  if (endpoint == ompt_scope_begin && !region)
    return;
  uint64_t ended = endpoint == ompt_scope_end ? profile_take_end() : 0;
  struct profile *profile = profile_enter(&now);
  if (!profile)
    return;
  if (endpoint == ompt_scope_begin)
    profile_begin_member(&profile->table, __atomic_load_n(&region->code, __ATOMIC_RELAXED),
                         __atomic_load_n(&region->begin, __ATOMIC_RELAXED), index, team_size, now);
  else
    profile_end_member(&profile->table, now, ended);
  profile_leave(profile);
}

void profiled_work(ompt_work_t type, ompt_scope_endpoint_t endpoint, ompt_data_t *parallel, ompt_data_t *task,
                   uint64_t count, const void *code)
{
  (void)parallel;
  (void)task;
  uint64_t now, place = endpoint == ompt_scope_end ? 0 : profiled_code_of_construct(code);
  struct profile *profile = profile_enter(&now);
  if (!profile)
    return;
  if (endpoint != ompt_scope_end)
    profile_begin_work(&profile->table, type, place, count, now);
  if (endpoint != ompt_scope_begin)
    profile_end_work(&profile->table, profiled_libomp, now);
  profile_leave(profile);
}

/* Chunks are counted; the time is the loop's. */
void profiled_dispatch(ompt_data_t *parallel, ompt_data_t *task, ompt_dispatch_t kind, ompt_data_t instance)
{
  (void)parallel;
  (void)task;
  const ompt_dispatch_chunk_t *chunk = instance.ptr;
  if ((kind != ompt_dispatch_ws_loop_chunk && kind != ompt_dispatch_distribute_chunk) || !chunk)
    return;
  struct profile *profile = profile_enter_untimed();
  if (!profile)
    return;
  profile_take_chunks(&profile->table, chunk->start, chunk->iterations, 1, kind == ompt_dispatch_ws_loop_chunk,
                      profile->table.last);
  profile_leave(profile);
}

/* A construct without a number. */
static void take_plain(enum raw_row kind, ompt_scope_endpoint_t endpoint, const void *code)
{
  uint64_t now, place = endpoint == ompt_scope_begin ? profiled_code(code) : 0;
  struct profile *profile = profile_enter(&now);
  if (!profile)
    return;
  if (endpoint == ompt_scope_begin)
    profile_open(&profile->table, kind, 0, place, now);
  else
    profile_end(&profile->table, kind, now);
  profile_leave(profile);
}

void profiled_masked(ompt_scope_endpoint_t endpoint, ompt_data_t *parallel, ompt_data_t *task, const void *code)
{
  (void)parallel;
  (void)task;
  take_plain(RAW_ROW_MASKED, endpoint, code);
}

void profiled_reduction(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t *parallel,
                        ompt_data_t *task, const void *code)
{
  (void)kind;
  (void)parallel;
  (void)task;
  take_plain(RAW_ROW_REDUCTION, endpoint, code);
}

void profiled_sync_region(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t *parallel,
                          ompt_data_t *task, const void *code)
{
  (void)parallel;
  (void)task;
  uint64_t now, place = 0;
  if (endpoint == ompt_scope_begin) /* of taskgroups only a taskloop's comes with an outlined function */
    place = kind == ompt_sync_region_taskgroup ? profiled_code_of_construct(code) : profiled_code(code);
  struct profile *profile = profile_enter(&now);
  if (!profile)
    return;
  if (endpoint == ompt_scope_begin)
    profile_begin_sync(&profile->table, kind, place, now);
  else if (!profile_end_sync(&profile->table, kind, now))
    profile_end_later(profile, now);
  profile_leave(profile);
}

/* For other kinds the wait is the whole construct. */
void profiled_sync_region_wait(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t *parallel,
                               ompt_data_t *task, const void *code)
{
  (void)parallel;
  (void)task;
  (void)code;
  uint64_t now;
  struct profile *profile = kind == ompt_sync_region_taskgroup ? profile_enter(&now) : NULL;
  if (!profile)
    return;
  if (endpoint == ompt_scope_begin)
    profile_open(&profile->table, RAW_ROW_SYNC_WAIT, kind, 0, now);
  else
    profile_end(&profile->table, RAW_ROW_SYNC_WAIT, now);
  profile_leave(profile);
}

/* Addresses of the runtime's module. */
static struct {
  uintptr_t start, end;
} runtime;

bool profiled_libomp;

/* True if the module has the code at *wanted; then its bounds are the runtime's. */
static int look_at(struct dl_phdr_info *info, size_t size, void *wanted)
{
  (void)size;
  uintptr_t code = *(const uintptr_t *)wanted, start = UINTPTR_MAX, end = 0;
  for (unsigned i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *header = &info->dlpi_phdr[i];
    if (header->p_type != PT_LOAD)
      continue;
    uintptr_t from = info->dlpi_addr + header->p_vaddr, to = from + header->p_memsz;
    start = from < start ? from : start;
    end = to > end ? to : end;
  }
  if (code < start || code >= end)
    return 0;
  runtime.start = start;
  runtime.end = end;
  return 1;
}

void profiled_set_runtime(const void *code, bool libomp)
{
  uintptr_t wanted = (uintptr_t)code;
  dl_iterate_phdr(look_at, &wanted);
  profiled_libomp = libomp;
  profile_fold_set_runtime(runtime.start, runtime.end, libomp);
}

static bool is_runtimes(const void *code)
{
  return (uintptr_t)code - runtime.start < runtime.end - runtime.start;
}

uint64_t profiled_code(const void *code)
{
  return is_runtimes(code) ? 0 : code_of(code);
}

uint64_t profiled_code_of_construct(const void *code)
{
  uint64_t known = outlined_function ? code_of_construct(code) : 0;
  return known ? known : profiled_code(code);
}

/* Critical sections, locks, ordered and atomic. */

void profiled_mutex_acquire(ompt_mutex_t kind, unsigned hint, unsigned impl, ompt_wait_id_t wait, const void *code)
{
  (void)hint;
  (void)impl;
  (void)wait;
  uint64_t now, place = profiled_code(code);
  struct profile *profile = profile_enter(&now);
  if (!profile)
    return;
  profile_acquire(&profile->table, &profile->locks, kind, place, now);
  profile_leave(profile);
}

void profiled_mutex_acquired(ompt_mutex_t kind, ompt_wait_id_t wait, const void *code)
{
  (void)code;
  uint64_t now;
  struct profile *profile = profile_enter(&now);
  if (!profile)
    return;
  profile_acquired(&profile->table, &profile->locks, kind, wait, now);
  profile_leave(profile);
}

void profiled_mutex_released(ompt_mutex_t kind, ompt_wait_id_t wait, const void *code)
{
  (void)code;
  uint64_t now;
  struct profile *profile = profile_enter(&now);
  if (!profile)
    return;
  profile_released(&profile->table, &profile->locks, kind, wait, now);
  profile_leave(profile);
}

/* The thread holds the lock already. */
void profiled_nest_lock(ompt_scope_endpoint_t endpoint, ompt_wait_id_t wait, const void *code)
{
  (void)code;
  uint64_t now;
  struct profile *profile = endpoint == ompt_scope_begin ? profile_enter(&now) : NULL;
  if (!profile)
    return;
  profile_nest(&profile->table, &profile->locks, wait, now);
  profile_leave(profile);
}

/* Explicit tasks: one may be suspended for others, and go on in another thread. */

/*
 * A task's data word: PROFILED_TASK, the number of its place, and a serial number that no other task has. The latter
 * has the number of the thread that creates it, and the number of its tasks. If threads have the same number modulo
 * 2^15, one has ended long ago.
 */
#define PLACE_BITS  12u
#define PLACE_SHIFT 51u
#define THREAD_BITS 15u
#define SERIAL_BITS 36u

_Static_assert(PLACE_SHIFT + PLACE_BITS == 63 && THREAD_BITS + SERIAL_BITS == PLACE_SHIFT, "a word has 64 bits");

/* The places of all tasks of the process, by number; those without room have number 0, the enclosing construct's. */
static _Atomic uint64_t places[1u << PLACE_BITS];

static bool is_explicit(const ompt_data_t *task)
{
  return task && (task->value & PROFILED_TASK) != 0;
}

static uint64_t place_number(uint64_t code)
{
  enum { LAST = (1u << PLACE_BITS) - 1, TRIES = 64 };
  uint64_t at = (mix_upper(code) >> 40) % LAST;
  for (unsigned i = 0; code != 0 && i < TRIES; i++, at = (at + 1) % LAST) {
    uint64_t known = atomic_load_explicit(&places[at + 1], memory_order_relaxed);
    if (known == code ||
        (known == 0 && (atomic_compare_exchange_strong(&places[at + 1], &known, code) || known == code)))
      return at + 1;
  }
  return 0;
}

static uint64_t code_of_task(const ompt_data_t *task)
{
  return atomic_load_explicit(&places[task->value >> PLACE_SHIFT & ((1u << PLACE_BITS) - 1)], memory_order_relaxed);
}

void profiled_task_create(ompt_data_t *creator, const ompt_frame_t *frame, ompt_data_t *task, int flags,
                          int dependences, const void *code)
{
  (void)creator;
  (void)frame;
  (void)dependences;
  if ((unsigned)flags & (ompt_task_initial | ompt_task_implicit)) {
    task->value = RAW_ID_IMPLICIT;
    return;
  }
  static __thread uint64_t serial __attribute__((tls_model("initial-exec")));
  const struct recorder *recorder = recorder_self;
  uint64_t thread = (uintptr_t)recorder > (uintptr_t)RECORDER_NONE ? recorder->thread : 0;
  uint64_t name = thread << SERIAL_BITS | (++serial & ((1ull << SERIAL_BITS) - 1));
  uint64_t place = profiled_code_of_construct(code);
  task->value = PROFILED_TASK | place_number(place) << PLACE_SHIFT | (name & ((1ull << PLACE_SHIFT) - 1));
  struct profile *profile = profile_enter_untimed();
  if (!profile)
    return;
  profile_make_tasks(&profile->table, place, 1, profile->table.last);
  profile_leave(profile);
}

static bool ends(ompt_task_status_t status)
{
  return status == ompt_task_complete || status == ompt_task_cancel || status == ompt_task_detach;
}

void profiled_task_schedule(ompt_data_t *prior, ompt_task_status_t status, ompt_data_t *next)
{
  uint64_t now;
  if (!ends(status) && status != ompt_task_yield && status != ompt_task_switch)
    return; /* it may be about a task that the thread does not execute */
  struct profile *profile = profile_enter(&now);
  if (!profile)
    return;
  uint64_t from = is_explicit(prior) ? prior->value : 0, to = is_explicit(next) ? next->value : 0;
  profile_switch_task(&profile->table, from, ends(status), to, to != 0 ? code_of_task(next) : 0, now);
  profile_leave(profile);
}
