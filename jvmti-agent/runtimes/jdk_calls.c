/*
 * Hooks of the JDK's own functions for threads: calls of Object.wait, notify and notifyAll and of Thread.sleep;
 * VirtualThread.unpark and start; Poller.poll.
 */
#include "base/count_of.h"
#include "common/raw/live_control.h"
#include "common/recorder/recorder.h"
#include "jvmti-agent/core/agent.h"
#include "jvmti-agent/core/places.h"
#include "jvmti-agent/core/thread_self.h"
#include "jvmti-agent/core/threads.h"
#include "jvmti-agent/runtimes/sites.h"

/*
 * Calls by which the program waits and wakes: Object.wait, notify and notifyAll, Thread.sleep. The
 * agent's native methods record them (../natives.h). A hook before the call notes its place, which takes a twentieth of
 * the time to read the stack. Calls without a hook, as the JDK's own, have their places from the stack.
 */

static void waits_remember_place(struct site *site, const struct weave_match *match)
{
  site->code = site_code_at(match, match->pc);
}

/* A call of null's method comes to no native method. */
static void waits_on_call(const struct hook *hook)
{
  if (hook->first || hook->site->row->target.where == WEAVE_CALLS)
    thread_calls(hook->site->code, hook);
}

/* Callers of the place are found on the stack, if they are wanted. */
static bool waits_places_are_single(void)
{
  return agent.options.stack == 1;
}

static bool waits_notes_are_wanted(void)
{
  return agent.options.notes && waits_places_are_single();
}

#define WAITS_CALL(kind, class, name, is_wanted, for_what)                                                             \
  {.target = {kind, "java/lang/" class, name, .hooks = HOOK_ENTER, .guard = GUARD_SWITCH},                             \
   .prepare = waits_remember_place,                                                                                    \
   .enter = waits_on_call,                                                                                             \
   .needs = for_what,                                                                                                  \
   .wanted = is_wanted}

static const struct row waits_rows[] = {
    WAITS_CALL(WEAVE_VIRTUAL, "Object", "wait", waits_places_are_single, LIVE_NEED_MONITORS),
    WAITS_CALL(WEAVE_VIRTUAL, "Object", "notify", waits_notes_are_wanted, LIVE_NEED_ALL),
    WAITS_CALL(WEAVE_VIRTUAL, "Object", "notifyAll", waits_notes_are_wanted, LIVE_NEED_ALL),
    WAITS_CALL(WEAVE_CALLS, "Thread", "sleep", waits_places_are_single, LIVE_NEED_PARKS),
};

/* The names as constants: the low byte of the length is in front. */
static const char *const waits_marks[] = {"\4wait", "\6notify", "\11notifyAll", "\5sleep", NULL};

const struct runtime runtime_waits = {.of_jvm = true,
                                      .needs = LIVE_NEED_MONITORS | LIVE_NEED_PARKS,
                                      .marks = waits_marks,
                                      .rows = waits_rows,
                                      .count = COUNT_OF(waits_rows)};

/*
 * What is done to virtual threads, and comes to no native method:
 *
 * VirtualThread.unpark, as by LockSupport.unpark. Time-outs of parks call another method of the class (JDK 25).
 *
 * VirtualThread.start: who starts one, and where. All ways lead there: Thread.startVirtualThread, builders,
 * Executors.newVirtualThreadPerTaskExecutor, StructuredTaskScope. Other threads come to Thread.start0 (../natives.c).
 */

static bool virtual_calls_are_wanted(void)
{
  return agent.options.virtual_threads;
}

static bool virtual_calls_notes_are_wanted(void)
{
  return agent.options.notes && virtual_calls_are_wanted();
}

static void on_unpark(const struct hook *hook)
{
  note_unpark(hook->jni, hook->first);
}

static void on_start(const struct hook *hook)
{
  if (!thread_stack_ends(hook))
    recorder_emit3(RAW_JAVA_START, 1, place_here(agent.jvmti, hook->jni, 0), thread_id_of(hook->jni, hook->first));
}

#define VIRTUAL_CALLS_CALLED(name, type, on, if_so)                                                                    \
  {.target = {WEAVE_METHOD, "java/lang/VirtualThread", name, type, .hooks = HOOK_ENTER | HOOK_THIS,                    \
              .guard = GUARD_SWITCH},                                                                                  \
   .enter = on,                                                                                                        \
   .needs = LIVE_NEED_ALL,                                                                                             \
   .wanted = if_so}

static const struct row virtual_calls_rows[] = {
    VIRTUAL_CALLS_CALLED("unpark", "()V", on_unpark, virtual_calls_notes_are_wanted),
    VIRTUAL_CALLS_CALLED("start", "(Ljdk/internal/vm/ThreadContainer;)V", on_start, virtual_calls_are_wanted),
};

static const char *const virtual_calls_marks[] = {NULL};

const struct runtime runtime_virtual_calls = {.of_jvm = true,
                                              .needs = LIVE_NEED_ALL,
                                              .package = "java/lang/VirtualThread",
                                              .marks = virtual_calls_marks,
                                              .rows = virtual_calls_rows,
                                              .count = COUNT_OF(virtual_calls_rows)};

/*
 * Poller.poll and pollSelector: a virtual thread parks in them until a socket, or a selector, is ready (JDK 21 and
 * later). The hook notes which one; the park is recorded where all parks of virtual threads are (../virtual_threads.h).
 */

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
