/* The recorder's side of the layer, in libheddle.so: each call is a record, or a few. */
#include "pthread-layer/recorder_calls.h"
#include "common/budget/omitted_counts.h"
#include "common/process/codes.h"
#include "common/process/session.h"
#include "common/recorder/measured_groups.h"
#include "common/recorder/preloaded.h"
#include "common/recorder/stack_record.h"
#include "common/recorder/thread_ready.h"

#include <string.h>
#include <sys/prctl.h>

static struct thread_ready_tool tool = {.name = "pthread"};

/* Records of a wait: it begins, it ends, and its lock is released; to find out who calls takes as long again. */
enum { RECORDS = 6 };

static uint32_t weigh(unsigned kind, uintptr_t code)
{
  if (!thread_ready(&tool) || needs_may_omit(LIVE_NEED_POSIX))
    return 0;
  if (!budget_is_on())
    return 1;
  struct budget_row *row = budget_row(code, BUDGET_MUTEXES, OMITTED_PTHREAD | kind, RECORDS);
  return row ? budget_take(row) : 1;
}

static uint64_t code_of(uintptr_t code)
{
  return code == 0 ? 0 : codes_of(code);
}

static __thread uint64_t waits_since; /* ticks; 0: it does not, or nobody wants to know */

static void wait(unsigned kind, uintptr_t code, uintptr_t object, uint64_t fourth, uint32_t weight)
{
  uint64_t known = code_of(code); /* which may list a module: before the weight's record, the next record's module */
  omitted_emit_weight(RAW_PTHREAD_WAIT, weight);
  recorder_emit4(RAW_PTHREAD_WAIT, kind, known, object, fourth);
  waits_begin();
  waits_since = wait_stacks_are_wanted() ? clock_ticks() : 0;
}

static void waited(unsigned kind_and_how, uintptr_t object)
{
  waits_end();
  recorder_emit3(RAW_PTHREAD_WAITED, kind_and_how, 0, object);
  if (waits_since != 0)
    wait_stacks_take(waits_since, clock_ticks());
  waits_since = 0;
}

/* A thread may release a lock again and again before one that waits for it has a processor: so these have a budget. The
 * end of a thread has none: the thread has given its table back. */
static void wake(unsigned how, uintptr_t code, uintptr_t object)
{
  if (!thread_ready(&tool) || needs_may_omit(LIVE_NEED_POSIX))
    return;
  bool limited = how != RAW_PTHREAD_END && budget_is_on();
  struct budget_row *row = limited ? budget_row(code, BUDGET_MUTEXES, OMITTED_WAKE | how, 1) : NULL;
  if (!row || budget_take(row) != 0)
    recorder_emit3(RAW_PTHREAD_WAKE, how, code_of(code), object);
}

static void released(unsigned kind, uintptr_t object)
{
  recorder_emit(RAW_PTHREAD_RELEASED, kind, object);
}

static void object(unsigned kind, uintptr_t code, uintptr_t address, uint64_t number)
{
  recorder_emit4(RAW_PTHREAD_OBJECT, kind, code_of(code), address, number);
}

static void gone(unsigned kind, uintptr_t address)
{
  if (thread_ready(&tool))
    recorder_emit(RAW_PTHREAD_GONE, kind, address);
}

static void count(unsigned kind, uintptr_t code, uintptr_t address, uint64_t n)
{
  recorder_emit4(RAW_PTHREAD_COUNT, kind, code_of(code), address, n);
}

static bool ready(void)
{
  return thread_ready(&tool);
}

static void acquired(unsigned kind_and_how, uintptr_t code, uintptr_t address)
{
  recorder_emit3(RAW_PTHREAD_HELD, kind_and_how, code_of(code), address);
}

static void create(uintptr_t code, uint64_t number)
{
  if (thread_ready(&tool))
    recorder_emit3(RAW_PTHREAD_CREATE, 0, code_of(code), number);
}

static void start(uintptr_t function, uint64_t number)
{
  if (thread_ready(&tool))
    recorder_emit3(RAW_PTHREAD_START, 0, code_of(function), number);
}

/* The recorder looks at names when a thread begins and ends; a thread that lives until the process ends has no end. */
static void renamed(void)
{
  char name[17] = {0};
  uint64_t words[2];
  if (!thread_ready_is_known() || prctl(PR_GET_NAME, name) != 0)
    return;
  memcpy(words, name, sizeof words);
  recorder_emit4(RAW_THREAD_NAME, 0, 0, words[0], words[1]);
}

__attribute__((visibility("default"))) heddle_pthread_1_t heddle_pthread_1;

const struct heddle_pthread_calls *heddle_pthread_1(const struct heddle_pthread_endings *endings)
{
  static const struct heddle_pthread_calls calls = {.weigh = weigh,
                                                    .wait = wait,
                                                    .waited = waited,
                                                    .wake = wake,
                                                    .released = released,
                                                    .object = object,
                                                    .gone = gone,
                                                    .count = count,
                                                    .ready = ready,
                                                    .acquired = acquired,
                                                    .create = create,
                                                    .start = start,
                                                    .renamed = renamed,
                                                    .records = thread_ready_is_known,
                                                    .session = session_number};
  if (session_is_off() || session_profiles())
    return NULL;
  recorder_at_thread_end(endings->thread);
  session_at_end(endings->process);
  session_has_layer(tool.name);
  return &calls;
}
