#include "analyzer/analyses/account/sentence.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PLACE_SIZE 512

/* The construct that a cause is at. A part that waits has the name of its construct. */
static const char *name_place(const struct trace *trace, const struct account_cause *cause, char text[PLACE_SIZE])
{
  const char *name = cause->place == TRACE_NONE ? NULL : trace->regions[cause->place].name;
  const char *part = name ? strstr(name, " wait @") : NULL;
  if (!name)
    return "code outside of constructs";
  if (part && trace->regions[cause->place].paradigm == OTF2_PARADIGM_OPENMP)
    snprintf(text, PLACE_SIZE, "%.*s%s", (int)(part - name), name, part + strlen(" wait"));
  else
    snprintf(text, PLACE_SIZE, "%s", name);
  return text;
}

static const char *name_thread(const struct trace *trace, const struct account_cause *cause)
{
  return cause->thread == TRACE_NONE ? "a thread" : trace_thread_said(trace, cause->thread);
}

const char *account_lock_name(const struct trace *trace, const struct account_cause *cause)
{
  const char *name = cause->lock ? trace_lock_name(trace, cause->lock) : NULL;
  return name ? name : cause->lock_class;
}

/* "mutex m at pthread mutex @a.c:3", or the construct alone. */
static void name_account_lock(const struct trace *trace, const struct account_cause *cause, char text[PLACE_SIZE])
{
  char place[PLACE_SIZE];
  const char *at = name_place(trace, cause, place), *name = account_lock_name(trace, cause);
  bool mutex = cause->place != TRACE_NONE && trace->regions[cause->place].paradigm == OTF2_PARADIGM_PTHREAD;
  if (name)
    snprintf(text, PLACE_SIZE, "%s%s (%s)", mutex && strncmp(at, "pthread mutex", 13) == 0 ? "mutex " : "", name, at);
  else
    snprintf(text, PLACE_SIZE, "%s", at);
}

__attribute__((format(printf, 1, 2))) static char *say(const char *format, ...)
{
  char *text;
  va_list arguments;
  va_start(arguments, format);
  int size = vasprintf(&text, format, arguments);
  va_end(arguments);
  return size < 0 ? NULL : text;
}

#define OF_TIME_SIZE 96

/* "24.1 % of the time of 2 processors". */
static const char *of_time(const struct account *account, unsigned __int128 ticks, char text[OF_TIME_SIZE])
{
  snprintf(text, OF_TIME_SIZE, "%.1f %% of the time of %u processor%s", account_percent(account, ticks),
           account->processors, account->processors == 1 ? "" : "s");
  return text;
}

/* "fill at a.c:7": code that ran there. False: unknown. */
static bool say_code(const struct account_cause *cause, char text[PLACE_SIZE])
{
  if (!cause->function)
    return false;
  const char *slash = strrchr(cause->file, '/');
  snprintf(text, PLACE_SIZE, "%s at %s:%u", cause->function, slash ? slash + 1 : cause->file, (unsigned)cause->line);
  return true;
}

/* A wait that samples or looks know: its code, and the construct. */
static char *say_sampled(const struct trace *trace, const struct account_cause *cause, const char *lost)
{
  char place[PLACE_SIZE], code[PLACE_SIZE];
  const char *at = name_place(trace, cause, place);
  if (!say_code(cause, code))
    snprintf(code, sizeof code, "unknown code");
  if (cause->note == NOTE_LIBRARY)
    return say("Look first at the lock of %s(), which %s calls (%s): threads wait for each other inside of this "
               "library function: about %s is lost. Call it less, or use a function that shares nothing.",
               cause->library ? cause->library : "a library", code, at, lost);
  if (cause->note == NOTE_ORDERED)
    return say("Look first at ordered depend(sink) in %s (%s): iterations wait there for others that they depend on: "
               "about %s is lost. Wait later, or signal depend(source) earlier.",
               code, at, lost);
  return say("Look first at the spin lock in %s (%s): threads spin there until another thread lets go: about %s is "
             "lost. Do less while it is held, or use more locks.",
             code, at, lost);
}

static char *say_imbalance(const struct trace *trace, const struct account_cause *cause, const char *lost)
{
  char place[PLACE_SIZE];
  if (cause->note == NOTE_JOIN)
    return say("Look first at how work is shared out: some threads have more than others, which end early and leave "
               "their processors idle: %s is lost. %s has the most; give all threads the same amount.",
               lost, name_thread(trace, cause));
  bool scheduled = cause->place != TRACE_NONE && trace->regions[cause->place].paradigm == OTF2_PARADIGM_OPENMP;
  return say("Look first at %s: threads wait there because their work is uneven: %s is lost. %s works longest; %s.",
             name_place(trace, cause, place), lost, name_thread(trace, cause),
             scheduled ? "use smaller pieces, or a schedule that shares them out by need: schedule(dynamic)"
                       : "give all threads the same amount of work, or let each fetch the next small piece");
}

static char *say_serial(const struct trace *trace, const struct account_cause *cause, const char *lost)
{
  char place[PLACE_SIZE], code[PLACE_SIZE];
  if (cause->place == TRACE_NONE && say_code(cause, code))
    return say("Look first at %s, outside of constructs: one thread works alone (%s), mostly there: %s is lost. "
               "Let more threads do it, or do it beside other work.",
               code, name_thread(trace, cause), lost);
  if (cause->note == NOTE_AWAITED)
    return say("Look first at %s: threads wait there for %s, which works alone meanwhile: %s is lost. Let more threads "
               "do its work, or do it beside other work.",
               name_place(trace, cause, place), name_thread(trace, cause), lost);
  return say("Look first at %s: one thread works there alone (%s) while the others wait or have nothing to do: %s is "
             "lost. Let more threads do it, or do it beside other work.",
             name_place(trace, cause, place), name_thread(trace, cause), lost);
}

static char *say_grain(const struct trace *trace, const struct account *account, const struct account_cause *cause,
                       const char *lost)
{
  char place[PLACE_SIZE];
  double us = trace->ticks_per_second ? account->grain_ticks * 1e6 / (double)trace->ticks_per_second : 0;
  return say("Look first at %s: its pieces are too small, %llu %s of %.2f us: starting them and waiting for them costs "
             "%s. Make fewer and larger ones.",
             name_place(trace, cause, place), (unsigned long long)account->executions,
             cause->note == NOTE_TASKS  ? "tasks"
             : cause->note == NOTE_JOIN ? "threads"
                                        : "executions",
             us, lost);
}

static char *say_processors(const struct trace *trace, const struct account *account, const struct account_cause *cause,
                            const char *lost)
{
  char place[PLACE_SIZE];
  const char *at = name_place(trace, cause, place);
  if (account->most > account->processors)
    return say(
        "Look first at the number of threads: up to %u share %u processor%s. Threads that others wait for have no "
        "processor, mostly at %s: %s is lost. Use %u threads.",
        account->most, account->processors, account->processors == 1 ? "" : "s", at, lost, account->processors);
  return say(
      "Threads wait for a processor, mostly at %s: %s is lost to other programs, limits or binding. At most %u threads "
      "had something to do on %u processors.",
      at, lost, account->most, account->usable ? account->usable : account->processors);
}

static char *say_threads(const struct trace *trace, const struct account *account, const struct account_cause *cause,
                         const char *lost)
{
  char place[PLACE_SIZE];
  if (account->most <= 1)
    return say("The program has one thread where it could use %u processors: %s is lost.", account->processors, lost);
  return say("Look first at how threads are created: at %s threads are missing or idle: %s is lost. Create them once, "
             "and give them more work.",
             name_place(trace, cause, place), lost);
}

static char *say_nothing(const struct account *account)
{
  char work[OF_TIME_SIZE];
  of_time(account, account->ticks[ACCOUNT_WORK], work);
  unsigned most = ACCOUNT_WORK;
  for (unsigned i = 0; i < ACCOUNT_KINDS; i++)
    most = account->ticks[i] > account->ticks[most] ? i : most;
  if (most != ACCOUNT_WORK)
    return say("Nothing stands out that the program could change: work fills %s, and most of the rest is %s.", work,
               account_kind_name((enum account_kind)most));
  if (account->most > account->processors)
    return say("Nothing stands out: work fills %s. More processors would help; fewer threads would not.", work);
  return say("Nothing stands out: work fills %s.", work);
}

/* What is lost to a cause, and what to do. */
static char *say_cause(const struct trace *trace, const struct account *account, enum account_kind kind,
                       const struct account_cause *cause, const char *lost)
{
  char place[PLACE_SIZE];
  switch (kind) {
  case ACCOUNT_IMBALANCE:
    return say_imbalance(trace, cause, lost);
  case ACCOUNT_SERIAL:
    return say_serial(trace, cause, lost);
  case ACCOUNT_GRAIN:
    return say_grain(trace, account, cause, lost);
  case ACCOUNT_TASKS:
    return say("Look first at %s: too few tasks are ready at a time, so threads wait: %s is lost. Make more tasks, or "
               "remove dependences between them.",
               name_place(trace, cause, place), lost);
  case ACCOUNT_SYNCHRONIZATION:
    if (cause->note == NOTE_SPIN || cause->note == NOTE_ORDERED || cause->note == NOTE_LIBRARY)
      return say_sampled(trace, cause, lost);
    name_account_lock(trace, cause, place);
    if (cause->thread == TRACE_NONE)
      return say(
          "Look first at %s: threads wait while others hold it: %s is lost. Do less while it is held, or use more "
          "locks.",
          place, lost);
    return say("Look first at %s: threads wait while others hold it: %s is lost. %s holds it longest; do less while it "
               "is held, or use more locks.",
               place, lost, name_thread(trace, cause));
  case ACCOUNT_PROCESSORS:
    return say_processors(trace, account, cause, lost);
  case ACCOUNT_BLOCKED:
    return say("Look first at %s%s: %s sleeps, or is blocked in the kernel, while processors are idle: %s is lost.",
               name_place(trace, cause, place), cause->note == NOTE_TASKS ? ", in a task of a team or pool" : "",
               name_thread(trace, cause), lost);
  case ACCOUNT_THREADS:
    return say_threads(trace, account, cause, lost);
  case ACCOUNT_COLLECTION:
    if (cause->place != TRACE_NONE)
      return say("Look first at %s: the program asks for garbage collections there, which stop the threads for %s. "
                 "Remove the call, or start the JVM with -XX:+DisableExplicitGC.",
                 name_place(trace, cause, place), lost);
    return say("Look first at garbage collection: it stops the threads for %s. Allocate less, or give the JVM more "
               "memory or another collector.",
               lost);
  case ACCOUNT_FOREVER:
    if (account->stuck != TRACE_NONE)
      return say(
          "Look first at %s: %s waits there forever. When the run was killed, all threads waited, and nobody was "
          "left to end a wait.",
          account->stuck_at == TRACE_NONE ? "a wait" : trace->regions[account->stuck_at].name,
          trace_thread_said(trace, account->stuck));
    return say("Look first at %s: %s waits there forever: nobody is left to end the wait.",
               name_place(trace, cause, place), name_thread(trace, cause));
  default:
    return say("Look first at %s: the runtime takes %s for itself.", name_place(trace, cause, place), lost);
  }
}

char *account_sentence(const struct trace *trace, const struct account *account)
{
  char lost[OF_TIME_SIZE];
  enum account_kind first = account_first(account);
  const struct account_cause *cause = account_first_cause(account);
  if (first == ACCOUNT_KINDS || (!cause && first != ACCOUNT_FOREVER))
    return say_nothing(account);
  return say_cause(trace, account, first, cause, of_time(account, account->ticks[first], lost));
}

char *account_place_sentence(const struct trace *trace, const struct account *account,
                             const struct account_cause *cause, uint64_t ticks)
{
  static const char look[] = "Look first at ";
  char lost[OF_TIME_SIZE], place[PLACE_SIZE];
  const struct account_cause *first = account_first_cause(account);
  of_time(account, ticks, lost);
  /* the number of pieces is known of the largest place */
  bool is_other =
      cause->kind == ACCOUNT_GRAIN && !(first && first->kind == cause->kind && first->place == cause->place);
  char *text = is_other ? say("%s: its pieces are too small: starting them and waiting for them costs %s. Make fewer "
                              "and larger ones.",
                              name_place(trace, cause, place), lost)
                        : say_cause(trace, account, cause->kind, cause, lost);
  if (text && strncmp(text, look, sizeof look - 1) == 0)
    memmove(text, text + sizeof look - 1, strlen(text) - sizeof look + 2);
  return text;
}
