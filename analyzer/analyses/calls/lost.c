#include "analyzer/analyses/calls/lost.h"

#include "common/raw/archive_names.h"

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
      {ARCHIVE_SAMPLES_LOST, "not_taken", "that were due, but could not be taken (heddle info has the reasons)"},
      {ARCHIVE_SWITCHES_LOST, "kernel_buffers_full",
       "samples and context switches that did not fit into the kernel's buffers"},
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
