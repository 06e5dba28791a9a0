/*
 * An OMPT tool that wants no report of all tasks of a place but the first (common/recorder/ompt_extension.h). Prints a
 * line at the end: a word a callback. Tasks are "i" (implicit), "r" (reported) and "u" (not reported).
 *
 * LENDING=first: only the place that comes first is so.
 */
#include "common/recorder/ompt_extension.h"

#include <omp-tools.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LEFT = 1000, REPORTED = 1 };

static char words[1 << 16];
static size_t used;
static extension_unreported_tasks *unreported_tasks;
static int lent;

static void say(const char *what)
{
  size_t size = strlen(what);
  if (used + size + 2 > sizeof words)
    abort();
  memcpy(words + used, what, size);
  words[used + size] = ' ';
  used += size + 1;
}

static char letter(const ompt_data_t *task)
{
  if ((task->value & EXTENSION_UNREPORTED_TASK) == EXTENSION_UNREPORTED_TASK)
    return 'u';
  return task->value == REPORTED ? 'r' : 'i';
}

static void on_task_create(ompt_data_t *creator, const ompt_frame_t *frame, ompt_data_t *task, int flags,
                           int dependences, const void *code)
{
  (void)frame;
  (void)dependences;
  if (flags & (int)ompt_task_implicit || flags & (int)ompt_task_initial)
    return;
  say((char[]){letter(creator), '+', 'r', 0});
  task->value = REPORTED;
  struct extension_unreported *places = unreported_tasks ? unreported_tasks() : NULL;
  if (!places || (lent++ > 0 && getenv("LENDING")))
    return;
  places[extension_unreported_at(code)] = (struct extension_unreported){code, LEFT};
}

static void on_task_schedule(ompt_data_t *prior, ompt_task_status_t status, ompt_data_t *next)
{
  if (next)
    say((char[]){letter(prior), status == ompt_task_switch ? '>' : '<', letter(next), 0});
}

static void on_parallel_begin(ompt_data_t *task, const ompt_frame_t *frame, ompt_data_t *parallel, unsigned requested,
                              int flags, const void *code)
{
  (void)frame;
  (void)parallel;
  (void)requested;
  (void)flags;
  (void)code;
  say((char[]){letter(task), '(', 0});
}

static void on_parallel_end(ompt_data_t *parallel, ompt_data_t *task, int flags, const void *code)
{
  (void)parallel;
  (void)flags;
  (void)code;
  say((char[]){')', letter(task), 0});
}

static void on_sync_region(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t *parallel,
                           ompt_data_t *task, const void *code)
{
  (void)parallel;
  (void)code;
  if (kind == ompt_sync_region_taskwait || kind == ompt_sync_region_taskgroup)
    say((char[]){letter(task), endpoint == ompt_scope_begin ? '[' : ']', 0});
}

static void on_mutex_acquired(ompt_mutex_t kind, ompt_wait_id_t wait, const void *code)
{
  (void)kind;
  (void)wait;
  (void)code;
  say("acquired");
}

static void on_mutex_released(ompt_mutex_t kind, ompt_wait_id_t wait, const void *code)
{
  (void)kind;
  (void)wait;
  (void)code;
  say("released");
}

static int initialize(ompt_function_lookup_t lookup, int device, ompt_data_t *data)
{
  (void)device;
  (void)data;
  ompt_set_callback_t set = (ompt_set_callback_t)lookup("ompt_set_callback");
  unreported_tasks = (extension_unreported_tasks *)lookup(EXTENSION_UNREPORTED_TASKS);
#define SET(event) set(ompt_callback_##event, (ompt_callback_t)on_##event)
  SET(task_create);
  SET(task_schedule);
  SET(parallel_begin);
  SET(parallel_end);
  SET(sync_region);
  SET(mutex_acquired);
  SET(mutex_released);
#undef SET
  return 1;
}

static void finalize(ompt_data_t *data)
{
  (void)data;
  printf("tool: %.*s\n", (int)used, words);
}

ompt_start_tool_result_t *ompt_start_tool(unsigned version, const char *runtime);
ompt_start_tool_result_t *ompt_start_tool(unsigned version, const char *runtime)
{
  (void)version;
  (void)runtime;
  static ompt_start_tool_result_t result = {initialize, finalize, {0}};
  return &result;
}
