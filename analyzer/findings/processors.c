/* Threads that would have worked, but had no processor: blocked in the kernel, or waiting for one. */
#include "analyzer/findings/builder.h"

#include <inttypes.h>
#include <stdio.h>

/* What one construct's threads lack. */
struct processors_lack {
  uint32_t construct;
  size_t begin, end; /* its rows */
  uint64_t worst;    /* ticks of the thread with the most */
  uint32_t location; /* that one */
  uint64_t all;      /* of all threads */
  uint64_t reason_ticks;
  uint32_t reason; /* with the most of that thread's */
};

/* The end of the rows of one construct that begin there. */
static size_t construct_end(const struct processors *processors, size_t begin)
{
  size_t end = begin;
  while (end < processors->rows.count &&
         processors->rows.items[end].construct == processors->rows.items[begin].construct)
    end++;
  return end;
}

static struct processors_lack lack_of(const struct builder *builder, size_t begin, size_t end, bool ready)
{
  const struct processors *processors = builder->of->processors;
  struct processors_lack lack = {
      .construct = processors->rows.items[begin].construct, .begin = begin, .end = end, .location = TRACE_NONE};
  for (size_t i = begin; i < end;) {
    const struct processors_row *rows = processors->rows.items;
    uint32_t location = rows[i].location, reason = TRACE_NONE;
    uint64_t own = 0, most = 0;
    for (; i < end && rows[i].location == location; i++) {
      if (rows[i].ready != ready)
        continue;
      own += rows[i].ticks;
      if (rows[i].ticks > most) {
        most = rows[i].ticks;
        reason = rows[i].reason;
      }
    }
    if (!trace_is_program_thread(builder->of->trace, location))
      continue;
    lack.all += own;
    if (own <= lack.worst)
      continue;
    lack.worst = own;
    lack.location = location;
    lack.reason = reason;
    lack.reason_ticks = most;
  }
  return lack;
}

/* Ticks of the run that the construct could be shorter: of teams side by side one counts. */
static double won_of(const struct builder *builder, const struct processors_lack *lack)
{
  const struct imbalance *imbalance = builder->of->imbalance;
  if (lack->construct == TRACE_NONE || imbalance->constructs[lack->construct].calls == 0)
    return (double)lack->worst;
  return (double)lack->worst *
         imbalance_side_by_side(&imbalance->constructs[lack->construct], builder->of->trace->location_count);
}

static const char *processors_place_of(const struct builder *builder, const struct processors_lack *lack)
{
  if (lack->construct != TRACE_NONE)
    return builder_region_name(builder, lack->construct);
  return awaited_exist(builder->of->trace) ? "the program" : "the serial part";
}

/* Sums do not show what the thread waited for. */
static bool add_sum(struct builder *builder, const struct finding *finding, const struct processors_lack *lack)
{
  char off[UNITS_SIZE];
  return builder_add(builder, finding, "%s: %s was off the processor for %s in it, %s%s.",
                     processors_place_of(builder, lack), trace_thread_said(builder->of->trace, lack->location),
                     builder_duration(builder, (double)lack->worst, off), BUILDER_WON,
                     lack->construct == TRACE_NONE ? "" : "; another schedule does not help");
}

static bool add_off(struct builder *builder, const struct processors_lack *lack)
{
  const struct trace *trace = builder->of->trace;
  struct finding finding = {FINDING_OFF, lack->construct, lack->location, won_of(builder, lack), .text = NULL};
  char off[UNITS_SIZE], most[UNITS_SIZE];
  if (lack->reason == TRACE_NONE)
    return add_sum(builder, &finding, lack);
  return builder_add(builder, &finding, "%s: %s was off the processor for %s in it, %s of that %s, %s%s.",
                     processors_place_of(builder, lack), trace_thread_said(trace, lack->location),
                     builder_duration(builder, (double)lack->worst, off),
                     builder_duration(builder, (double)lack->reason_ticks, most),
                     builder_region_name(builder, lack->reason), BUILDER_WON,
                     lack->construct == TRACE_NONE ? "" : "; another schedule does not help");
}

static const char *plural(uint64_t count)
{
  return count == 1 ? "" : "s";
}

#define ONE_PART 0.7 /* of what all threads lack: from it on, one of them lacks it */

/* Why threads waited for processors, and what to do. */
static enum finding_cause say_why(const struct builder *builder, const struct processors_lack *lack, char *why,
                                  size_t size)
{
  uint64_t processors = builder_processors(builder, lack->location);
  uint32_t team = lack->construct == TRACE_NONE ? 1 : builder->of->imbalance->constructs[lack->construct].threads;
  uint32_t bound, threads = bound_threads(builder->of, lack->begin, lack->end, &bound);
  if (bound > 0 && threads > bound && (processors == 0 || bound < processors)) {
    snprintf(why, size,
             "%" PRIu32 " threads are bound to %" PRIu32 " processor%s (OMP_PLACES, OMP_PROC_BIND): give each thread a "
             "processor of its own, or try %" PRIu32 " thread%s",
             threads, bound, plural(bound), bound, plural(bound));
    return CAUSE_BOUND;
  }
  if (processors > 0 && team > processors) {
    snprintf(why, size, "its %" PRIu32 " threads share %" PRIu64 " processor%s: try %" PRIu64 " thread%s", team,
             processors, plural(processors), processors, plural(processors));
    return CAUSE_CROWD;
  }
  snprintf(why, size, "other threads or programs had the processors");
  return team > 1 && (double)lack->worst >= ONE_PART * (double)lack->all ? CAUSE_ONE : CAUSE_OTHERS;
}

static bool add_ready(struct builder *builder, const struct processors_lack *lack)
{
  const struct trace *trace = builder->of->trace;
  struct finding finding = {FINDING_READY, lack->construct, lack->location, won_of(builder, lack), .text = NULL};
  char ready[UNITS_SIZE], why[192];
  finding.cause = say_why(builder, lack, why, sizeof why);
  return builder_add(builder, &finding, "%s: %s waited for a processor for %s in it, %s; %s.",
                     processors_place_of(builder, lack), trace_thread_said(trace, lack->location),
                     builder_duration(builder, (double)lack->worst, ready), BUILDER_WON, why);
}

/*
 * Outside of constructs only what the thread does that forks teams: others wait there for work, or are not OpenMP's.
 * Threads of Java without teams are as good as each other; whether they are blocked is awaited.h's.
 */
static bool is_of_interest(const struct builder *builder, const struct processors_lack *lack, bool ready)
{
  return lack->worst > 0 && (lack->construct != TRACE_NONE || (ready && awaited_exist(builder->of->trace)) ||
                             builder->of->trace->locations[lack->location].type == TRACE_THREAD_INITIAL);
}

bool processors_add(struct builder *builder)
{
  const struct processors *processors = builder->of->processors;
  bool good = true;
  for (size_t begin = 0, end; good && begin < processors->rows.count; begin = end) {
    end = construct_end(processors, begin);
    struct processors_lack off = lack_of(builder, begin, end, false), ready = lack_of(builder, begin, end, true);
    good = (!is_of_interest(builder, &off, false) || add_off(builder, &off)) &&
           (!is_of_interest(builder, &ready, true) || add_ready(builder, &ready));
  }
  return good;
}

/* The rows of a region, from *begin to before the end, which is returned; both are the same: there are none. */
static size_t rows_of(const struct processors *processors, uint32_t region, size_t *begin)
{
  const struct processors_row *rows = processors->rows.items;
  size_t behind = processors->rows.count;
  *begin = 0;
  while (*begin < behind) { /* rows are sorted */
    size_t middle = *begin + (behind - *begin) / 2;
    if (rows[middle].construct < region)
      *begin = middle + 1;
    else
      behind = middle;
  }
  bool found = *begin < processors->rows.count && rows[*begin].construct == region;
  return found ? construct_end(processors, *begin) : *begin;
}

double processors_uneven(const struct builder *builder, uint32_t region, uint32_t threads)
{
  const struct processors *processors = builder->of->processors;
  size_t begin, end = rows_of(processors, region, &begin);
  if (begin == end || threads == 0 || !processors->known)
    return 0;
  struct processors_lack off = lack_of(builder, begin, end, false), ready = lack_of(builder, begin, end, true);
  return (double)off.worst - (double)off.all / threads + (double)ready.worst - (double)ready.all / threads;
}

double processors_read(const struct builder *builder, uint32_t region, uint32_t location)
{
  const struct processors *processors = builder->of->processors;
  double ticks = 0;
  if (processors->known)
    return 0;
  for (size_t i, end = rows_of(processors, region, &i); i < end; i++)
    if (processors->rows.items[i].location == location)
      ticks += (double)processors->rows.items[i].ticks;
  return ticks;
}

double processors_explain(const struct builder *builder, uint32_t region)
{
  const struct imbalance_construct *construct = &builder->of->imbalance->constructs[region];
  double threads = 0, busy_all = 0, busy_most = 0, on_all = 0, on_most = 0;
  size_t at, end = rows_of(builder->of->processors, region, &at);
  if (at == end || builder->of->processors->known)
    return 0;
  for (uint32_t i = 0; construct->by_thread && i < builder->of->trace->location_count; i++) {
    double busy = (double)construct->by_thread[i].busy, on = busy;
    for (; at < end && builder->of->processors->rows.items[at].location <= i; at++)
      on -= (double)builder->of->processors->rows.items[at].ticks;
    on = on > 0 ? on : 0;
    threads += construct->by_thread[i].calls > 0;
    busy_all += busy;
    busy_most = busy > busy_most ? busy : busy_most;
    on_all += on;
    on_most = on > on_most ? on : on_most;
  }
  double explained = threads > 0 ? busy_most - busy_all / threads - (on_most - on_all / threads) : 0;
  return explained > 0 ? explained : 0;
}
