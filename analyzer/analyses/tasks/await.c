#include "analyzer/analyses/tasks/await.h"

#include "analyzer/trace/definitions.h"
#include "base/count_of.h"
#include "common/raw/archive_names.h"

#include <string.h>

enum await_kind await_kind(const struct trace *trace, const struct trace_event *enter, bool in_join)
{
  static const char *const classes[] = {"java.util.concurrent.FutureTask", "java.util.concurrent.CompletableFuture",
                                        "java.util.concurrent.ForkJoinTask$",
                                        "java.util.concurrent.ExecutorCompletionService$QueueingFuture",
                                        "java.util.concurrent.ScheduledThreadPoolExecutor$ScheduledFutureTask"};
  if (enter->index == TRACE_NONE || !trace_region_begins(&trace->regions[enter->index], REGION_PARK))
    return AWAIT_NOTHING;
  const char *name = trace_attribute_text(trace, enter, trace->object_class);
  for (size_t i = 0; name && i < COUNT_OF(classes); i++)
    if (strncmp(name, classes[i], strlen(classes[i])) == 0)
      return AWAIT_SUBMITTED;
  return in_join ? AWAIT_FORKED : AWAIT_NOTHING;
}
