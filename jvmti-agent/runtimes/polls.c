/*
 * Poller.poll and pollSelector: a virtual thread parks in them until a socket, or a selector, is ready (JDK 21 and
 * later). The hook notes which one; the park is recorded where all parks of virtual threads are (../virtual_threads.h).
 */
#include "base/count_of.h"
#include "common/raw/live_control.h"
#include "jvmti-agent/core/agent.h"
#include "jvmti-agent/core/thread_self.h"
#include "jvmti-agent/runtimes/sites.h"

static bool polls_are_wanted(void)
{
  return agent.options.virtual_threads;
}

static void on_poll(const struct hook *hook)
{
  thread_self.polled = thread_self.mounted ? (int32_t)hook->number + 1 : 0;
}

/* Perhaps on another carrier than it began: on that one the park took the note. */
static void after_poll(const struct hook *hook)
{
  (void)hook;
  thread_self.polled = 0;
}

#define PARKS(name, signature)                                                                                         \
  {.target = {WEAVE_METHOD, "sun/nio/ch/Poller", name, signature, .hooks = HOOK_BOTH | HOOK_VALUES,                    \
              .guard = GUARD_SWITCH},                                                                                  \
   .enter = on_poll,                                                                                                   \
   .exit = after_poll,                                                                                                 \
   .thrown = after_poll,                                                                                               \
   .needs = LIVE_NEED_PARKS,                                                                                           \
   .wanted = polls_are_wanted}

static const struct row polls_rows[] = {
    PARKS("poll", "(IIJLjava/util/function/BooleanSupplier;)V"),
    PARKS("pollSelector", "(IJ)V"),
};

static const char *const polls_marks[] = {NULL};

const struct runtime runtime_polls = {.needs = LIVE_NEED_PARKS,
                                      .of_jvm = true,
                                      .package = "sun/nio/ch/Poller",
                                      .marks = polls_marks,
                                      .rows = polls_rows,
                                      .count = COUNT_OF(polls_rows)};
