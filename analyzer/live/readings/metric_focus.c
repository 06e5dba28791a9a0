#include "analyzer/live/readings/metric_focus.h"

#include "analyzer/live/profile/states.h"
#include "common/raw/live_control.h"

void live_history_begin(struct live_history *history, uint64_t begin, uint64_t width)
{
  *history = (struct live_history){.begin = begin, .width = width > 0 ? width : 1};
}

void live_history_like(struct live_history *history, const struct live_history *other)
{
  live_history_begin(history, other->begin, other->width);
  history->end = other->end;
  history->used = other->used;
}

static void fold(struct live_history *history)
{
  for (size_t i = 0; i < LIVE_HISTORY_BINS / 2; i++)
    history->bins[i] = history->bins[2 * i] + history->bins[2 * i + 1];
  for (size_t i = LIVE_HISTORY_BINS / 2; i < LIVE_HISTORY_BINS; i++)
    history->bins[i] = 0;
  history->used = (history->used + 1) / 2;
  history->width *= 2;
}

void live_history_add(struct live_history *history, uint64_t from, uint64_t to, uint64_t amount)
{
  from = from > history->begin ? from - history->begin : 0;
  to = to > history->begin ? to - history->begin : 0;
  from = from < to ? from : to > 0 ? to - 1 : 0;
  to = to > from ? to : from + 1;
  while ((to - 1) / history->width >= LIVE_HISTORY_BINS)
    fold(history);
  size_t last = (size_t)((to - 1) / history->width);
  uint64_t given = 0;
  for (size_t bin = (size_t)(from / history->width); bin <= last; bin++) {
    /* All that came up to the bin's end, rounded down, so that the last bin gets what is left. */
    uint64_t end = bin < last ? (bin + 1) * history->width : to;
    uint64_t until = (uint64_t)((unsigned __int128)amount * (end - from) / (to - from));
    history->bins[bin] += until - given;
    given = until;
  }
  history->used = last + 1 > history->used ? last + 1 : history->used;
  history->end = to > history->end ? to : history->end;
}

double live_history_density(const struct live_history *history, size_t bin)
{
  uint64_t begin = bin * history->width;
  if (bin >= history->used || history->end <= begin)
    return 0;
  uint64_t so_far = history->end - begin;
  return (double)history->bins[bin] / (double)(so_far < history->width ? so_far : history->width);
}

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
