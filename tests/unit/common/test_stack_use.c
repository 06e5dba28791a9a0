/*
 * Stack that recording needs of the program's threads, libc's part included. Each act is done on a thread whose stack
 * is painted, and what is no longer painted afterwards was used. The bound holds for what is shipped, so it is asserted
 * for optimized builds without sanitizers; others print what they need.
 *
 *     test_stack_use -v    prints what each act needs
 */
#include "common/process/session.h"
#include "common/recorder/recorder.h"
#include "common/recorder/recording.h"
#include "ompt-tool/callbacks.h"
#include "tests/unit/unit.h"
#include "user-events/include/heddle.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define BOUND 2048u /* bytes: what handlers of signals on 8 KiB and threads of 16 KiB can spare */

#if defined(__OPTIMIZE__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define BOUND_HOLDS 1
#else
#define BOUND_HOLDS 0
#endif
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#undef BOUND_HOLDS
#define BOUND_HOLDS 0
#endif
#endif

#define STACK      (256u * 1024)
#define PAINT      0x7061696e74656421ull
#define OWN_PART   192u /* bytes: need_of's own frame, below which the paint begins */
#define ATTRIBUTES 255u

static bool tell;
static unsigned too_deep; /* acts that needed more than the bound */

/* In the children, which have no test of cmocka's to return to. */
static void must(bool condition, const char *what)
{
  if (condition)
    return;
  fprintf(stderr, "does not hold: %s\n", what);
  _exit(2);
}
#define MUST(condition) must(condition, #condition)

/* The deepest that act() reaches below its caller, in bytes. */
__attribute__((noinline)) static size_t need_of(void (*act)(void), const char *stack)
{
  const char *here = __builtin_frame_address(0);
  const volatile uint64_t *end = (const uint64_t *)(((uintptr_t)here - OWN_PART) & ~7ull);
  volatile uint64_t *at = (uint64_t *)stack;
  while (at < end)
    *at++ = PAINT;
  act();
  at = (uint64_t *)stack;
  while (at < end && *at == PAINT)
    at++;
  return (size_t)(here - (const char *)at);
}

struct act {
  const char *name; /* NULL: what the program does, which nobody judges */
  void (*act)(void);
};

/* The acts of one thread, in their order. */
struct work {
  const struct act *acts;
  size_t count;
  char *stack;
};

static void judge(const char *name, size_t need)
{
  if (!name)
    return;
  if (tell || (BOUND_HOLDS && need > BOUND))
    fprintf(stderr, "%-40s %6zu bytes\n", name, need);
  too_deep += BOUND_HOLDS && need > BOUND;
}

static void *do_acts(void *argument)
{
  struct work *work = argument;
  for (size_t i = 0; i < work->count; i++)
    judge(work->acts[i].name, need_of(work->acts[i].act, work->stack));
  return NULL;
}

static void on_a_painted_thread(const struct act *acts, size_t count)
{
  struct work work = {.acts = acts, .count = count};
  work.stack = mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
  MUST(work.stack != MAP_FAILED);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  MUST(pthread_attr_setstack(&attributes, work.stack, STACK) == 0);
  pthread_t thread;
  MUST(pthread_create(&thread, &attributes, do_acts, &work) == 0);
  pthread_join(thread, NULL);
  munmap(work.stack, STACK);
}

/* One recording a process: each test has a child of its own, and a directory. */
static void in_child(void (*test)(void))
{
  char directory[64];
  snprintf(directory, sizeof directory, "/tmp/heddle-stack-XXXXXX");
  assert_non_null(mkdtemp(directory));
  fflush(NULL);
  pid_t pid = fork();
  if (pid == 0) {
    setenv("HEDDLE_DIR", directory, 1);
    setenv("HEDDLE_CONVERT", "0", 1);
    setenv("HEDDLE_WINDOW", "16K", 1);
    test();
    _exit(too_deep != 0);
  }
  int status;
  assert_int_equal(waitpid(pid, &status, 0), pid);
  char command[128];
  snprintf(command, sizeof command, "rm -rf '%s'", directory);
  assert_int_equal(system(command), 0);
  assert_int_equal(status, 0);
}

/* The recorder */

static void open_session(void)
{
  MUST(session_open("user", ""));
}

static void emit_one(void)
{
  recorder_emit(RAW_FLUSH, 0, 1);
}

/* Several windows, and what chunks begin with: another name of the thread. */
static void emit_many(void)
{
  prctl(PR_SET_NAME, "renamed");
  for (int i = 0; i < 5000; i++)
    recorder_emit4(RAW_FLUSH, 0, 1, 2, 3);
}

/* Nothing that the test has already; a part of libc's. */
static void load_a_library(void)
{
  MUST(dlopen("libresolv.so.2", RTLD_NOW));
}

static void pause_and_resume(void)
{
  recording_pause();
  emit_one();
  recording_resume();
  emit_one();
}

static void emit_a_long_list(void)
{
  static const uint64_t elements[RECORDER_MOST][RAW_EXTRA];
  for (int i = 0; i < 20; i++)
    recorder_emit_list(RAW_TASK_DEPENDENCES, 1, RECORDER_MOST, elements);
}

static void take_an_id(void)
{
  recorder_new_id();
}

static void test_threads_of_a_recording(void)
{
  static const struct act first[] = {{"session: open, close to the first emit", open_session},
                                     {"attach of the first thread", emit_one},
                                     {"emit", emit_one},
                                     {"turns", emit_many},
                                     {NULL, load_a_library},
                                     {"turns after a library was loaded", emit_many},
                                     {"detach", recorder_thread_end}};
  static const struct act further[] = {{"attach", emit_one},           {"a new id", take_an_id},
                                       {"turns", emit_many},           {"long lists", emit_a_long_list},
                                       {"flush", recorder_flush},      {"pause, resume", pause_and_resume},
                                       {"detach", recorder_thread_end}};
  on_a_painted_thread(first, sizeof first / sizeof *first);
  on_a_painted_thread(further, sizeof further / sizeof *further);
}

/* What fails is said, on the thread that it happens to. */
static void test_failing(void)
{
  static const struct act acts[] = {{"session", open_session}, {"attach", emit_one}};
  static const struct act failing[] = {{"turns beyond the file size limit", emit_many},
                                       {"detach", recorder_thread_end}};
  static const struct act failing_attach[] = {{"attach beyond the file size limit", emit_one}};
  on_a_painted_thread(acts, 2);
  int null = open("/dev/null", O_WRONLY);
  if (!tell)
    dup2(null, STDERR_FILENO);
  struct rlimit limit = {40000, 40000};
  setrlimit(RLIMIT_FSIZE, &limit);
  on_a_painted_thread(failing, 2);
  on_a_painted_thread(failing_attach, 1);
}

/* The measured act is the child's; the fork itself is the program's own. */
static void fork_and_emit(void)
{
  fflush(NULL);
  pid_t pid = fork();
  if (pid == 0) {
    static const struct act acts[] = {{"a fork's child: its first emit", emit_one}, {"turns", emit_many}};
    on_a_painted_thread(acts, 2);
    _exit(too_deep != 0);
  }
  int status;
  waitpid(pid, &status, 0);
  too_deep += status != 0;
}

static void test_children(void)
{
  static const struct act acts[] = {{"session", open_session}, {"attach", emit_one}};
  on_a_painted_thread(acts, 2);
  fork_and_emit();
}

/* The user's events */

static const struct heddle_user_calls *user;

const struct heddle_user_calls *heddle_user_1(void);

static char long_name[1025];

static void user_enter(void)
{
  user->enter("region", 6);
}

static void user_leave(void)
{
  user->leave("region", 6);
}

static void user_long_names(void)
{
  memset(long_name, '\n', sizeof long_name - 1); /* escaped, each byte takes four */
  user->phase(long_name, sizeof long_name - 1);
  user->phase("", 0);
}

static struct heddle_attribute attributes[ATTRIBUTES];

static void make_attributes(void)
{
  static char names[ATTRIBUTES][8];
  for (unsigned i = 0; i < ATTRIBUTES; i++) {
    snprintf(names[i], sizeof names[i], "a%u", i);
    attributes[i] = (struct heddle_attribute){names[i], strlen(names[i]), {.integer = i}, HEDDLE_INTEGER};
  }
}

static void user_event(void)
{
  for (int i = 0; i < 30; i++)
    user->event("event", 5, ATTRIBUTES, attributes);
}

static void user_name_thread(void)
{
  user->name_thread(long_name, sizeof long_name - 1);
}

static void user_measure(void)
{
  user->measure(0);
  user->measure(1);
}

static void test_user_events(void)
{
  static const struct act acts[] = {{"user: first call of the process", user_enter},
                                    {"user: leave", user_leave},
                                    {"user: long names", user_long_names},
                                    {"user: event with 255 attributes", user_event},
                                    {"user: name of a thread", user_name_thread},
                                    {"user: pause, start", user_measure},
                                    {"detach", recorder_thread_end}};
  static const struct act further[] = {{"user: first call of a thread", user_enter}, {"detach", recorder_thread_end}};
  user = heddle_user_1();
  MUST(user);
  make_attributes();
  on_a_painted_thread(acts, sizeof acts / sizeof *acts);
  on_a_painted_thread(further, 2);
}

/* OMPT: the tool as a runtime finds it, each callback called so often that some of the calls turn. */

ompt_start_tool_result_t *ompt_start_tool(unsigned version, const char *runtime);

enum { EVENTS = 64, CALLS = 1100 };
static ompt_callback_t callbacks[EVENTS];

static ompt_set_result_t set_callback(ompt_callbacks_t event, ompt_callback_t callback)
{
  callbacks[event] = callback;
  return ompt_set_always;
}

static ompt_interface_fn_t lookup(const char *name)
{
  return strcmp(name, "ompt_set_callback") == 0 ? (ompt_interface_fn_t)set_callback : NULL;
}

static void start_tool(void)
{
  ompt_start_tool_result_t *result = ompt_start_tool(202111, "a runtime of the test's");
  MUST(result);
  MUST(result->initialize(lookup, 0, &result->tool_data) == 1);
}

#define TELL(event, ...) ((__typeof__(&on_##event))callbacks[ompt_callback_##event])(__VA_ARGS__)
#define OFTEN(event, ...)                                                                                              \
  for (int i = 0; i < CALLS; i++)                                                                                      \
  TELL(event, __VA_ARGS__)

static ompt_data_t parallel, task, thread;
static const ompt_frame_t frame;

static void ompt_thread_begins(void)
{
  TELL(thread_begin, ompt_thread_worker, &thread);
}

static void ompt_thread_ends(void)
{
  TELL(thread_end, &thread);
}

static void ompt_parallel(void)
{
  for (int i = 0; i < CALLS; i++) {
    TELL(parallel_begin, &task, &frame, &parallel, 2, 0, user);
    TELL(implicit_task, ompt_scope_begin, &parallel, &task, 2, 0, ompt_task_implicit);
    TELL(work, ompt_work_loop_static, ompt_scope_begin, &parallel, &task, 9, user);
    ompt_dispatch_chunk_t chunk = {0, 9};
    TELL(dispatch, &parallel, &task, ompt_dispatch_ws_loop_chunk, (ompt_data_t){.ptr = &chunk});
    TELL(work, ompt_work_loop_static, ompt_scope_end, &parallel, &task, 9, user);
    TELL(sync_region, ompt_sync_region_barrier_implicit_parallel, ompt_scope_begin, &parallel, &task, user);
    TELL(sync_region, ompt_sync_region_barrier_implicit_parallel, ompt_scope_end, &parallel, &task, user);
    TELL(implicit_task, ompt_scope_end, NULL, &task, 2, 0, ompt_task_implicit);
    TELL(parallel_end, &parallel, &task, 0, user);
  }
}

static void ompt_synchronization(void)
{
  OFTEN(sync_region_wait, ompt_sync_region_taskwait, ompt_scope_begin, &parallel, &task, user);
  OFTEN(reduction, ompt_sync_region_reduction, ompt_scope_begin, &parallel, &task, user);
  OFTEN(mutex_acquire, ompt_mutex_lock, 0, 0, 1, user);
  OFTEN(mutex_acquired, ompt_mutex_lock, 1, user);
  OFTEN(mutex_released, ompt_mutex_lock, 1, user);
  OFTEN(lock_init, ompt_mutex_lock, 0, 0, 1, user);
  OFTEN(lock_destroy, ompt_mutex_lock, 1, user);
  OFTEN(nest_lock, ompt_scope_begin, 1, user);
  OFTEN(flush, &thread, user);
  OFTEN(masked, ompt_scope_begin, &parallel, &task, user);
}

static void ompt_tasking(void)
{
  static ompt_dependence_t dependences[ATTRIBUTES];
  OFTEN(task_create, &task, &frame, &task, ompt_task_explicit, 0, user);
  OFTEN(dependences, &task, dependences, ATTRIBUTES);
  OFTEN(task_dependence, &task, &task);
  OFTEN(task_schedule, &task, ompt_task_switch, &task);
  OFTEN(task_schedule, &task, ompt_task_late_fulfill, &task);
  OFTEN(cancel, &task, 0, user);
  OFTEN(error, ompt_warning, "", 0, user);
}

static void ompt_control(void)
{
  ompt_callback_control_tool_t control = (ompt_callback_control_tool_t)callbacks[ompt_callback_control_tool];
  for (uint64_t command = 1; command <= 3; command++) /* start, pause, flush */
    control(command, 0, NULL, user);
  control(1, 0, NULL, user);
}

static void drive_the_tool(void)
{
  static const struct act acts[] = {{"ompt: start of the tool", start_tool},
                                    {"ompt: begin of a thread", ompt_thread_begins},
                                    {"ompt: regions and loops", ompt_parallel},
                                    {"ompt: synchronization", ompt_synchronization},
                                    {"ompt: tasks", ompt_tasking},
                                    {"ompt: control", ompt_control},
                                    {"ompt: end of a thread", ompt_thread_ends}};
  on_a_painted_thread(acts, sizeof acts / sizeof *acts);
  on_a_painted_thread(acts + 1, sizeof acts / sizeof *acts - 1);
}

static void test_ompt(void)
{
  drive_the_tool();
}

static void test_ompt_that_leaves_out(void)
{
  setenv("HEDDLE_BUDGET", "1/3", 1);
  drive_the_tool();
}

/* The end of a process, without a converter and with one that is quick. */
static void test_end(void)
{
  static const struct act acts[] = {{"session", open_session}, {"attach", emit_one}, {"session: end", session_end}};
  on_a_painted_thread(acts, 3);
}

#define IN_CHILD(name)                                                                                                 \
  static void name##_in_child(void **state)                                                                            \
  {                                                                                                                    \
    (void)state;                                                                                                       \
    in_child(name);                                                                                                    \
  }
IN_CHILD(test_threads_of_a_recording)
IN_CHILD(test_failing)
IN_CHILD(test_children)
IN_CHILD(test_user_events)
IN_CHILD(test_ompt)
IN_CHILD(test_ompt_that_leaves_out)
IN_CHILD(test_end)

UNIT_TEST(stack_use)
{
  tell = argc > 1 && strcmp(argv[1], "-v") == 0;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_threads_of_a_recording_in_child),
      cmocka_unit_test(test_failing_in_child),
      cmocka_unit_test(test_children_in_child),
      cmocka_unit_test(test_user_events_in_child),
      cmocka_unit_test(test_ompt_in_child),
      cmocka_unit_test(test_ompt_that_leaves_out_in_child),
      cmocka_unit_test(test_end_in_child),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
