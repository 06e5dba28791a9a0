#include "analyzer/findings/builder.h"

#include "common/archive_names.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

const char *builder_duration(const struct builder *builder, double ticks, char text[UNITS_SIZE])
{
  return units_duration((uint64_t)(ticks + 0.5), builder->of->trace->ticks_per_second, text);
}

static double percent(const struct builder *builder, double ticks)
{
  double run = builder->run;
  double part = run > 0 ? 100 * ticks / run : 0;
  return part < 100 ? part : 100;
}

const char *builder_won(const struct builder *builder, double ticks, char text[WON_SIZE])
{
  char won[UNITS_SIZE];
  const char *whole = builder->of->imbalance->unmeasured > 0 ? "the measured part of the run" : "the run";
  snprintf(text, WON_SIZE, "so up to %s (%.1f %% of %s) could be won", builder_duration(builder, ticks, won),
           percent(builder, ticks), whole);
  return text;
}

const char *builder_region_name(const struct builder *builder, uint32_t region)
{
  return builder->of->trace->regions[region].name;
}

uint64_t builder_processors(const struct builder *builder, uint32_t location)
{
  const struct trace *trace = builder->of->trace;
  uint32_t process = location == TRACE_NONE ? TRACE_NONE : trace->locations[location].process;
  const char *text =
      process == TRACE_NONE ? NULL : trace_property(trace, TRACE_OF_PROCESS, process, PROCESS_PROCESSORS);
  return text ? strtoull(text, NULL, 10) : 0;
}

const struct schedule_loop *builder_loop(const struct builder *builder, uint32_t region)
{
  const struct schedules *schedules = builder->of->schedules;
  for (uint32_t i = 0; i < schedules->count; i++)
    if (schedules->loops[i].region == region)
      return &schedules->loops[i];
  return NULL;
}

bool builder_add(struct builder *builder, const struct finding *finding, const char *format, ...)
{
  if (!(finding->ticks > 0))
    return true;
  struct finding added = *finding;
  added.percent = percent(builder, finding->ticks);
  va_list list;
  va_start(list, format);
  int length = vasprintf(&added.text, format, list);
  va_end(list);
  if (length < 0)
    return false;
  if (vector_push(&builder->list, added))
    return true;
  free(added.text);
  return false;
}
