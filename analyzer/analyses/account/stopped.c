#include "analyzer/analyses/account/stopped.h"

#define FILLS 0.8 /* of what the limit allows: so much work leaves no room for other reasons */
#define FILLS_UNKNOWN                                                                                                  \
  0.5 /* the same, if nothing says how long the group was stopped; threads that spin use it, too                       \
       */

uint64_t account_stopped(const struct trace *trace, const struct account *account, struct cpu_limit *group)
{
  if (!trace_cpu_limit(trace, group) || (group->told && group->stopped <= 0))
    return 0;
  double lacked = (double)account->ticks[ACCOUNT_PROCESSORS], work = (double)account->ticks[ACCOUNT_WORK];
  double fills = group->told ? FILLS : FILLS_UNKNOWN;
  if (group->processors < account->processors && work >= fills * group->processors * (double)account->duration)
    return (uint64_t)account->ticks[ACCOUNT_PROCESSORS];
  return (uint64_t)(group->stopped < lacked ? group->stopped : lacked);
}
