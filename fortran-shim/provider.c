#include "fortran-shim/provider.h"

#include "base/count_of.h"
#include "common/process/fork_lock.h"
#include "fortran-shim/omitted.h"
#include "fortran-shim/runtime.h"
#include "fortran-shim/serial.h"
#include "fortran-shim/state.h"
#include "fortran-shim/task_state.h"

#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * omp_control_tool, which libgomp lacks before gcc 17. A program that uses it, and must also run without this library,
 * declares it weak. If another runtime has the function (LLVM's programs may have this library preloaded), the other
 * one is called from the end of this function. Thus it gets the program's own return address.
 */
enum { NO_TOOL = -2, NO_CALLBACK = -1 };

static int control(int command, int modifier, void *argument, const void *code)
{
  if (!provider_is_on())
    return NO_TOOL;
  (void)current_task();
  return IS_REPORTED(control_tool) ? tool.control_tool((uint64_t)command, (uint64_t)modifier, argument, code)
                                   : NO_CALLBACK;
}

int omp_control_tool(int command, int modifier, void *argument)
{
  int (*next)(int, int, void *) = provider_is_on() ? NULL : dlsym(RTLD_NEXT, "omp_control_tool");
  if (next)
    return next(command, modifier, argument);
  return control(command, modifier, argument, CALLER);
}

int omp_control_tool_(const int *command, const int *modifier)
{
  int (*next)(const int *, const int *) = provider_is_on() ? NULL : dlsym(RTLD_NEXT, "omp_control_tool_");
  if (next)
    return next(command, modifier);
  return control(*command, *modifier, NULL, CALLER);
}

/* The answer for each event; 0: not one of a host. */
#define IF_THERE(name) (gomp.name == serial_##name ? ompt_set_never : ompt_set_sometimes)
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
    STATE(wait_barrier_explicit),
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

/* The task at a level, 0 the current one: *known is false where there is one, but nothing is known of it any more. */
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

static ompt_interface_fn_t inquiry_lookup(const char *name)
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
      {EXTENSION_UNREPORTED_MUTEXES, (ompt_interface_fn_t)omitted_mutex_places},
      {EXTENSION_UNREPORTED_TASKS, (ompt_interface_fn_t)omitted_task_places},
      {EXTENSION_UNREPORTED_CHUNKS, (ompt_interface_fn_t)omitted_chunks},
  };
  for (size_t i = 0; i < COUNT_OF(entries); i++)
    if (strcmp(name, entries[i].name) == 0)
      return entries[i].function;
  return NULL;
}

/*
 * Finds a tool and starts it, as the OpenMP specification says for a runtime (5.2, 19.2): when the program first calls
 * libgomp, once a process. A libgomp that does so itself has its own way. Without a tool every wrapper is one load and
 * one jump.
 */

/* OpenMP 5.2 */
#define OMP_VERSION 202111u

static struct fork_lock starting;
static __thread bool starts __attribute__((tls_model("initial-exec"))); /* a tool that starts may call OpenMP */
static ompt_start_tool_result_t *started;
static pthread_key_t at_thread_exit;
static FILE *report; /* OMP_TOOL_VERBOSE_INIT */

static void say(const char *what, const char *which)
{
  if (report)
    fprintf(report, "OMPT on libgomp: %s%s\n", what, which);
}

typedef ompt_start_tool_result_t *start_tool_t(unsigned version, const char *runtime);

static ompt_start_tool_result_t *ask(void *function)
{
  static char version[PATH_MAX + 64];
  snprintf(version, sizeof version, "Heddle %s OMPT on %s", HEDDLE_VERSION, runtime_path());
  start_tool_t *start_tool;
  *(void **)&start_tool = function;
  return start_tool(OMP_VERSION, version);
}

/* One of OMP_TOOL_LIBRARIES. */
static ompt_start_tool_result_t *ask_library(const char *name)
{
  say("trying ", name);
  void *library = dlopen(name, RTLD_LAZY);
  if (!library) {
    say("cannot load: ", dlerror());
    return NULL;
  }
  void *function = dlsym(library, "ompt_start_tool");
  ompt_start_tool_result_t *result = function ? ask(function) : NULL;
  if (!result) {
    say(function ? "declined by its ompt_start_tool: " : "has no ompt_start_tool: ", name);
    dlclose(library);
  }
  return result;
}

/* A tool in the address space comes first, then the libraries in their order. */
static ompt_start_tool_result_t *find_tool(void)
{
  void *function = dlsym(RTLD_DEFAULT, "ompt_start_tool");
  ompt_start_tool_result_t *result = function ? ask(function) : NULL;
  if (result) {
    say("a tool is part of the program", "");
    return result;
  }
  /* In a program with raised privileges the environment is not to be trusted. */
  const char *list = secure_getenv("OMP_TOOL_LIBRARIES");
  char *names = list ? strdup(list) : NULL;
  char *rest = names, *name;
  while (!result && rest && (name = strsep(&rest, ":")))
    if (*name)
      result = ask_library(name);
  free(names);
  return result;
}

static void open_report(void)
{
  const char *where = secure_getenv("OMP_TOOL_VERBOSE_INIT");
  if (!where || strcasecmp(where, "disabled") == 0)
    return;
  if (strcasecmp(where, "stdout") == 0)
    report = stdout;
  else if (strcasecmp(where, "stderr") == 0)
    report = stderr;
  else
    report = fopen(where, "ae");
}

static void close_report(void)
{
  if (report && report != stdout && report != stderr)
    fclose(report);
  report = NULL;
}

static void on_thread_exit(void *unused)
{
  (void)unused;
  if (atomic_load(&provider_state) == PROVIDER_ON)
    thread_end();
}

static ompt_interface_fn_t lookup(const char *name)
{
  return strcmp(name, "ompt_finalize_tool") == 0 ? (ompt_interface_fn_t)provider_finalize : inquiry_lookup(name);
}

/* True if the libgomp that was found is to be reported to a tool. */
static bool start(void)
{
  const char *wanted = secure_getenv("OMP_TOOL");
  if (wanted && strcasecmp(wanted, "disabled") == 0)
    return false;
  open_report();
  if (runtime_starts_tools()) {
    say("stands back, because libgomp starts tools itself: ", runtime_path());
    close_report();
    return false;
  }
  started = find_tool();
  bool active = false;
  if (started && pthread_key_create(&at_thread_exit, on_thread_exit) == 0)
    active = started->initialize(lookup, 0, &started->tool_data) != 0;
  say(active ? "a tool is active" : "no tool is active", "");
  close_report();
  return active;
}

bool provider_start(void)
{
  if (starts || !fork_lock_take(&starting))
    return false;
  starts = true;
  if (atomic_load(&provider_state) == PROVIDER_UNKNOWN && runtime_is_news()) {
    enum runtime_found found = runtime_find();
    bool active = found == RUNTIME_LIBGOMP && start();
    if (found != RUNTIME_NONE)
      atomic_store_explicit(&provider_state, active ? PROVIDER_ON : PROVIDER_OFF, memory_order_release);
  }
  fork_lock_give_back(&starting);
  starts = false;
  return atomic_load(&provider_state) == PROVIDER_ON;
}

/* Locks that threads of the parent's held are nobody's in a fork's child. */
static void in_child(void)
{
  fork_lock_give_back(&starting);
  runtime_in_child();
  task_memory_in_child();
  omitted_in_child();
}

__attribute__((constructor)) static void watch_forks(void)
{
  pthread_atfork(NULL, NULL, in_child);
}

void thread_begin(ompt_thread_t type)
{
  self.known = self.settled = true;
  pthread_setspecific(at_thread_exit, &self);
  REPORT(thread_begin, type, &self.data);
  if (type != ompt_thread_initial)
    return;
  struct task *task = &self.implicit;
  *task = (struct task){.team = &self.initial, .index = 1, .id = unique_id(), .flags = ompt_task_initial};
  self.initial.size = 1;
  self.task = task;
  self.state = ompt_state_work_serial;
  REPORT(implicit_task, ompt_scope_begin, &self.initial.data, &task->data, 1, 1, ompt_task_initial);
}

void provider_settle(void)
{
  if (!self.known)
    thread_begin(ompt_thread_initial);
  else
    omitted_task_begin();
}

/* The thread ends, or the process does and this is the thread that ends it. */
void thread_end(void)
{
  if (!self.known)
    return;
  implicit_task_leave_region();
  if (self.task && self.task->team == &self.initial)
    REPORT(implicit_task, ompt_scope_end, NULL, &self.task->data, 0, 1, ompt_task_initial);
  REPORT(thread_end, &self.data);
  self.known = self.settled = false;
  task_memory_give_back();
}

__attribute__((destructor)) void provider_finalize(void)
{
  int on = PROVIDER_ON;
  /* After an exit() out of a region the thread's constructs stay open: they had no end. */
  if (self.known && self.task && self.task->team == &self.initial && atomic_load(&provider_state) == PROVIDER_ON)
    thread_end();
  if (atomic_compare_exchange_strong(&provider_state, &on, PROVIDER_OFF) && started->finalize)
    started->finalize(&started->tool_data);
}
