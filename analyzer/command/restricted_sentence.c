#include "analyzer/command/restricted_sentence.h"

#include "analyzer/command/print/units.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_SIZE = 400 };

char *restricted_sentence(const struct trace *trace)
{
  const struct trace_restriction *restriction = &trace->restriction;
  char from[UNITS_SIZE], to[UNITS_SIZE], time[3 * UNITS_SIZE] = "the whole run", threads[64] = "";
  uint64_t begin = restriction->from > trace->first_tick ? restriction->from - trace->first_tick : 0;
  uint64_t end = restriction->to < UINT64_MAX ? restriction->to - trace->first_tick : trace->length;
  if (restriction->timed)
    snprintf(time, sizeof time, "the run from %s to %s", units_duration(begin, trace->ticks_per_second, from),
             units_duration(end, trace->ticks_per_second, to));
  uint32_t count = 0;
  for (uint32_t i = 0; i < trace->location_count; i++)
    count += !trace->locations[i].left_out;
  if (restriction->locations)
    snprintf(threads, sizeof threads, ", and %" PRIu32 " of its %" PRIu32 " threads", count, trace->location_count);
  char *text = NULL;
  return asprintf(&text, "Only a part was analyzed: %s%s.", time, threads) < 0 ? NULL : text;
}

static void restricted_sentence_put(const struct analysis_run *run, const char *key, uint64_t number, const char *text)
{
  if (!trace_is_restricted(run->trace))
    return;
  if (run->format == PRINT_JSON)
    print_fact(run->print, key, "", PRINT_COUNT, print_number(number));
  else if (number > 0)
    print_sentence(run->print, key, text);
}

void restricted_put_executions(const struct analysis_run *run, uint64_t left_out)
{
  char text[TEXT_SIZE];
  snprintf(
      text, sizeof text,
      "Executions of constructs that are not counted, because they are only partly inside of the analyzed time and "
      "threads: %" PRIu64 ".",
      left_out);
  restricted_sentence_put(run, "left_out", left_out, text);
}

void restricted_put_requests(const struct analysis_run *run, uint64_t open)
{
  char text[TEXT_SIZE];
  snprintf(text, sizeof text,
           "Waits that are not counted, because the analyzed time ends before the acquisition of the lock: %" PRIu64
           ".",
           open);
  restricted_sentence_put(run, "open_requests", open, text);
}
