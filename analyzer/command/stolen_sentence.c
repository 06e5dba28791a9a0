#include "analyzer/command/stolen_sentence.h"

#include "common/raw/archive_names.h"

#include <stdio.h>
#include <stdlib.h>

#define WORTH 1.0 /* percent, as with findings */

char *stolen_sentence(const struct trace *trace)
{
  double most = 0;
  for (uint32_t i = 0; i < trace->process_count; i++) {
    const char *text = trace_property(trace, TRACE_OF_PROCESS, i, PROCESS_STOLEN);
    double percent = text ? strtod(text, NULL) : 0;
    if (percent > most && percent <= 100)
      most = percent;
  }
  char *sentence;
  if (most < WORTH ||
      asprintf(
          &sentence,
          "The hypervisor took %.1f %% of this machine's processor time meanwhile: a thread that it stops looks slow, "
          "and others wait for it. Compare with a run while the host has less to do.",
          most) < 0)
    return NULL;
  return sentence;
}

void stolen_put(struct print *print, const struct trace *trace)
{
  char *sentence = stolen_sentence(trace);
  if (sentence)
    print_sentence(print, "stolen", sentence);
  free(sentence);
}
