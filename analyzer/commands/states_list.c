#include "analyzer/commands/states_list.h"

#include "analyzer/survey/list.h"
#include "base/count_of.h"

#include <stdlib.h>
#include <string.h>

/* Finds a thread by number or by name. */
static bool find_thread(const struct trace *trace, const char *wanted, uint32_t *location, struct error *error)
{
  *location = TRACE_NONE;
  if (trace->location_count == 0)
    return error_set(error, "%s: the archive has no threads", trace->anchor);
  char *end;
  unsigned long number = strtoul(wanted, &end, 10);
  if (*wanted >= '0' && *wanted <= '9' && !*end) {
    *location = (uint32_t)number;
    return number < trace->location_count ||
           error_set(error, "no thread has the number %s: numbers are from 0 to %u", wanted, trace->location_count - 1);
  }
  for (uint32_t i = 0; i < trace->location_count; i++) {
    if (strcmp(trace->locations[i].name, wanted) != 0)
      continue;
    if (*location != TRACE_NONE)
      return error_set(error, "several threads have the name %s: give the number, %u or %u", wanted, *location, i);
    *location = i;
  }
  return *location != TRACE_NONE ||
         error_set(error, "no thread has the name %s: see `heddle states` for names and numbers", wanted);
}

struct list_output {
  const struct analysis_run *run;
  uint64_t number, cumulative, origin;
};

static void put_list_row(void *context, const struct state_interval *interval)
{
  struct list_output *output = context;
  const struct trace *trace = output->run->trace;
  uint64_t duration = interval->end - interval->start;
  output->cumulative += duration;
  struct print_cell cells[] = {
      print_number(++output->number),
      print_string(state_name(interval->state)),
      print_number(interval->start >= output->origin ? interval->start - output->origin : 0),
      print_number(duration),
      print_number(output->cumulative),
      interval->construct == TRACE_NONE ? print_none() : print_string(trace->regions[interval->construct].name)};
  print_row(output->run->print, cells);
}

bool states_list_put(const struct analysis_run *run, const char *wanted, struct error *error)
{
  static const struct print_column columns[] = {{"number", "No.", PRINT_NUMBER, false},
                                                {"state", "State", PRINT_STRING, false},
                                                {"start", "Start", PRINT_DURATION, false},
                                                {"duration", "Duration", PRINT_DURATION, false},
                                                {"cumulative", "Cumulative", PRINT_DURATION, false},
                                                {"construct", "Construct", PRINT_STRING, false}};
  uint32_t location;
  if (!find_thread(run->trace, wanted, &location, error))
    return false;
  if (run->trace->locations[location].left_out)
    return error_set(error, "--list %s: --only-threads or --only-processes leaves this thread out", wanted);
  struct list_output output = {.run = run, .origin = run->trace->first_tick};
  print_fact(run->print, "thread", "Thread", PRINT_STRING, print_string(run->trace->locations[location].name));
  print_fact(run->print, "location", "No.", PRINT_NUMBER, print_number(location));
  print_table(run->print, "states", NULL, columns, COUNT_OF(columns), true);
  bool good = states_list(run->trace, location, put_list_row, &output, error);
  print_table_end(run->print);
  return good;
}
