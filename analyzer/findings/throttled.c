/* Control groups, such as those of containers, that have used up their processor time: all their threads stop. */
#include "analyzer/findings/builder.h"

#include "common/raw/archive_names.h"

#include <stdlib.h>

static double number_of(const struct trace *trace, uint32_t process, const char *name)
{
  const char *text = trace_property(trace, TRACE_OF_PROCESS, process, name);
  double number = text ? strtod(text, NULL) : 0;
  return number > 0 && number < 1e15 ? number : 0;
}

/* Each processor's stops are added up, so no more than the run can be won. Processes of one group say the same. */
bool throttled_add(struct builder *builder)
{
  const struct trace *trace = builder->of->trace;
  double most = 0, limit = 0;
  for (uint32_t process = 0; process < trace->process_count; process++) {
    double throttled = number_of(trace, process, PROCESS_THROTTLED);
    if (throttled <= most)
      continue;
    most = throttled;
    limit = number_of(trace, process, PROCESS_CPU_LIMIT);
  }
  if (most <= 0 || limit <= 0)
    return true;
  double ticks = most * (double)trace->ticks_per_second / 1e6;
  struct finding finding = {FINDING_THROTTLED, TRACE_NONE, TRACE_NONE, ticks < builder->run ? ticks : builder->run,
                            .text = NULL};
  char time[UNITS_SIZE], won[WON_SIZE];
  unsigned long threads = limit >= 1 ? (unsigned long)limit : 1;
  return builder_add(
      builder, &finding,
      "the container: it may use %g processor%s and was throttled for %s, %s; try %lu thread%s, or raise "
      "the limit.",
      limit, limit == 1 ? "" : "s", builder_duration(builder, ticks, time), builder_won(builder, finding.ticks, won),
      threads, threads == 1 ? "" : "s");
}
