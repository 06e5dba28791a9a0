#include "analyzer/analyses/states/states_list.h"

#include "analyzer/analyses/calls/states_functions.h"
#include "analyzer/analyses/states/list.h"
#include "base/count_of.h"

#include <stdlib.h>
#include <string.h>

struct total {
  uint64_t times, ticks, shortest, longest;
};

struct list_output {
  const struct analysis_run *run;
  struct samples *samples; /* NULL: the run was recorded without any */
  struct states_functions *functions;
  bool failed; /* of the functions */
  uint64_t number, cumulative, origin;
  struct total totals[STATES];
};

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

static struct print_cell states_list_name_of(const struct list_output *output, uint32_t function)
{
  return function == TRACE_NONE ? print_none() : print_string(output->samples->functions[function].name);
}

static void states_list_add(struct total *total, uint64_t duration)
{
  total->shortest = total->times == 0 || duration < total->shortest ? duration : total->shortest;
  total->longest = duration > total->longest ? duration : total->longest;
  total->ticks += duration;
  total->times++;
}

static void states_list_put_state(void *context, const struct state_interval *interval)
{
  struct list_output *output = context;
  const struct trace *trace = output->run->trace;
  uint64_t duration = interval->end - interval->start;
  uint32_t function = TRACE_NONE;
  output->cumulative += duration;
  states_list_add(&output->totals[interval->state], duration);
  if (output->functions && !states_functions_next(output->functions, interval, &function))
    output->failed = true;
  struct print_cell cells[] = {
      print_number(++output->number),
      print_string(state_name(interval->state)),
      print_number(interval->start >= output->origin ? interval->start - output->origin : 0),
      print_number(duration),
      print_number(output->cumulative),
      interval->construct == TRACE_NONE ? print_none() : print_string(trace->regions[interval->construct].name),
      states_list_name_of(output, function)};
  print_row(output->run->print, cells);
}

static bool states_list_put_states(struct list_output *output, uint32_t location, struct error *error)
{
  static const struct print_column columns[] = {{"number", "No.", PRINT_NUMBER, false},
                                                {"state", "State", PRINT_STRING, false},
                                                {"start", "Start", PRINT_DURATION, false},
                                                {"duration", "Duration", PRINT_DURATION, false},
                                                {"cumulative", "Cumulative", PRINT_DURATION, false},
                                                {"construct", "Construct", PRINT_STRING, false},
                                                {"function", "Function", PRINT_STRING, false}};
  const struct analysis_run *run = output->run;
  print_table(run->print, "states", NULL, columns, COUNT_OF(columns) - (output->functions ? 0 : 1), true);
  bool good = states_list(run->trace, location, states_list_put_state, output, error) && !output->failed;
  print_table_end(run->print);
  return good;
}

static void states_list_put_totals(const struct list_output *output)
{
  static const struct print_column columns[] = {
      {"state", "State", PRINT_STRING, false},       {"times", "Times", PRINT_COUNT, false},
      {"time", "Time", PRINT_SHARE, false},          {"shortest", "Shortest", PRINT_DURATION, false},
      {"longest", "Longest", PRINT_DURATION, false}, {"function", "Function", PRINT_STRING, false}};
  struct print *print = output->run->print;
  print_table(print, "totals", "How long each state was", columns, COUNT_OF(columns) - (output->functions ? 0 : 1),
              false);
  for (unsigned state = 0; state < STATES; state++) {
    const struct total *total = &output->totals[state];
    if (total->times == 0)
      continue;
    struct print_cell cells[] = {
        print_string(state_name((enum state)state)),
        print_number(total->times),
        print_share(total->ticks, output->cumulative),
        print_number(total->shortest),
        print_number(total->longest),
        states_list_name_of(output, output->functions ? states_functions_of(output->functions, (enum state)state)
                                                      : TRACE_NONE)};
    print_row(print, cells);
  }
  print_table_end(print);
}

/* False: an error. A run without samples is none. */
static bool open_functions(struct list_output *output, uint32_t location, struct error *error)
{
  bool none;
  output->samples = samples_open(output->run->trace, &none, error);
  if (!output->samples)
    return none;
  output->functions = states_functions_open(output->run->trace, output->samples, location, error);
  return output->functions;
}

bool states_list_put(const struct analysis_run *run, const char *wanted, struct error *error)
{
  uint32_t location;
  if (!find_thread(run->trace, wanted, &location, error))
    return false;
  if (!trace_is_restricted(run->trace)) /* a thread of the JVM's own is asked for by its name */
    run->trace->locations[location].left_out = false;
  if (run->trace->locations[location].left_out)
    return error_set(error, "--list %s: --only-threads or --only-processes leaves this thread out", wanted);
  struct list_output output = {.run = run, .origin = run->trace->first_tick};
  bool good = open_functions(&output, location, error);
  if (good) {
    print_fact(run->print, "thread", "Thread", PRINT_STRING, print_string(run->trace->locations[location].name));
    print_fact(run->print, "location", "No.", PRINT_NUMBER, print_number(location));
    good = states_list_put_states(&output, location, error);
  }
  if (good && run->format != PRINT_CSV) /* which has one table */
    states_list_put_totals(&output);
  states_functions_close(output.functions);
  if (output.samples)
    samples_close(output.samples);
  return good;
}
