/*
 * Stands for a libgomp that starts tools itself: its file is named like one, and it is between the program and libgomp.
 * It starts the first of OMP_TOOL_LIBRARIES when it is loaded, and reports parallel regions.
 */
#include <dlfcn.h>
#include <omp-tools.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void GOMP_parallel(void (*fn)(void *), void *data, unsigned threads, unsigned flags);

static ompt_start_tool_result_t *tool;
static ompt_callback_thread_begin_t thread_begin;
static ompt_callback_parallel_begin_t parallel_begin;
static ompt_callback_parallel_end_t parallel_end;
static ompt_callback_implicit_task_t implicit_task;
static ompt_data_t thread, initial, around;

static ompt_set_result_t set_callback(ompt_callbacks_t event, ompt_callback_t callback)
{
  switch ((int)event) {
  case ompt_callback_thread_begin:
    thread_begin = (ompt_callback_thread_begin_t)callback;
    return ompt_set_sometimes;
  case ompt_callback_parallel_begin:
    parallel_begin = (ompt_callback_parallel_begin_t)callback;
    return ompt_set_always;
  case ompt_callback_parallel_end:
    parallel_end = (ompt_callback_parallel_end_t)callback;
    return ompt_set_always;
  case ompt_callback_implicit_task:
    implicit_task = (ompt_callback_implicit_task_t)callback;
    return ompt_set_sometimes;
  default:
    return ompt_set_never;
  }
}

static ompt_interface_fn_t lookup(const char *name)
{
  return strcmp(name, "ompt_set_callback") == 0 ? (ompt_interface_fn_t)set_callback : NULL;
}

static __attribute__((constructor)) void start(void)
{
  const char *names = getenv("OMP_TOOL_LIBRARIES");
  char name[4096];
  if (!names || snprintf(name, sizeof name, "%.*s", (int)strcspn(names, ":"), names) >= (int)sizeof name)
    return;
  void *library = dlopen(name, RTLD_LAZY);
  ompt_start_tool_result_t *(*start_tool)(unsigned, const char *) = NULL;
  if (library)
    *(void **)&start_tool = dlsym(library, "ompt_start_tool");
  tool = start_tool ? start_tool(202111u, "GNU libgomp 18") : NULL;
  printf("started: %d\n", tool && tool->initialize(lookup, 0, &tool->tool_data));
  if (thread_begin)
    thread_begin(ompt_thread_initial, &thread);
  if (implicit_task)
    implicit_task(ompt_scope_begin, &around, &initial, 1, 1, ompt_task_initial);
}

static __attribute__((destructor)) void end(void)
{
  if (tool)
    tool->finalize(&tool->tool_data);
}

void GOMP_parallel(void (*fn)(void *), void *data, unsigned threads, unsigned flags)
{
  int invoked = (int)(ompt_parallel_team | ompt_parallel_invoker_runtime);
  ompt_data_t region = {0};
  ompt_frame_t frame = {0};
  void (*next)(void (*)(void *), void *, unsigned, unsigned) = NULL;
  *(void **)&next = dlsym(RTLD_NEXT, "GOMP_parallel");
  if (parallel_begin)
    parallel_begin(&initial, &frame, &region, threads, invoked, __builtin_return_address(0));
  next(fn, data, threads, flags);
  if (parallel_end)
    parallel_end(&region, &initial, invoked, __builtin_return_address(0));
}
