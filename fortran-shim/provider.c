/*
 * Finds a tool and starts it, as the OpenMP specification says for a runtime (5.2, 19.2): when the program first calls
 * libgomp, once a process. Without a tool every wrapper is one load and one jump.
 */
#include "fortran-shim/provider.h"

#include "common/process/fork_lock.h"
#include "fortran-shim/inquiry.h"
#include "fortran-shim/omitted.h"
#include "fortran-shim/task_state.h"

#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    say("can't be loaded: ", dlerror());
    return NULL;
  }
  void *function = dlsym(library, "ompt_start_tool");
  ompt_start_tool_result_t *result = function ? ask(function) : NULL;
  if (!result) {
    say(function ? "does not want to be used: " : "has no ompt_start_tool: ", name);
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

/* Whether the libgomp that was found is to be reported to a tool. */
static bool start(void)
{
  const char *wanted = secure_getenv("OMP_TOOL");
  if (wanted && strcasecmp(wanted, "disabled") == 0)
    return false;
  open_report();
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
  unreported_in_child();
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
    unreported_task_begin();
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
