#include "analyzer/commands/unmeasured_sentence.h"

#include "analyzer/print/print.h"
#include "analyzer/print/units.h"

#include <stdio.h>

char *unmeasured_sentence(const struct trace *trace, wide_total unmeasured, wide_total all)
{
  char missing[UNITS_SIZE], whole[UNITS_SIZE];
  char *text;
  int size = asprintf(&text,
                      "Not measured: %s (%.1f %%) of the %s that all threads lived. Other percentages are of what was "
                      "measured.",
                      units_duration(unmeasured, trace->ticks_per_second, missing), print_percentage(unmeasured, all),
                      units_duration(all, trace->ticks_per_second, whole));
  return size < 0 ? NULL : text;
}
