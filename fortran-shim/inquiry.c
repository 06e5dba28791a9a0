#include "fortran-shim/inquiry.h"

#include "base/count_of.h"
#include "fortran-shim/omitted.h"
#include "fortran-shim/runtime.h"
#include "fortran-shim/state.h"
#include "fortran-shim/task_state.h"

#include <sched.h>
#include <string.h>

/* The answer for each event; 0: not one of a host. */
static ompt_set_result_t answer_for(ompt_callbacks_t event)
{
  switch ((int)event) {
#define CALLBACK(name, type, answer)                                                                                   \
  case ompt_callback_##name:                                                                                           \
    return answer;
#include "fortran-shim/callbacks.def"
#undef CALLBACK
  default:
    return ompt_set_error;
  }
}

static ompt_callback_t *slot_of(ompt_callbacks_t event)
{
  switch ((int)event) {
#define CALLBACK(name, type, answer)                                                                                   \
  case ompt_callback_##name:                                                                                           \
    return (ompt_callback_t *)&tool.name;
#include "fortran-shim/callbacks.def"
#undef CALLBACK
  default:
    return NULL;
  }
}

static ompt_set_result_t set_callback(ompt_callbacks_t event, ompt_callback_t callback)
{
  ompt_callback_t *slot = slot_of(event);
  if (!slot) /* events of devices exist, and never happen here */
    return event >= ompt_callback_target && event <= ompt_callback_target_submit_emi + 1 ? ompt_set_never
                                                                                         : ompt_set_error;
  __atomic_store_n(slot, callback, __ATOMIC_RELEASE);
  return callback ? answer_for(event) : ompt_set_always;
}

static int get_callback(ompt_callbacks_t event, ompt_callback_t *callback)
{
  ompt_callback_t *slot = slot_of(event);
  if (!slot || !*slot)
    return 0;
  *callback = *slot;
  return 1;
}

static const struct {
  int value;
  const char *name;
} states[] = {
#define STATE(name) {ompt_state_##name, "ompt_state_" #name}
    STATE(work_serial),
    STATE(work_parallel),
    STATE(wait_barrier_implicit_parallel),
    STATE(wait_barrier_implicit_workshare),
    STATE(wait_barrier),
    STATE(wait_barrier_implementation),
    STATE(wait_taskwait),
    STATE(wait_taskgroup),
    STATE(wait_lock),
    STATE(wait_critical),
    STATE(wait_atomic),
    STATE(wait_ordered),
    STATE(undefined),
#undef STATE
};

static int enumerate_states(int current, int *next, const char **name)
{
  size_t n = COUNT_OF(states), at = 0;
  if (current != ompt_state_undefined) { /* which begins an enumeration */
    while (at < n && states[at].value != current)
      at++;
    at++;
  }
  if (at >= n - 1)
    return 0;
  *next = states[at].value;
  *name = states[at].name;
  return 1;
}

static int enumerate_mutex_impls(int current, int *next, const char **name)
{
  if (current != 0)
    return 0;
  *next = MUTEX_IMPLEMENTATION;
  *name = "libgomp_mutex_impl_futex";
  return 1;
}

static int get_state(ompt_wait_id_t *wait)
{
  if (!self.known)
    return ompt_state_undefined;
  if (wait)
    *wait = self.wait;
  return self.state;
}

/* A worker that arrived at the end of its region: the region may be gone, and no one says so. */
static bool is_between_regions(void)
{
  return self.leaving && self.task == &self.implicit;
}

/* The task at a level, 0 the current one: *known is false where there is one of which nothing is known any more. */
static struct task *ancestor(int level, bool *known)
{
  struct task *task = self.known ? self.task : NULL;
  *known = true;
  for (; task && level > 0; level--) {
    struct task *parent = task->parent;
    if (parent && parent->id != task->parent_id) {
      *known = false; /* it ended before this task, and with it goes what it knew of its own ancestors */
      return NULL;
    }
    task = parent;
  }
  return task;
}

static int get_parallel_info(int level, ompt_data_t **data, int *size)
{
  if (is_between_regions())
    return 1;
  struct team *team = self.known && self.task ? self.task->team : NULL;
  while (team && level-- > 0)
    team = team->parent ? team->parent->team : NULL;
  if (!team)
    return 0;
  if (data)
    *data = &team->data;
  if (size)
    *size = (int)team->size;
  return 2;
}

static int get_task_info(int level, int *flags, ompt_data_t **data, ompt_frame_t **frame, ompt_data_t **parallel,
                         int *thread_number)
{
  if (is_between_regions())
    return 1;
  bool known;
  struct task *task = ancestor(level, &known);
  if (!task)
    return known ? 0 : 1;
  if (flags)
    *flags = task->flags;
  if (data)
    *data = &task->data;
  if (frame)
    *frame = &task->frame;
  if (parallel)
    *parallel = data_of(task->team);
  if (thread_number)
    *thread_number = (int)task->index;
  return 2;
}

/* libgomp's tasks have their data where only it knows. */
static int get_task_memory(void **address, size_t *size, int block)
{
  (void)block;
  *address = NULL;
  *size = 0;
  return 0;
}

static ompt_data_t *get_thread_data(void)
{
  return self.known ? &self.data : NULL;
}

static int get_num_procs(void)
{
  return gomp.omp_get_num_procs();
}

static int get_num_places(void)
{
  return gomp.omp_get_num_places ? gomp.omp_get_num_places() : 0;
}

static int get_place_proc_ids(int place, int size, int *ids)
{
  int n = place >= 0 && place < get_num_places() ? gomp.omp_get_place_num_procs(place) : 0;
  if (n > 0 && n <= size)
    gomp.omp_get_place_proc_ids(place, ids);
  return n;
}

static int get_place_num(void)
{
  return gomp.omp_get_place_num ? gomp.omp_get_place_num() : -1;
}

static int get_partition_place_nums(int size, int *places)
{
  int n = gomp.omp_get_partition_num_places ? gomp.omp_get_partition_num_places() : 0;
  if (n > 0 && n <= size)
    gomp.omp_get_partition_place_nums(places);
  return n;
}

static int get_proc_id(void)
{
  return sched_getcpu();
}

static int get_target_info(uint64_t *device, ompt_id_t *target, ompt_id_t *operation)
{
  (void)device;
  (void)target;
  (void)operation;
  return 0;
}

static int get_num_devices(void)
{
  return 1; /* the host */
}

static const void *outlined_function(void)
{
  return (const void *)(uintptr_t)self.outlined;
}

/* A callback may go at any time: each is read once (REPORT). */
static void callbacks_go(void)
{
}

static void set_doacross_wait(extension_doacross_wait *callback)
{
  tool_doacross_wait = callback;
}

ompt_interface_fn_t inquiry_lookup(const char *name)
{
  static const struct {
    const char *name;
    ompt_interface_fn_t function;
  } entries[] = {
#define ENTRY(entry) {"ompt_" #entry, (ompt_interface_fn_t)entry}
      ENTRY(enumerate_states),
      ENTRY(enumerate_mutex_impls),
      ENTRY(set_callback),
      ENTRY(get_callback),
      ENTRY(get_state),
      ENTRY(get_parallel_info),
      ENTRY(get_task_info),
      ENTRY(get_task_memory),
      ENTRY(get_thread_data),
      ENTRY(get_num_procs),
      ENTRY(get_num_places),
      ENTRY(get_place_proc_ids),
      ENTRY(get_place_num),
      ENTRY(get_partition_place_nums),
      ENTRY(get_proc_id),
      ENTRY(get_target_info),
      ENTRY(get_num_devices),
#undef ENTRY
      {"ompt_get_unique_id", (ompt_interface_fn_t)unique_id},
      {EXTENSION_OUTLINED_FUNCTION, (ompt_interface_fn_t)outlined_function},
      {EXTENSION_CALLBACKS_GO, callbacks_go},
      {EXTENSION_SET_DOACROSS_WAIT, (ompt_interface_fn_t)set_doacross_wait},
      {EXTENSION_UNREPORTED_MUTEXES, (ompt_interface_fn_t)unreported_places},
      {EXTENSION_UNREPORTED_TASKS, (ompt_interface_fn_t)unreported_tasks},
      {EXTENSION_UNREPORTED_CHUNKS, (ompt_interface_fn_t)unreported_chunks},
  };
  for (size_t i = 0; i < COUNT_OF(entries); i++)
    if (strcmp(name, entries[i].name) == 0)
      return entries[i].function;
  return NULL;
}
