#include "analyzer/command/untimed_sentence.h"

#include "analyzer/command/print/units.h"
#include "common/raw/archive_names.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static uint64_t number(const struct trace *trace, const char *property)
{
  const char *value = trace_property(trace, TRACE_OF_ARCHIVE, 0, property);
  return value ? strtoull(value, NULL, 10) : 0;
}

char *untimed_sentence(const struct trace *trace)
{
  uint64_t waits = number(trace, ARCHIVE_SINKS_UNTIMED);
  char most[UNITS_SIZE], *text;
  if (waits == 0)
    return NULL;
  units_duration(number(trace, ARCHIVE_SINKS_AT_MOST), trace->ticks_per_second, most);
  if (asprintf(&text,
               "RUN and busy times contain %" PRIu64
               " waits in ordered depend(sink), of which the runtime tells only the "
               "end: of all threads' time they took at most %s.",
               waits, most) < 0)
    return NULL;
  return text;
}

void untimed_put(const struct analysis_run *run)
{
  char *text = untimed_sentence(run->trace);
  if (text)
    print_sentence(run->print, "untimed_waits", text);
  free(text);
}
