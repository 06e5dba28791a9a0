#include "analyzer/calls/lost.h"

#include "common/archive_names.h"

#include <stdlib.h>

static uint64_t number_of(const struct trace *trace, const char *name)
{
  const char *text = trace_property(trace, TRACE_OF_ARCHIVE, 0, name);
  return text ? strtoull(text, NULL, 10) : 0;
}

uint64_t calls_lost_find(const struct trace *trace, struct calls_lost lost[CALLS_REASONS])
{
  static const struct {
    const char *property, *key, *reason;
  } reasons[CALLS_REASONS] = {
      {ARCHIVE_SAMPLES_LEFT_OUT, "threads_not_recorded", "of threads that were not recorded"},
      {ARCHIVE_SWITCHES_LOST, "kernel_buffers_full",
       "samples and context switches that did not fit into the kernel's buffers"},
      {ARCHIVE_SAMPLES_BUSY, "in_the_recorder", "while an event was recorded"},
      {ARCHIVE_SAMPLES_LATE, "late", "at once with another one"},
      {ARCHIVE_SAMPLES_OFF, "not_recorded", "while nothing was recorded"},
  };
  uint64_t sum = 0;
  for (unsigned i = 0; i < CALLS_REASONS; i++) {
    lost[i] = (struct calls_lost){reasons[i].key, reasons[i].reason, number_of(trace, reasons[i].property)};
    sum += lost[i].count;
  }
  return sum;
}

uint64_t calls_taken(const struct trace *trace)
{
  return number_of(trace, ARCHIVE_SAMPLES);
}
