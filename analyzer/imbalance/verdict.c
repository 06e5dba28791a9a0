#include "analyzer/imbalance/verdict.h"

#include "analyzer/trace/region.h"
#include "common/archive_names.h"

#define WORTH_PERCENT   1.0  /* of all threads' time: below it nobody should bother */
#define EXPLAINS        0.5  /* a construct that accounts for this part of a region's loss is named instead of it */
#define UNEVEN_PERCENT  5.0  /* imbalance percentage from which a loop's schedule is to blame */
#define FEW_CHUNKS      8    /* a thread and call: fewer cannot even out much */
#define SHORT_REGION_US 50.0 /* a region shorter than this is dominated by starting it ... */
#define MANY_CALLS      100  /* ... if that happens often */

enum imbalance_schedule imbalance_schedule(const struct trace_region *region)
{
  if (!trace_region_fact(region, FACT_SCHEDULE))
    return SCHEDULE_NONE;
  return trace_region_says(region, FACT_SCHEDULE, VALUE_SCHEDULE_STATIC)    ? SCHEDULE_STATIC
         : trace_region_says(region, FACT_SCHEDULE, VALUE_SCHEDULE_DYNAMIC) ? SCHEDULE_DYNAMIC
         : trace_region_says(region, FACT_SCHEDULE, VALUE_SCHEDULE_GUIDED)  ? SCHEDULE_GUIDED
                                                                            : SCHEDULE_OTHER;
}

const char *imbalance_schedule_name(enum imbalance_schedule schedule)
{
  static const char *const names[] = {NULL, "static", "dynamic", "guided", "other"};
  return names[schedule];
}

static enum imbalance_advice advise_loop(const struct trace_region *region, const struct imbalance_construct *construct,
                                         enum imbalance_cause cause)
{
  enum imbalance_schedule schedule = imbalance_schedule(region);
  double chunks = (double)construct->chunks / ((double)construct->calls * imbalance_team(construct));
  if (cause == CAUSE_OVERHEAD)
    return schedule == SCHEDULE_DYNAMIC && chunks >= FEW_CHUNKS ? ADVICE_LARGER_CHUNKS : ADVICE_NONE;
  if (imbalance_percent(construct) < UNEVEN_PERCENT)
    return ADVICE_NONE;
  if (schedule == SCHEDULE_STATIC)
    return ADVICE_DYNAMIC;
  bool shared_out = schedule == SCHEDULE_DYNAMIC || schedule == SCHEDULE_GUIDED;
  bool coarse = construct->chunks < construct->iterations && chunks < FEW_CHUNKS;
  return shared_out && construct->chunks > 0 && coarse ? ADVICE_SMALLER_CHUNKS : ADVICE_NONE;
}

static enum imbalance_advice advise(const struct trace *trace, const struct imbalance_construct *construct,
                                    const struct trace_region *region, enum imbalance_cause cause)
{
  double mean_us = 1e6 * (double)construct->elapsed / (double)construct->calls / (double)trace->ticks_per_second;
  switch (region->role) {
  case OTF2_REGION_ROLE_LOOP:
    return advise_loop(region, construct, cause);
  case OTF2_REGION_ROLE_SINGLE:
    return cause != CAUSE_IMBALANCE ? ADVICE_NONE : ADVICE_SINGLE;
  case OTF2_REGION_ROLE_SECTIONS:
    return cause != CAUSE_IMBALANCE ? ADVICE_NONE : ADVICE_SECTIONS;
  case OTF2_REGION_ROLE_PARALLEL:
    if (cause == CAUSE_IMBALANCE)
      return ADVICE_NONE;
    if (mean_us < SHORT_REGION_US && construct->calls >= MANY_CALLS)
      return ADVICE_MERGE;
    return cause == CAUSE_LATE ? ADVICE_FEWER_THREADS : ADVICE_NONE;
  default:
    return ADVICE_NONE;
  }
}

/* The construct with most to win; `inside`: of those in that region only, unless it is TRACE_NONE. */
static uint32_t find_best(const struct imbalance *imbalance, uint32_t inside)
{
  uint32_t best = TRACE_NONE;
  for (uint32_t i = 0; i < imbalance->count; i++) {
    const struct imbalance_construct *construct = &imbalance->constructs[i];
    if (construct->calls == 0 || construct->threads < 2 || (inside != TRACE_NONE && construct->parallel != inside))
      continue;
    if (best == TRACE_NONE || construct->to_win.parts > imbalance->constructs[best].to_win.parts)
      best = i;
  }
  return best;
}

static enum imbalance_cause cause_of(const struct imbalance_construct *construct)
{
  double late = (double)construct->late, lost = fine_total_ticks(construct->lost),
         overhead = fine_total_ticks(construct->overhead);
  if (late > lost && late > overhead)
    return CAUSE_LATE;
  return overhead > lost ? CAUSE_OVERHEAD : CAUSE_IMBALANCE;
}

struct imbalance_verdict imbalance_judge(const struct trace *trace, const struct imbalance *imbalance)
{
  struct imbalance_verdict verdict = {.region = find_best(imbalance, TRACE_NONE)};
  if (verdict.region == TRACE_NONE)
    return verdict;
  const struct imbalance_construct *constructs = imbalance->constructs;
  if (trace->regions[verdict.region].role == OTF2_REGION_ROLE_PARALLEL) {
    uint32_t inner = find_best(imbalance, verdict.region);
    if (inner != TRACE_NONE &&
        fine_total_ticks(constructs[inner].to_win) >= EXPLAINS * fine_total_ticks(constructs[verdict.region].to_win))
      verdict.region = inner;
  }
  const struct imbalance_construct *construct = &constructs[verdict.region];
  verdict.to_win = fine_total_ticks(construct->to_win);
  verdict.percent = imbalance_to_win_percent(imbalance, construct);
  verdict.worth_it = verdict.percent >= WORTH_PERCENT;
  verdict.cause = cause_of(construct);
  if (verdict.worth_it)
    verdict.advice = advise(trace, construct, &trace->regions[verdict.region], verdict.cause);
  return verdict;
}
