#include "analyzer/record/start_choice.h"

#include "analyzer/command/print/escape.h"
#include "analyzer/live/readings/live.h"
#include "analyzer/trace/definitions.h"
#include "common/raw/live_control.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

uint32_t start_operations(const struct live_requests *requests, bool on)
{
  bool traces = live_requests_can_trace(requests), measured = live_requests_begun(requests) & LIVE_MEASURES;
  if (on)
    return LIVE_MEASURE_ON | (traces ? LIVE_TRACE_ON : 0);
  return (traces ? LIVE_TRACE_OFF : 0) | (traces && measured ? 0 : LIVE_MEASURE_OFF);
}

bool start_is_named(const struct trace_region *region, const char *text)
{
  const char *place = text[0] == '@' ? text + 1 : text;
  return trace_region_is_at(region, place, strlen(place)) || fnmatch(text, region->name, 0) == 0;
}

/* The living threads whose name matches. */
static bool choose_threads(struct start_choice *choice, struct live_requests *requests,
                           const struct live_process *process, const struct live_reading *reading, struct error *error)
{
  uint64_t *numbers = calloc(reading->location_count + 1, sizeof *numbers);
  size_t count = 0;
  if (!numbers)
    return error_set(error, "out of memory");
  for (uint32_t i = 0; i < reading->location_count; i++) {
    const struct trace_location *thread = &reading->trace->locations[i];
    if (!reading->threads[i].over && thread->ref < LIVE_THREADS && fnmatch(choice->threads, thread->name, 0) == 0)
      numbers[count++] = thread->ref;
  }
  live_requests_choose(requests, numbers, count);
  free(numbers);
  choice->found_threads = count;
  return count > 0 ||
         error_set(error, "no thread of process %ld has a name like %s: `heddle live --once %ld` prints the names",
                   process->pid, choice->threads, process->pid);
}

/* Adds the codes of the constructs that one text names. */
static bool add_codes(struct start_choice *choice, const char *text, const struct live *live,
                      const struct live_reading *reading, uint64_t codes[LIVE_CODES], size_t *count,
                      struct error *error)
{
  size_t known, before = *count;
  const struct live_code *all = live_codes(live, &known);
  bool *counted = calloc(reading->trace->region_count + 1, sizeof *counted);
  if (!counted)
    return error_set(error, "out of memory");
  bool good = true;
  for (size_t i = 0; i < known && good; i++) {
    if (!start_is_named(&reading->trace->regions[all[i].region], text))
      continue;
    choice->found_constructs += !counted[all[i].region];
    counted[all[i].region] = true;
    good =
        *count < LIVE_CODES || error_set(error, "%s: there are too many such constructs: at most %u", text, LIVE_CODES);
    if (good)
      codes[(*count)++] = all[i].code;
  }
  free(counted);
  return good && (*count > before ||
                  error_set(error,
                            "no construct that has been executed so far is at %s: `heddle live --once` prints "
                            "those that have",
                            text));
}

static bool choose_constructs(struct start_choice *choice, struct live_requests *requests, const struct live *live,
                              const struct live_reading *reading, struct error *error)
{
  uint64_t codes[LIVE_CODES];
  size_t count = 0;
  for (size_t i = 0; i < choice->construct_count; i++)
    if (!add_codes(choice, choice->constructs[i], live, reading, codes, &count, error))
      return false;
  live_requests_choose_codes(requests, codes, count);
  return true;
}

bool start_choose(struct start_choice *choice, struct live_requests *requests, const struct live_process *process,
                  uint32_t *operations, struct error *error)
{
  struct live_reading reading;
  *operations = (choice->threads ? LIVE_TRACE_CHOSEN : 0) | (choice->construct_count > 0 ? LIVE_TRACE_CODES : 0);
  choice->found_threads = choice->found_constructs = 0;
  if (*operations == 0)
    return true;
  if (!live_requests_can_trace(requests))
    return error_set(error, "process %ld traces all or nothing: start it with `heddle record --live`", process->pid);
  struct live *live = live_open(process->directory, error);
  bool good = live && live_read(live, &reading, error);
  if (good) {
    good = (!choice->threads || choose_threads(choice, requests, process, &reading, error)) &&
           (choice->construct_count == 0 || choose_constructs(choice, requests, live, &reading, error));
    live_reading_free(&reading);
  }
  live_close(live);
  return good;
}
