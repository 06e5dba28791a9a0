#include "analyzer/live/readings/metric.h"

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
