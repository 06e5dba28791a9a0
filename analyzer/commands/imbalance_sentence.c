#include "analyzer/commands/imbalance_sentence.h"

#include "analyzer/imbalance/verdict.h"
#include "analyzer/print/units.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *advice_text(enum imbalance_advice advice)
{
  static const char *const texts[] = {
      [ADVICE_NONE] = "",
      [ADVICE_DYNAMIC] = "; its schedule is static: try schedule(dynamic) or schedule(guided)",
      [ADVICE_SMALLER_CHUNKS] = "; it has few chunks a thread: try a smaller chunk size",
      [ADVICE_LARGER_CHUNKS] = "; its chunks are small: try a larger chunk size or schedule(static)",
      [ADVICE_MERGE] = "; its calls are many and short: try to merge them into one region that lasts longer",
      [ADVICE_FEWER_THREADS] = "; perhaps there are more threads than processors, or they sleep between calls",
      [ADVICE_SINGLE] = "; one thread works in it while the others wait: try nowait, or make its work tasks",
      [ADVICE_SECTIONS] = "; its sections are too few or too different: try to split them, or make them tasks",
  };
  return texts[advice];
}

/* "; the others wait mostly for OpenMP thread 3 (64 % of the waiting)", if that is so. */
static char *slowest_text(const struct trace *trace, const struct imbalance_construct *construct)
{
  char *text = NULL;
  uint64_t all = 0;
  uint32_t slowest = imbalance_slowest(construct, trace->location_count);
  for (uint32_t i = 0; construct->by_thread && i < trace->location_count; i++)
    all += construct->by_thread[i].waited_for;
  if (slowest == TRACE_NONE)
    return strdup("");
  double share = (double)construct->by_thread[slowest].waited_for / (double)all;
  int length;
  if (share >= 0.5)
    length = asprintf(&text, "; the others wait mostly for %s (%.0f %% of the waiting)", trace->locations[slowest].name,
                      100 * share);
  else
    length = asprintf(&text, "; who is slowest changes from call to call");
  return length < 0 ? NULL : text;
}

static const char *duration(const struct trace *trace, double ticks, char text[UNITS_SIZE])
{
  return units_duration((uint64_t)(ticks + 0.5), trace->ticks_per_second, text);
}

/* What percentages are of. */
static const char *whole(const struct imbalance *imbalance)
{
  return imbalance->unmeasured > 0 ? "measured time" : "time";
}

/* Work is what is not known to be anything else. */
static char *worthless(const struct trace *trace, const struct imbalance *imbalance,
                       const struct imbalance_verdict *verdict)
{
  char won[UNITS_SIZE];
  char *text = NULL;
  if (asprintf(&text,
               "There is nothing to win by balancing: even %s, the construct that loses most, loses %s, %.2g %% of all "
               "threads' %s. Waits that are not seen (pthread locks, MPI, input and output) count as work.",
               trace->regions[verdict->region].name, duration(trace, verdict->to_win, won), verdict->percent,
               whole(imbalance)) < 0)
    return NULL;
  return text;
}

static char *by_overhead(const struct trace *trace, const struct imbalance *imbalance,
                         const struct imbalance_verdict *verdict)
{
  const struct imbalance_construct *construct = &imbalance->constructs[verdict->region];
  char won[UNITS_SIZE], spent[UNITS_SIZE], busy[UNITS_SIZE];
  char *text = NULL;
  if (asprintf(&text,
               "Look first at %s: its threads are busy %s on average and spend %s in the runtime, so up to %s (%.1f %% "
               "of all threads' %s) could be won%s.",
               trace->regions[verdict->region].name, duration(trace, fine_total_ticks(construct->busy_mean), busy),
               duration(trace, fine_total_ticks(construct->overhead), spent), duration(trace, verdict->to_win, won),
               verdict->percent, whole(imbalance), advice_text(verdict->advice)) < 0)
    return NULL;
  return text;
}

static char *by_lateness(const struct trace *trace, const struct imbalance *imbalance,
                         const struct imbalance_verdict *verdict)
{
  const struct imbalance_construct *construct = &imbalance->constructs[verdict->region];
  char won[UNITS_SIZE], late[UNITS_SIZE], time[UNITS_SIZE];
  char *text = NULL;
  if (asprintf(&text,
               "Look first at %s: of the %s it takes, %s pass from the fork until its last thread begins, so up to %s "
               "(%.1f %% of all threads' %s) could be won%s.",
               trace->regions[verdict->region].name, units_duration(construct->elapsed, trace->ticks_per_second, time),
               units_duration(construct->late, trace->ticks_per_second, late), duration(trace, verdict->to_win, won),
               verdict->percent, whole(imbalance), advice_text(verdict->advice)) < 0)
    return NULL;
  return text;
}

static char *by_imbalance(const struct trace *trace, const struct imbalance *imbalance,
                          const struct imbalance_verdict *verdict)
{
  const struct imbalance_construct *construct = &imbalance->constructs[verdict->region];
  char won[UNITS_SIZE], most[UNITS_SIZE], busy[UNITS_SIZE];
  char *text = NULL;
  char *slowest = slowest_text(trace, construct);
  if (!slowest ||
      asprintf(&text,
               "Look first at %s: its threads are busy %s on average but the slowest %s, so up to %s "
               "(%.1f %% of all threads' %s) could be won%s%s.",
               trace->regions[verdict->region].name, duration(trace, fine_total_ticks(construct->busy_mean), busy),
               units_duration(construct->busy_max, trace->ticks_per_second, most),
               duration(trace, verdict->to_win, won), verdict->percent, whole(imbalance), slowest,
               advice_text(verdict->advice)) < 0)
    text = NULL;
  free(slowest);
  return text;
}

char *imbalance_sentence(const struct trace *trace, const struct imbalance *imbalance)
{
  struct imbalance_verdict verdict = imbalance_judge(trace, imbalance);
  if (verdict.region == TRACE_NONE)
    return strdup(imbalance->unmeasured > 0
                      ? "There is nothing to balance in what was measured: no construct in it was "
                        "executed by more than one thread."
                      : "There is nothing to balance: no construct that can be seen was executed "
                        "by more than one thread.");
  if (!verdict.worth_it)
    return worthless(trace, imbalance, &verdict);
  if (verdict.cause == CAUSE_LATE)
    return by_lateness(trace, imbalance, &verdict);
  return verdict.cause == CAUSE_OVERHEAD ? by_overhead(trace, imbalance, &verdict)
                                         : by_imbalance(trace, imbalance, &verdict);
}
