#include "analyzer/analyses/account/sentence.h"

#include "analyzer/analyses/account/stopped.h"
#include "analyzer/trace/bound_to.h"
#include "common/raw/archive_names.h"

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
  const char *name = cause->lock && !cause->lock_class ? trace_lock_name(trace, cause->lock - 1) : NULL;
  return name ? name : cause->lock_class;
}

/* "mutex m at pthread mutex @a.c:3", or the construct alone. */
static void name_account_lock(const struct trace *trace, const struct account_cause *cause, char text[PLACE_SIZE])
{
  char place[PLACE_SIZE];
  const char *at = name_place(trace, cause, place), *name = account_lock_name(trace, cause);
  bool mutex = cause->place != TRACE_NONE && trace->regions[cause->place].paradigm == OTF2_PARADIGM_PTHREAD;
  if (name)
    snprintf(text, PLACE_SIZE, "%s%s (%s)",
             mutex && strncmp(at, "pthread mutex", 13) == 0 && strncmp(name, "mutex ", 6) != 0 ? "mutex " : "", name,
             at);
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
  char whose[ACCOUNT_WHOSE_SIZE];
  snprintf(text, OF_TIME_SIZE, "%.1f %% of the time of %s", account_percent(account, ticks),
           account_whose(account, whose));
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
  return say(
      "Look first at the spin loop in %s (%s): threads spin until another thread releases a lock or sets a flag: "
      "about %s is lost. Do less until then, or use more locks.",
      code, at, lost);
}

/* What shares work out better at the barrier that a cause is at. */
static const char *advise_even(const struct trace *trace, uint32_t barrier)
{
  const char *advice = "use smaller pieces, or a schedule that shares them out by need: schedule(dynamic)";
  if (barrier == TRACE_NONE || trace->regions[barrier].paradigm != OTF2_PARADIGM_OPENMP)
    return "give all threads the same amount of work, or let each fetch the next small piece";
  if (trace->regions[barrier].role == OTF2_REGION_ROLE_BARRIER)
    return "give all threads the same amount of work from each barrier to the next one";
  for (uint32_t i = 0; i < trace->region_count; i++) {
    const struct trace_region *beside = &trace->regions[i];
    if (beside->line == 0 || beside->line != trace->regions[barrier].line ||
        strcmp(beside->file, trace->regions[barrier].file) != 0)
      continue;
    if (beside->role == OTF2_REGION_ROLE_SECTIONS)
      return "split the longest section into several ones";
    if (trace_region_says(beside, FACT_SCHEDULE, VALUE_SCHEDULE_DYNAMIC) ||
        trace_region_says(beside, FACT_SCHEDULE, VALUE_SCHEDULE_GUIDED))
      advice = "its schedule is by need already: use smaller chunks, with the longest ones first";
  }
  return advice;
}

static char *say_imbalance(const struct trace *trace, const struct account_cause *cause, const char *lost)
{
  char place[PLACE_SIZE];
  if (cause->note == NOTE_JOIN)
    return say("Look first at how work is shared out: some threads have more than others, which end early and leave "
               "their processors idle: %s is lost. %s has the most; give all threads the same amount.",
               lost, name_thread(trace, cause));
  return say("Look first at %s: threads wait there because their work is uneven: %s is lost. %s works longest; %s.",
             name_place(trace, cause, place), lost, name_thread(trace, cause), advise_even(trace, cause->place));
}

/* A look at the thread knows the call of the library that blocks, and who calls it. */
static char *say_blocked(const struct trace *trace, const struct account_cause *cause, const char *lost)
{
  char place[PLACE_SIZE], code[PLACE_SIZE], call[2 * PLACE_SIZE] = "";
  const char *at = name_place(trace, cause, place), *who = name_thread(trace, cause);
  const char *in = cause->note == NOTE_TASKS ? ", in a task of a team or pool" : "";
  if (cause->library && say_code(cause, code))
    snprintf(call, sizeof call, "%s(), which %s calls", cause->library, code);
  bool both = *call && cause->place != TRACE_NONE;
  const char *lock = account_lock_name(trace, cause);
  return say("Look first at %s%s%s%s%s: %s sleeps, or is blocked in the kernel, while %s%s%s: %s is lost.", call,
             both ? " (" : "", *call && !both ? "" : at, both ? ")" : "", in, who,
             lock ? "others wait for " : "processors are idle", lock ? lock : "", lock ? ", which it holds" : "", lost);
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
  if (cause->note == NOTE_MEETING)
    return say("Look first at %s: there is too little work between its %llu executions, %.2f us: they cost %s. Do more "
               "from one to the next, or remove them (nowait).",
               name_place(trace, cause, place), (unsigned long long)account->executions, us, lost);
  return say("Look first at %s: its pieces are too small, %llu %s of %.2f us: starting them and waiting for them costs "
             "%s. Make fewer and larger ones.",
             name_place(trace, cause, place), (unsigned long long)account->executions,
             cause->note == NOTE_TASKS  ? "tasks"
             : cause->note == NOTE_JOIN ? "threads"
                                        : "executions",
             us, lost);
}

/* Threads that are all bound to the same few processors: their number; 0: they are not, or there are no more. */
static unsigned count_bound(const struct trace *trace, const struct account *account, unsigned *processors)
{
  unsigned threads = 0;
  cpu_set_t all, own;
  CPU_ZERO(&all);
  for (uint32_t i = 0; i < trace->location_count; i++) {
    if (!trace_bound_to(trace, i, &own))
      continue;
    CPU_OR(&all, &all, &own);
    threads++;
  }
  *processors = (unsigned)CPU_COUNT(&all);
  return threads > *processors && *processors < account->usable ? threads : 0;
}

static char *say_processors(const struct trace *trace, const struct account *account, const struct account_cause *cause,
                            const char *lost)
{
  char place[PLACE_SIZE];
  const char *at = name_place(trace, cause, place);
  unsigned bound_to, bound = count_bound(trace, account, &bound_to);
  if (bound > 0)
    return say(
        "Look first at where threads may run: %u are bound to %u of %u processors, which they share: %s is lost, "
        "mostly at %s. Give each thread a processor of its own (OMP_PLACES, OMP_PROC_BIND, taskset; ranks: mpiexec "
        "--bind-to none).",
        bound, bound_to, account->usable, lost, at);
  if (account->crowded && !account->selected)
    return say(
        "Look first at the number of threads: up to %u share %u processor%s. Threads that others wait for have no "
        "processor, mostly at %s: %s is lost. Use %u thread%s.",
        account->most, account->processors, account->processors == 1 ? "" : "s", at, lost, account->processors,
        account->processors == 1 ? "" : "s");
  uint32_t usable = account->usable ? account->usable : account->processors;
  return say("Threads wait for a processor, mostly at %s: %s is lost to other programs, limits or binding. At most %u "
             "thread%s had something to do on %u processor%s.",
             at, lost, account->most, account->most == 1 ? "" : "s", usable, usable == 1 ? "" : "s");
}

static char *say_limit(const struct trace *trace, const struct account *account, const struct cpu_limit *group,
                       const struct account_cause *cause, const char *lost)
{
  char place[PLACE_SIZE], advice[64] = "";
  const char *at = name_place(trace, cause, place), *plural = group->processors == 1 ? "" : "s";
  unsigned threads = group->processors >= 1 ? (unsigned)group->processors : 1;
  if (threads < account->most)
    snprintf(advice, sizeof advice, ", or use %u thread%s", threads, threads == 1 ? "" : "s");
  if (!group->told)
    return say("Look first at the limit of the control group, as of a container: it may use %g processor%s at a time. "
               "Threads wait for a processor, mostly at %s: %s is lost. How long the limit stopped them is not known, "
               "as the program did not end by itself. Raise the limit%s.",
               group->processors, plural, at, lost, advice);
  return say("Look first at the limit of the control group, as of a container: it may use %g processor%s at a time. It "
             "was stopped for %.3g s of processor time: %s is lost, mostly at %s. Raise the limit%s.",
             group->processors, plural, group->stopped / (double)trace->ticks_per_second, lost, at, advice);
}

static char *say_threads(const struct trace *trace, const struct account *account, const struct account_cause *cause,
                         const char *lost)
{
  char place[PLACE_SIZE];
  if (cause->note == NOTE_TASKS)
    return say(
        "Look first at %s: the pool has one thread, and other processors are idle: %s is lost. Give the pool more "
        "threads.",
        name_place(trace, cause, place), lost);
  if (account->most <= 1 && !account->selected)
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
  if (account->most > account->processors && !account->selected)
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
    if (cause->note == NOTE_TASKS)
      return say("Look first at %s: one task runs while other threads of the pool have none: %s is lost. Make more and "
                 "smaller tasks, and start the longest one first.",
                 name_place(trace, cause, place), lost);
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
    return say_blocked(trace, cause, lost);
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
    if (cause->note == NOTE_TASKS)
      return say("Look first at %s: tasks are ready there, but threads that wait do not take them: %s is lost. Wait "
                 "where all threads execute tasks, as at a barrier, or try another runtime.",
                 name_place(trace, cause, place), lost);
    return say("Look first at %s: the runtime takes %s for itself.%s", name_place(trace, cause, place), lost,
               cause->note == NOTE_CHUNKS   ? " Hand out larger chunks: schedule(dynamic, N), or schedule(static)."
               : cause->note == NOTE_MAKING ? " Make fewer and larger tasks."
               : cause->note == NOTE_LOCKS  ? " Hardly anybody waits for it: acquire it less often, for more at a time."
                                            : "");
  }
}

/* Where others take the processors, the next kind is what the program itself can change. Takes `text`. */
static char *add_own(const struct trace *trace, const struct account *account, char *text)
{
  unsigned bound_to;
  bool others = account->selected || !account->crowded;
  enum account_kind next = account_first_but(account, ACCOUNT_PROCESSORS);
  const struct account_cause *cause = next < ACCOUNT_KINDS ? account_largest_cause(account, next) : NULL;
  if (!text || !cause || next == ACCOUNT_THREADS || !others || count_bound(trace, account, &bound_to) > 0)
    return text;
  char *own = account_place_sentence(trace, account, cause, (uint64_t)account->ticks[next]);
  char *both = own ? say("%s In the program itself, look at %s", text, own) : NULL;
  free(own);
  free(text);
  return both;
}

char *account_sentence(const struct trace *trace, const struct account *account)
{
  char lost[OF_TIME_SIZE];
  enum account_kind first = account_first(account);
  const struct account_cause *cause = account_first_cause(account);
  struct cpu_limit group;
  if (first == ACCOUNT_KINDS || (!cause && first != ACCOUNT_FOREVER))
    return say_nothing(account);
  of_time(account, account->ticks[first], lost);
  if (first == ACCOUNT_PROCESSORS && 2 * account_stopped(trace, account, &group) >= account->ticks[first])
    return say_limit(trace, account, &group, cause, lost);
  char *text = say_cause(trace, account, first, cause, lost);
  return first == ACCOUNT_PROCESSORS ? add_own(trace, account, text) : text;
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
