#include "analyzer/record/record_warn.h"

#include "analyzer/command/command.h"
#include "analyzer/command/started_sentence.h"
#include "analyzer/findings/sentences.h"

#include <stdlib.h>

static void record_warn_say(const char *command, char *sentence)
{
  if (sentence)
    command_error(command, "%s", sentence);
  free(sentence);
}

void record_warn(const char *command, const char *path)
{
  struct error error = {0};
  struct trace *trace = trace_open(path, &error);
  struct overhead overhead;
  if (trace)
    record_warn_say(command, started_sentence(trace));
  if (trace && overhead_estimate(trace, &overhead, &error) && overhead_is_too_much(&overhead))
    record_warn_say(command, overhead_sentence(trace, &overhead));
  trace_close(trace);
}
