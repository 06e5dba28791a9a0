#include "analyzer/command/unmeasured_sentence.h"

#include "analyzer/command/print/print.h"
#include "analyzer/command/print/units.h"

#include <stdio.h>
#include <stdlib.h>

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

bool unmeasured_put(struct print *print, const struct trace *trace, wide_total unmeasured, wide_total all)
{
  if (unmeasured == 0)
    return true;
  char *sentence = unmeasured_sentence(trace, unmeasured, all);
  if (sentence)
    print_sentence(print, "unmeasured", sentence);
  free(sentence);
  return sentence != NULL;
}
