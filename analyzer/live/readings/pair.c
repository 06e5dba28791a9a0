#include "analyzer/live/readings/pair.h"

#include "analyzer/live/profile/waits.h"
#include "common/raw/live_control.h"

bool live_pair_counts(const struct live_pair *pair)
{
  return pair->asked ? pair->asked->metric->unit != LIVE_TICKS : pair->metric == LIVE_EXECUTIONS;
}

uint32_t live_pair_needs(const struct live_pair *pair)
{
  return pair->asked ? pair->asked->needs : LIVE_NEED_ALL;
}

static wide_total of_row(const struct live_pair *pair, const struct trace *trace, const struct profile_row *row)
{
  if (pair->metric == LIVE_EXECUTIONS)
    return live_executions(row, pair->focus.location != TRACE_NONE);
  return pair->metric == LIVE_SELF ? row->self : profiled_row_wait(trace, row);
}

static wide_total value_of(const struct live_pair *pair, const struct live_reading *between,
                           const struct states_sums *sums)
{
  const struct live_focus *focus = &pair->focus;
  wide_total sum = 0;
  for (size_t i = 0; pair->metric < LIVE_RUN && i < between->profile.count; i++) {
    const struct profile_row *row = &between->profile.rows[i];
    if (row->region == focus->region && (focus->location == TRACE_NONE || focus->location == row->location))
      sum += of_row(pair, between->trace, row);
  }
  for (uint32_t i = 0; pair->metric >= LIVE_RUN && i < between->location_count; i++)
    if (focus->location == TRACE_NONE || focus->location == i)
      sum += live_time_in(pair->metric, &sums->threads[i]);
  return sum;
}

/* A history has what came, as a whole number: sums of values are rounded, and negative ones are not shown. */
static wide_total asked_total(const struct live_asked *asked, const struct live_reading *between,
                              const struct states_sums *sums)
{
  struct live_amount amount = live_asked_value(asked, between, sums);
  double real = amount.is_real ? amount.real : (double)amount.whole;
  if (asked->metric->unit != LIVE_SUM)
    return amount.total;
  return real >= 0x1p63 ? INT64_MAX : real > 0 ? (wide_total)(real + 0.5) : 0;
}

void live_pair_add(struct live_pair *pair, const struct live_reading *between, const struct states_sums *sums,
                   uint64_t from)
{
  wide_total sum = pair->asked ? asked_total(pair->asked, between, sums) : value_of(pair, between, sums);
  live_history_add(&pair->history, from, between->now, (uint64_t)sum);
  pair->latest = between->now > from ? (double)sum / (double)(between->now - from) : 0;
}
