#include "analyzer/record/record_counters.h"

#include "analyzer/record/launch/machine_counters.h"

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
      command_error("record", "--counters: %s: %s; `heddle counters` lists those that can be read",
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
