/*
 * An OMPT tool of another kind than Heddle's. It counts a few events, and asks everything that OMPT lets a tool ask. It
 * asks when the program (programs/gomp/inquired.c) says by omp_control_tool that there is something to ask about.
 * Prints what it counted ("tool: key=n"), and each answer that is wrong.
 */
#include <errno.h>
#include <omp-tools.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FOR_EACH_ENTRY(X)                                                                                              \
  X(enumerate_states)                                                                                                  \
  X(enumerate_mutex_impls)                                                                                             \
  X(set_callback)                                                                                                      \
  X(get_callback)                                                                                                      \
  X(get_state)                                                                                                         \
  X(get_parallel_info)                                                                                                 \
  X(get_task_info)                                                                                                     \
  X(get_task_memory)                                                                                                   \
  X(get_thread_data)                                                                                                   \
  X(get_num_procs)                                                                                                     \
  X(get_num_places)                                                                                                    \
  X(get_place_proc_ids)                                                                                                \
  X(get_place_num)                                                                                                     \
  X(get_partition_place_nums)                                                                                          \
  X(get_proc_id)                                                                                                       \
  X(get_unique_id)                                                                                                     \
  X(get_target_info)                                                                                                   \
  X(get_num_devices) X(finalize_tool)
static struct {
#define ENTRY(name) ompt_##name##_t name;
  FOR_EACH_ENTRY(ENTRY)
#undef ENTRY
} ompt;

/* What the program says by omp_control_tool(command, modifier). */
enum { ASK_HERE = 100, I_WILL_WAIT = 101, OTHER_WAITS_IN = 102 };

static atomic_int threads, regions, tasks, members, controls, wrongs;
static pthread_t waiting;
static atomic_int seen_state = -1;
static atomic_ulong seen_wait, asked_for;

static void expect(bool holds, const char *what)
{
  if (!holds) {
    atomic_fetch_add(&wrongs, 1);
    printf("tool: wrong: %s\n", what);
  }
}
#define EXPECT(condition) expect(condition, #condition)

static void on_thread_begin(ompt_thread_t type, ompt_data_t *thread)
{
  (void)type;
  thread->value = 1000u + (unsigned)atomic_fetch_add(&threads, 1);
  EXPECT(ompt.get_thread_data() == thread);
}

static void on_parallel_begin(ompt_data_t *task, const ompt_frame_t *frame, ompt_data_t *parallel, unsigned requested,
                              int flags, const void *code)
{
  (void)requested, (void)flags, (void)frame;
  EXPECT(task && code);
  EXPECT(parallel->value == 0);
  parallel->value = 1u + (unsigned)atomic_fetch_add(&regions, 1);
}

static void on_implicit_task(ompt_scope_endpoint_t end, ompt_data_t *parallel, ompt_data_t *task, unsigned size,
                             unsigned index, int flags)
{
  if (end != ompt_scope_begin || !(flags & (int)ompt_task_implicit))
    return;
  atomic_fetch_add(&members, 1);
  EXPECT(task->value == 0);
  task->value = ompt.get_unique_id();
  ompt_data_t *its_parallel = NULL, *its_task = NULL;
  int its_size = 0, its_flags = 0, its_index = -1;
  EXPECT(ompt.get_parallel_info(0, &its_parallel, &its_size) == 2);
  EXPECT(its_parallel == parallel && its_size == (int)size);
  EXPECT(ompt.get_task_info(0, &its_flags, &its_task, NULL, &its_parallel, &its_index) == 2);
  EXPECT(its_flags & (int)ompt_task_implicit && its_task == task && its_parallel == parallel &&
         its_index == (int)index);
}

static void on_task_create(ompt_data_t *creator, const ompt_frame_t *frame, ompt_data_t *task, int flags,
                           int has_dependences, const void *code)
{
  (void)frame, (void)flags, (void)has_dependences;
  EXPECT(creator && code && task->value == 0);
  task->value = 77;
  atomic_fetch_add(&tasks, 1);
}

static void on_mutex_acquire(ompt_mutex_t kind, unsigned hint, unsigned implementation, ompt_wait_id_t id,
                             const void *code)
{
  (void)kind, (void)hint, (void)implementation, (void)code;
  if (pthread_equal(pthread_self(), waiting))
    atomic_store(&asked_for, id);
}

/* A task of a region of two, explicit, in a region that the initial task opened. */
static void ask_in_task(void)
{
  int flags = 0, index = -1, size = 0, levels = 0;
  ompt_data_t *task = NULL, *parallel = NULL;
  ompt_frame_t *frame = NULL;
  EXPECT(ompt.get_task_info(0, &flags, &task, &frame, &parallel, &index) == 2);
  EXPECT(flags & (int)ompt_task_explicit && task->value == 77 && frame->exit_frame.ptr && index >= 0 && index < 2);
  EXPECT(ompt.get_task_info(1, &flags, &task, &frame, &parallel, &index) == 2);
  EXPECT(flags & (int)ompt_task_implicit && task->value >= 77 && frame->exit_frame.ptr);
  EXPECT(ompt.get_task_info(2, &flags, NULL, NULL, &parallel, &index) == 2 && flags & (int)ompt_task_initial);
  EXPECT(ompt.get_task_info(3, &flags, NULL, NULL, NULL, NULL) == 0);
  while (ompt.get_parallel_info(levels, &parallel, &size) == 2)
    EXPECT(size == (levels++ == 0 ? 2 : 1));
  EXPECT(levels == 2); /* the region, and the one around the initial task */
  EXPECT(ompt.get_state(NULL) == ompt_state_work_parallel);
  void *address = &levels;
  size_t bytes = 1;
  EXPECT(ompt.get_task_memory(&address, &bytes, 0) == 0);
}

static void ask_everywhere(void)
{
  int places = ompt.get_num_places(), ids[64] = {-1};
  EXPECT(ompt.get_num_procs() >= 1);
  EXPECT(ompt.get_proc_id() >= 0);
  EXPECT(ompt.get_thread_data() && ompt.get_thread_data()->value >= 1000);
  EXPECT(ompt.get_unique_id() != ompt.get_unique_id());
  EXPECT(places == (getenv("OMP_PLACES") ? 2 : 0));
  for (int i = 0; i < places; i++)
    EXPECT(ompt.get_place_proc_ids(i, 64, ids) == 1 && ids[0] == i);
  EXPECT(ompt.get_place_proc_ids(places, 64, ids) == 0);
  EXPECT(ompt.get_place_proc_ids(-1, 64, ids) == 0);
  EXPECT(places ? ompt.get_place_num() >= 0 && ompt.get_place_num() < 2 : ompt.get_place_num() == -1);
  EXPECT(ompt.get_partition_place_nums(64, ids) == places);
  EXPECT(ompt.get_target_info(NULL, NULL, NULL) == 0);
  EXPECT(ompt.get_num_devices() >= 1);
}

static void sample(int signal)
{
  (void)signal;
  int kept = errno;
  ompt_wait_id_t wait = 0;
  atomic_store(&seen_state, ompt.get_state(&wait));
  atomic_store(&seen_wait, wait);
  errno = kept;
}

/* The other thread waits: interrupted, it knows for what. */
static void ask_the_other(int state)
{
  for (int i = 0; i < 5000 && atomic_load(&seen_state) != state; i++) {
    pthread_kill(waiting, SIGUSR1);
    usleep(1000);
  }
  EXPECT(atomic_load(&seen_state) == state);
  EXPECT(atomic_load(&seen_wait) == atomic_load(&asked_for) || state == ompt_state_wait_taskwait);
}

static int on_control_tool(uint64_t command, uint64_t modifier, void *argument, const void *code)
{
  (void)argument, (void)code;
  atomic_fetch_add(&controls, 1);
  if (command == ASK_HERE)
    ask_in_task();
  if (command == ASK_HERE)
    ask_everywhere();
  if (command == I_WILL_WAIT)
    waiting = pthread_self();
  if (command == OTHER_WAITS_IN)
    ask_the_other((int)modifier);
  if (command == 4 /* omp_control_tool_end */)
    ompt.finalize_tool();
  return 5;
}

static void ask_at_the_start(void)
{
  int state = ompt_state_undefined, impl = 0, states = 0, impls = 0;
  const char *name = NULL;
  while (ompt.enumerate_states(state, &state, &name) && states++ < 100)
    EXPECT(strncmp(name, "ompt_state_", 11) == 0);
  EXPECT(states > 10 && states < 100);
  while (ompt.enumerate_mutex_impls(impl, &impl, &name) && impls++ < 100)
    EXPECT(name && *name);
  EXPECT(impls >= 1 && impls < 100);
}

static int start(ompt_function_lookup_t lookup, int device, ompt_data_t *tool)
{
  (void)device;
#define ENTRY(name) ompt.name = (ompt_##name##_t)lookup("ompt_" #name);
  FOR_EACH_ENTRY(ENTRY)
#undef ENTRY
#define ENTRY(name) EXPECT(ompt.name);
  FOR_EACH_ENTRY(ENTRY)
#undef ENTRY
  EXPECT(lookup("ompt_no_such_entry") == NULL);
  ask_at_the_start();
#define SET(name)                                                                                                      \
  EXPECT(ompt.set_callback(ompt_callback_##name, (ompt_callback_t)on_##name) == ompt_set_always);                      \
  {                                                                                                                    \
    ompt_callback_t set = NULL;                                                                                        \
    EXPECT(ompt.get_callback(ompt_callback_##name, &set) == 1 && set == (ompt_callback_t)on_##name);                   \
  }
  SET(thread_begin)
  SET(parallel_begin)
  SET(implicit_task)
  SET(task_create)
  SET(mutex_acquire)
  SET(control_tool)
  ompt_callback_t set = NULL;
  EXPECT(ompt.get_callback(ompt_callback_work, &set) == 0);
  EXPECT(ompt.set_callback((ompt_callbacks_t)9999, (ompt_callback_t)on_control_tool) == ompt_set_error);
  EXPECT(ompt.set_callback(ompt_callback_target, (ompt_callback_t)on_control_tool) == ompt_set_never);
  EXPECT(ompt.set_callback(ompt_callback_masked, (ompt_callback_t)on_control_tool) == ompt_set_never);
  EXPECT(ompt.set_callback(ompt_callback_masked, NULL) == ompt_set_always);
  EXPECT(tool->value == 4711);
  struct sigaction action = {.sa_handler = sample, .sa_flags = SA_RESTART};
  sigaction(SIGUSR1, &action, NULL);
  return 1;
}

static void finish(ompt_data_t *tool)
{
  EXPECT(tool->value == 4711);
  printf("tool: threads=%d\ntool: regions=%d\ntool: members=%d\ntool: tasks=%d\ntool: controls=%d\ntool: wrongs=%d\n",
         threads, regions, members, tasks, controls, wrongs);
}

ompt_start_tool_result_t *ompt_start_tool(unsigned version, const char *runtime);

ompt_start_tool_result_t *ompt_start_tool(unsigned version, const char *runtime)
{
  static ompt_start_tool_result_t result = {start, finish, {4711}};
  printf("tool: asked by a runtime of %u: %s\n", version, runtime);
  return getenv("TOOL_DECLINES") ? NULL : &result;
}
