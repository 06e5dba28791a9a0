#include "analyzer/command/started_sentence.h"

#include "common/raw/archive_names.h"

#include <stdio.h>
#include <string.h>

char *started_sentence(const struct trace *trace)
{
  static const char why[] = "it began paused (--paused), and neither heddle_start(), "
                            "omp_control_tool(omp_control_tool_start, ...) nor `heddle start PID` was called";
  uint32_t count = 0, first = 0;
  for (uint32_t i = 0; i < trace->process_count; i++) {
    const char *recording = trace_property(trace, TRACE_OF_PROCESS, i, PROCESS_RECORDING);
    if (!recording || strcmp(recording, VALUE_RECORDING_NEVER) != 0)
      continue;
    first = count++ == 0 ? i : first;
  }
  char *text = NULL;
  int size = -1;
  if (count > 0 && count == trace->process_count)
    size = asprintf(&text, "recording was never started: %s", why);
  else if (count > 1)
    size = asprintf(&text, "recording was never started in %s and %u other processes: %s", trace->processes[first].name,
                    count - 1, why);
  else if (count > 0)
    size = asprintf(&text, "recording was never started in %s: %s", trace->processes[first].name, why);
  return size < 0 ? NULL : text;
}
