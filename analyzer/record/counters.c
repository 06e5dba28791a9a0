#include "analyzer/record/counters.h"

#include "analyzer/command/print/print.h"
#include "analyzer/command/shared_options.h"
#include "analyzer/command/values.h"
#include "analyzer/record/launch/machine_counters.h"
#include "base/count_of.h"

#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

int record_counters_take(const struct option_given *given, struct environment *environment)
{
  struct machine_counters counters;
  const char *wrong;
  int length;
  const char *objection = machine_counters_read(&counters, given->value, &wrong, &length);
  if (objection)
    return command_usage("record", "--counters: '%.*s' %s; `heddle counters` lists them", length, wrong, objection);
  for (unsigned i = 0; i < counters.count; i++) {
    machine_counter_try(&counters.list[i]);
    if (counters.list[i].refused != 0) {
      command_error("record", "--counters: %s: %s; `heddle counters` lists the available counters",
                    counters.list[i].name, machine_counter_reason(counters.list[i].refused));
      return EXIT_FAULT;
    }
  }
  unsigned together = machine_counters_together(counters.list, counters.count), processor = 0;
  for (unsigned i = 0; i < counters.count; i++)
    processor += counters.list[i].source == COUNTED_BY_PROCESSOR;
  if (together < processor)
    command_error("record",
                  "--counters: the processor counts %u of these %u at the same time: they take turns, and "
                  "their counts are estimates",
                  together, processor);
  char *text = machine_counters_setting(&counters);
  if (text)
    environment_set(environment, "HEDDLE_COUNTERS", text);
  else
    environment->failed = true;
  free(text);
  return -1;
}

/* Command `heddle counters`: the counters of this machine for `heddle record --counters`. */

#define ALL_MOST 64u

struct counters_own_options {
  bool setting;
};

static const char *const counters_sources[] = {[COUNTED_BY_PROCESSOR] = "processor",
                                               [COUNTED_BY_KERNEL_EVENT] = "kernel event",
                                               [COUNTED_BY_KERNEL_SUMS] = "kernel"};

static void counters_put_row(struct print *print, const struct machine_counter *counter)
{
  struct print_cell cells[] = {print_string(counter->name), print_string(counters_sources[counter->source]),
                               print_string(counter->refused == 0 ? "yes" : "no"),
                               counter->refused == 0 ? print_none()
                                                     : print_string(machine_counter_reason(counter->refused)),
                               print_string(counter->what)};
  print_row(print, cells);
}

static unsigned count_usable(const struct machine_counter *list, unsigned count)
{
  unsigned usable = 0;
  for (unsigned i = 0; i < count; i++)
    usable += list[i].source == COUNTED_BY_PROCESSOR && list[i].refused == 0;
  return usable;
}

/* Prints which counters of the processor fit together; the kernel's counters always do. False: out of memory. */
static bool put_together(struct print *print, const struct machine_counter *list, unsigned count)
{
  unsigned usable = count_usable(list, count), together = machine_counters_together(list, count);
  char *text;
  int length;
  if (usable == 0)
    length = asprintf(&text, "The processor counts nothing here: no counter with the source `processor` can be used. "
                             "The kernel's counters can be used together.");
  else if (together == usable)
    length = asprintf(&text, "All of them can be counted at the same time.");
  else
    length = asprintf(&text,
                      "The processor counts %u of these %u at the same time: if more are read, they take turns, and "
                      "their counts are estimates. The kernel's counters can be added to any others.",
                      together, usable);
  if (length < 0)
    return false;
  print_sentence(print, "together", text);
  free(text);
  return true;
}

static int counters_show(const struct command *command, enum print_format format, struct machine_counter *list,
                         unsigned count)
{
  static const struct print_column columns[] = {{"counter", "Counter", PRINT_STRING, false},
                                                {"source", "Source", PRINT_STRING, false},
                                                {"usable", "Usable", PRINT_STRING, false},
                                                {"reason", "why not", PRINT_STRING, true},
                                                {"counts", "What it counts", PRINT_STRING, false}};
  struct print *print = print_open(format, stdout, 0);
  if (!print) {
    command_error(command->name, "out of memory");
    return EXIT_FAULT;
  }
  print_table(print, "counters", NULL, columns, COUNT_OF(columns), false);
  for (unsigned i = 0; i < count; i++)
    counters_put_row(print, &list[i]);
  print_table_end(print);
  bool good = put_together(print, list, count);
  if (format == PRINT_TEXT)
    print_sentence(print, "why",
                   "Record them with: heddle record --counters NAME,... -- PROGRAM; then all causes of lost time, "
                   "ranked: heddle why DIR");
  if (!good)
    command_error(command->name, "out of memory");
  return print_close(print) && good ? EXIT_DONE : EXIT_FAULT;
}

static int show_all(const struct command *command, enum print_format format)
{
  struct machine_counter list[ALL_MOST];
  unsigned count = 0;
  while (count < ALL_MOST && machine_counter_known(count, &list[count]))
    count++;
  for (unsigned i = 0; i < count; i++)
    machine_counter_try(&list[i]);
  return counters_show(command, format, list, count);
}

static int print_setting(const struct command *command, const struct machine_counters *counters)
{
  for (unsigned i = 0; i < counters->count; i++)
    if (counters->list[i].refused != 0) {
      command_error(command->name, "%s: %s", counters->list[i].name, machine_counter_reason(counters->list[i].refused));
      return EXIT_FAULT;
    }
  char *text = machine_counters_setting(counters);
  if (!text) {
    command_error(command->name, "out of memory");
    return EXIT_FAULT;
  }
  puts(text);
  free(text);
  return command_printed();
}

static int counters_run(const struct command *command, int argc, char **argv)
{
  struct counters_own_options own = {false};
  struct shared_options shared = {.format = PRINT_TEXT};
  struct machine_counters counters;
  const char *wrong;
  int length;
  int status = command_take(command, (void *[OPTION_SETS]){&own, &shared}, argc, argv);
  if (status >= 0)
    return status;
  if (optind == argc)
    return own.setting ? command_usage(command->name, "--setting needs names of counters")
                       : show_all(command, shared.format);
  const char *objection = machine_counters_read(&counters, argv[optind], &wrong, &length);
  if (objection)
    return command_usage(command->name, "'%.*s' %s; `heddle counters` lists them", length, wrong, objection);
  for (unsigned i = 0; i < counters.count; i++)
    machine_counter_try(&counters.list[i]);
  return own.setting ? print_setting(command, &counters)
                     : counters_show(command, shared.format, counters.list, counters.count);
}

static const struct command_option counters_own_options[] = {
    {.name = "setting",
     .help = "print the value of HEDDLE_COUNTERS for these counters, for programs that start without `heddle record`",
     .take = option_flag,
     .at = offsetof(struct counters_own_options, setting)},
    {.name = NULL}};

const struct command command_counters = {
    .name = "counters",
    .group = COMMAND_RECORD,
    .summary = "lists what this machine can count for `heddle record --counters`",
    .synopsis = "[OPTION]... [NAME,...]",
    .about = "Lists the counters that this machine has, and says which of them it counts at the same time.\n"
             "With NAME,... it says so of these counters.\n",
    .operand = "names of counters with commas between them",
    .least = 0,
    .most = 1,
    .options = {{.list = counters_own_options}, {.list = format_options}},
    .run = counters_run,
};
