/* The library is loaded: the recorder is, too, and functions are recorded from now on. */
#include "calls-layer/entries.h"
#include "calls-layer/filter.h"
#include "calls-layer/hooks.h"
#include "calls-layer/java.h"
#include "calls-layer/patches.h"
#include "calls-layer/tree.h"
#include "common/recorder/clock.h"
#include "common/recorder/preloaded.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The time in which a function waits is the time of the function that the thread is in
 * (common/recorder/preloaded.h). */
static void wait(void)
{
  const struct calls_thread *self = thread_self;
  if (!self->current || self->busy != 0)
    return;
  self->current->wait_begin = clock_ticks();
  self->current->wait_children = self->current->children;
}

static void waited(void)
{
  struct raw_calls_node *node = thread_self->current;
  if (!node || thread_self->busy != 0 || node->wait_begin == 0)
    return;
  if (node->wait_begin >= node->begin) /* else the wait is of an earlier call, which was left */
    node->blocked += clock_ticks() - node->wait_begin - (node->children - node->wait_children);
  node->wait_begin = 0;
}

/* A number of the environment; 0: there is none. */
static uint32_t number_of(const char *name)
{
  const char *value = getenv(name);
  unsigned long number = value ? strtoul(value, NULL, 10) : 0;
  return number < UINT32_MAX ? (uint32_t)number : 0;
}

static bool is_off(void)
{
  const char *setting = getenv("HEDDLE_CALLS"), *all = getenv("HEDDLE");
  return !setting || strcmp(setting, "0") == 0 || (all && strcmp(all, "off") == 0);
}

static void begin_entries(void)
{
  entries_begin(getenv("HEDDLE_CALLS_SAMPLED") != NULL);
  const char *why = patches_begin();
  if (!why)
    return;
  char line[200] = "--calls: not all functions compiled with -fpatchable-function-entry are recorded: ";
  strncat(line, why, sizeof line - strlen(line) - 1);
  thread_recorder->say(line);
}

__attribute__((constructor(101))) static void load(void)
{
  static const struct heddle_calls_layer layer = {
      .thread = life_end, .process = life_end_all, .wait = wait, .waited = waited, .java = &java_layer};
  int kept = errno;
  if (is_off())
    return;
  thread_traces = strcmp(getenv("HEDDLE_CALLS"), "trace") == 0;
  uint32_t depth = number_of("HEDDLE_CALLS_DEPTH");
  if (depth != 0)
    thread_depth = depth;
  void *library = recorder_library((void *)&thread_new);
  heddle_calls_1_t *recorder = library ? (heddle_calls_1_t *)dlsym(library, "heddle_calls_1") : NULL;
  if (recorder && life_prepare()) {
    filter_begin(getenv("HEDDLE_CALLS_ONLY"));
    hooks_look_closer = filter_is_on() || thread_traces;
    thread_recorder = recorder(&layer);
    if (thread_recorder) {
      clock_use(thread_recorder->counter);
      begin_entries();
    }
  }
  errno = kept;
}
