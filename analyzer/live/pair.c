#include "analyzer/live/pair.h"

#include "analyzer/profile/waits.h"

const char *live_metric_name(enum live_metric metric)
{
  static const char *const names[LIVE_METRICS] = {
      [LIVE_SELF] = "self time", [LIVE_EXECUTIONS] = "executions", [LIVE_WAITING] = "waiting",
      [LIVE_RUN] = "RUN",        [LIVE_SYNCH] = "SYNCH",           [LIVE_IDLE] = "IDLE"};
  return names[metric];
}

uint64_t live_executions(const struct profile_row *row, bool one_thread)
{
  return row->kind == PROFILE_CONSTRUCT || row->kind == PROFILE_ACQUIRE ? row->executions
         : row->kind == PROFILE_MEMBER && one_thread                    ? row->joined
                                                                        : 0;
}

static wide_total of_row(const struct live_pair *pair, const struct trace *trace, const struct profile_row *row)
{
  if (pair->metric == LIVE_EXECUTIONS)
    return live_executions(row, pair->focus.location != TRACE_NONE);
  return pair->metric == LIVE_SELF ? row->self : profiled_row_wait(trace, row);
}

static bool is_of(enum live_metric metric, enum state state)
{
  return metric == LIVE_RUN    ? state == STATE_RUN
         : metric == LIVE_IDLE ? state == STATE_IDLE
                               : state_is_wait(state) && state != STATE_IDLE;
}

wide_total live_time_in(enum live_metric metric, const struct states_thread *thread)
{
  wide_total sum = 0;
  for (unsigned state = 0; state < STATES; state++)
    sum += is_of(metric, (enum state)state) ? thread->ticks[state] : 0;
  return sum;
}

void live_pair_add(struct live_pair *pair, const struct live_reading *between, const struct states_sums *sums,
                   uint64_t from)
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
  live_history_add(&pair->history, from, between->now, (uint64_t)sum);
  pair->latest = between->now > from ? (double)sum / (double)(between->now - from) : 0;
}
