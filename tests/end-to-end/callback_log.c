/*
 * An OMPT tool that does nothing but write down which callbacks it got: a text file a thread, <n>.txt in the directory
 * CALLBACK_LOG. The expected sequences in expected/ come from it, and the tests run it beside Heddle's tool. So
 * "exactly the records of these callbacks" is checked against a source that shares no code with Heddle. A line is
 * written by one write(2) in the callback, so that the log is whole however the program ends.
 */
#include <fcntl.h>
#include <omp-tools.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Ids live in the data words that the runtime keeps for us; 0 is what we never saw, 1 an implicit task. */
enum { ID_IMPLICIT = 1, ID_FIRST = 2 };

static atomic_uint_fast64_t next_id = ID_FIRST;
static atomic_int next_thread;
static _Thread_local int file = -1;

static void __attribute__((format(printf, 1, 2))) line(const char *format, ...)
{
  char text[512];
  if (file < 0) {
    snprintf(text, sizeof text, "%s/%d.txt", getenv("CALLBACK_LOG"), atomic_fetch_add(&next_thread, 1));
    file = open(text, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  }
  va_list arguments;
  va_start(arguments, format);
  int length = vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  if (write(file, text, (size_t)length) != length)
    abort();
}

/* A task as the lines name it: "implicit", "t<id>", or "none". */
static const char *task(const ompt_data_t *data, char name[32])
{
  if (!data)
    return "none";
  if (data->value <= ID_IMPLICIT)
    return "implicit";
  snprintf(name, 32, "t%lu", (unsigned long)data->value);
  return name;
}

static void on_thread_begin(ompt_thread_t type, ompt_data_t *thread)
{
  (void)thread;
  line("thread_begin type=%d\n", type);
}

static void on_thread_end(ompt_data_t *thread)
{
  (void)thread;
  line("thread_end\n");
}

static void on_parallel_begin(ompt_data_t *task_data, const ompt_frame_t *frame, ompt_data_t *parallel,
                              unsigned requested, int flags, const void *code)
{
  (void)task_data;
  (void)frame;
  (void)code;
  parallel->value = atomic_fetch_add(&next_id, 1);
  line("parallel_begin id=p%lu requested=%u league=%d runtime=%d\n", (unsigned long)parallel->value, requested,
       !!(flags & ompt_parallel_league), !!(flags & ompt_parallel_invoker_runtime));
}

static void on_parallel_end(ompt_data_t *parallel, ompt_data_t *task_data, int flags, const void *code)
{
  (void)task_data;
  (void)code;
  line("parallel_end id=p%lu league=%d runtime=%d\n", (unsigned long)parallel->value, !!(flags & ompt_parallel_league),
       !!(flags & ompt_parallel_invoker_runtime));
}

static void on_implicit_task(ompt_scope_endpoint_t end, ompt_data_t *parallel, ompt_data_t *task_data, unsigned size,
                             unsigned index, int flags)
{
  if (end == ompt_scope_begin) {
    task_data->value = ID_IMPLICIT;
    line("implicit_begin flags=%d id=p%lu index=%u size=%u\n", flags, parallel ? (unsigned long)parallel->value : 0,
         index, size);
  } else {
    line("implicit_end flags=%d\n", flags);
  }
}

static void on_work(ompt_work_t kind, ompt_scope_endpoint_t end, ompt_data_t *parallel, ompt_data_t *task_data,
                    uint64_t count, const void *code)
{
  (void)parallel;
  (void)task_data;
  (void)code;
  if (end != ompt_scope_end)
    line("work_begin kind=%d count=%lu\n", kind, (unsigned long)count);
  if (end != ompt_scope_begin)
    line("work_end kind=%d\n", kind);
}

static void on_dispatch(ompt_data_t *parallel, ompt_data_t *task_data, ompt_dispatch_t kind, ompt_data_t instance)
{
  (void)parallel;
  (void)task_data;
  const ompt_dispatch_chunk_t *chunk = instance.ptr;
  if (kind == ompt_dispatch_section)
    line("section\n");
  else if (kind == ompt_dispatch_iteration)
    line("iteration\n");
  else
    line("chunk kind=%d first=%ld iterations=%lu\n", kind, (long)chunk->start, (unsigned long)chunk->iterations);
}

static void on_sync_region(ompt_sync_region_t kind, ompt_scope_endpoint_t end, ompt_data_t *parallel,
                           ompt_data_t *task_data, const void *code)
{
  (void)parallel;
  (void)task_data;
  (void)code;
  line("sync_%s kind=%d\n", end == ompt_scope_begin ? "begin" : "end", kind);
}

static void on_sync_region_wait(ompt_sync_region_t kind, ompt_scope_endpoint_t end, ompt_data_t *parallel,
                                ompt_data_t *task_data, const void *code)
{
  (void)parallel;
  (void)task_data;
  (void)code;
  line("wait_%s kind=%d\n", end == ompt_scope_begin ? "begin" : "end", kind);
}

static void on_reduction(ompt_sync_region_t kind, ompt_scope_endpoint_t end, ompt_data_t *parallel,
                         ompt_data_t *task_data, const void *code)
{
  (void)kind;
  (void)parallel;
  (void)task_data;
  (void)code;
  line("reduction_%s\n", end == ompt_scope_begin ? "begin" : "end");
}

static void on_mutex_acquire(ompt_mutex_t kind, unsigned hint, unsigned implementation, ompt_wait_id_t id,
                             const void *code)
{
  (void)hint;
  (void)implementation;
  (void)code;
  line("mutex_acquire kind=%d id=m%lu\n", kind, (unsigned long)id);
}

static void on_mutex_acquired(ompt_mutex_t kind, ompt_wait_id_t id, const void *code)
{
  (void)code;
  line("mutex_acquired kind=%d id=m%lu\n", kind, (unsigned long)id);
}

static void on_mutex_released(ompt_mutex_t kind, ompt_wait_id_t id, const void *code)
{
  (void)code;
  line("mutex_released kind=%d id=m%lu\n", kind, (unsigned long)id);
}

static void on_lock_init(ompt_mutex_t kind, unsigned hint, unsigned implementation, ompt_wait_id_t id, const void *code)
{
  (void)hint;
  (void)implementation;
  (void)code;
  line("lock_init kind=%d id=m%lu\n", kind, (unsigned long)id);
}

static void on_lock_destroy(ompt_mutex_t kind, ompt_wait_id_t id, const void *code)
{
  (void)code;
  line("lock_destroy kind=%d id=m%lu\n", kind, (unsigned long)id);
}

static void on_nest_lock(ompt_scope_endpoint_t end, ompt_wait_id_t id, const void *code)
{
  (void)code;
  line("nest_%s id=m%lu\n", end == ompt_scope_begin ? "begin" : "end", (unsigned long)id);
}

static void on_masked(ompt_scope_endpoint_t end, ompt_data_t *parallel, ompt_data_t *task_data, const void *code)
{
  (void)parallel;
  (void)task_data;
  (void)code;
  line("masked_%s\n", end == ompt_scope_begin ? "begin" : "end");
}

static void on_task_create(ompt_data_t *creator, const ompt_frame_t *frame, ompt_data_t *created, int flags,
                           int has_dependences, const void *code)
{
  char name[32];
  (void)creator;
  (void)frame;
  (void)has_dependences;
  (void)code;
  created->value = atomic_fetch_add(&next_id, 1);
  line("task_create id=%s flags=%#x\n", task(created, name), (unsigned)flags);
}

static void on_dependences(ompt_data_t *task_data, const ompt_dependence_t *list, int count)
{
  char name[32], kinds[256] = "";
  for (int i = 0; i < count && strlen(kinds) < sizeof kinds - 16; i++)
    snprintf(kinds + strlen(kinds), 16, "%s%d", i ? "," : "", list[i].dependence_type);
  bool doacross = count > 0 && (list[0].dependence_type == ompt_dependence_type_source ||
                                list[0].dependence_type == ompt_dependence_type_sink);
  if (doacross)
    line("doacross kinds=%s\n", kinds);
  else
    line("task_dependences id=%s kinds=%s\n", task(task_data, name), kinds);
}

static void on_task_dependence(ompt_data_t *source, ompt_data_t *sink)
{
  char names[2][32];
  line("task_pair source=%s sink=%s\n", task(source, names[0]), task(sink, names[1]));
}

static void on_task_schedule(ompt_data_t *prior, ompt_task_status_t status, ompt_data_t *next)
{
  char names[2][32];
  line("task_schedule prior=%s status=%d next=%s\n", task(prior, names[0]), status, task(next, names[1]));
}

static void on_cancel(ompt_data_t *task_data, int flags, const void *code)
{
  (void)task_data;
  (void)code;
  line("cancel flags=%#x\n", (unsigned)flags);
}

static void on_flush(ompt_data_t *thread, const void *code)
{
  (void)thread;
  (void)code;
  line("flush\n");
}

static void on_error(ompt_severity_t severity, const char *message, size_t length, const void *code)
{
  (void)message;
  (void)length;
  (void)code;
  line("error severity=%d\n", severity);
}

static int on_control_tool(uint64_t command, uint64_t modifier, void *argument, const void *code)
{
  (void)argument;
  (void)code;
  line("control command=%lu modifier=%lu\n", (unsigned long)command, (unsigned long)modifier);
  return 0;
}

static int start(ompt_function_lookup_t lookup, int device, ompt_data_t *tool)
{
  (void)device;
  (void)tool;
  ompt_set_callback_t set = (ompt_set_callback_t)lookup("ompt_set_callback");
#define SET(name) set(ompt_callback_##name, (ompt_callback_t)on_##name)
  SET(thread_begin);
  SET(thread_end);
  SET(parallel_begin);
  SET(parallel_end);
  SET(implicit_task);
  SET(work);
  SET(dispatch);
  SET(sync_region);
  SET(sync_region_wait);
  SET(reduction);
  SET(mutex_acquire);
  SET(mutex_acquired);
  SET(mutex_released);
  SET(lock_init);
  SET(lock_destroy);
  SET(nest_lock);
  SET(masked);
  SET(task_create);
  SET(dependences);
  SET(task_dependence);
  SET(task_schedule);
  SET(cancel);
  SET(flush);
  SET(error);
  SET(control_tool);
  return 1;
}

static void finish(ompt_data_t *tool)
{
  (void)tool;
}

ompt_start_tool_result_t *ompt_start_tool(unsigned version, const char *runtime);

ompt_start_tool_result_t *ompt_start_tool(unsigned version, const char *runtime)
{
  static ompt_start_tool_result_t result = {start, finish, {0}};
  (void)version;
  (void)runtime;
  return getenv("CALLBACK_LOG") ? &result : NULL;
}
