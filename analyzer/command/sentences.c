#include "analyzer/command/sentences.h"

#include "analyzer/command/print/print.h"
#include "analyzer/command/print/units.h"
#include "common/raw/archive_names.h"

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
    count += !trace->locations[i].excluded;
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

void restricted_put_executions(const struct analysis_run *run, uint64_t excluded)
{
  char text[TEXT_SIZE];
  snprintf(
      text, sizeof text,
      "Executions of constructs that are not counted, because they are only partly inside of the analyzed time and "
      "threads: %" PRIu64 ".",
      excluded);
  restricted_sentence_put(run, "excluded", excluded, text);
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

char *not_measured_sentence(const struct trace *trace, wide_total not_measured, wide_total all)
{
  char missing[UNITS_SIZE], whole[UNITS_SIZE];
  char *text;
  int size = asprintf(&text,
                      "Not measured: %s (%.1f %%) of the %s that all threads lived. Other percentages are of what was "
                      "measured.",
                      units_duration(not_measured, trace->ticks_per_second, missing),
                      print_percentage(not_measured, all), units_duration(all, trace->ticks_per_second, whole));
  return size < 0 ? NULL : text;
}

bool not_measured_put(struct print *print, const struct trace *trace, wide_total not_measured, wide_total all)
{
  if (not_measured == 0)
    return true;
  char *sentence = not_measured_sentence(trace, not_measured, all);
  if (sentence)
    print_sentence(print, "not_measured", sentence);
  free(sentence);
  return sentence != NULL;
}

static uint64_t number(const struct trace *trace, const char *property)
{
  const char *value = trace_property(trace, TRACE_OF_ARCHIVE, 0, property);
  return value ? strtoull(value, NULL, 10) : 0;
}

char *sinks_not_measured_sentence(const struct trace *trace)
{
  uint64_t waits = number(trace, ARCHIVE_SINKS_UNTIMED);
  char most[UNITS_SIZE], *text;
  if (waits == 0)
    return NULL;
  units_duration(number(trace, ARCHIVE_SINKS_AT_MOST), trace->ticks_per_second, most);
  if (asprintf(&text,
               "RUN and busy times include %" PRIu64
               " waits in ordered depend(sink), at most %s in total: the runtime reports only their ends.",
               waits, most) < 0)
    return NULL;
  return text;
}

void sinks_not_measured_put(const struct analysis_run *run)
{
  char *text = sinks_not_measured_sentence(run->trace);
  if (text)
    print_sentence(run->print, "waits_not_measured", text);
  free(text);
}

static struct print_cell with_margin(struct print_cell cell, bool estimate, const struct estimate *more)
{
  return estimate ? print_estimate(cell, estimate_half_width(more)) : cell;
}

struct print_cell estimate_executions(uint64_t recorded, const struct estimate *more)
{
  return with_margin(print_number(recorded + estimate_more(more)), more->variance > 0, more);
}

struct print_cell estimate_number(wide_total recorded, const struct estimate *more)
{
  return with_margin(print_number(recorded + estimate_more(more)), more->omitted > 0, more);
}

struct print_cell estimate_share(wide_total recorded, const struct estimate *more, wide_total of)
{
  return with_margin(print_share(recorded + estimate_more(more), of), more->omitted > 0, more);
}
