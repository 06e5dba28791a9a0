#include "analyzer/analyses/imbalance/imbalance.h"

#include "analyzer/trace/definitions.h"
#include "common/raw/archive_names.h"

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
