#include "analyzer/commands/record_sample.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_PERIOD 10000000u /* ns */
#define LEAST_PERIOD   100000u
#define MOST_PERIOD    1000000000u

/* A time with its unit, in ns; 0: it is none, or out of bounds. */
static uint64_t read_period(const char *text)
{
  static const struct {
    const char *unit;
    double ns;
  } units[] = {{"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};
  char *end;
  double number = *text >= '0' && *text <= '9' ? strtod(text, &end) : 0;
  for (size_t i = 0; number > 0 && i < sizeof units / sizeof *units; i++)
    if (strcmp(end, units[i].unit) == 0 && number * units[i].ns >= LEAST_PERIOD && number * units[i].ns <= MOST_PERIOD)
      return (uint64_t)(number * units[i].ns + 0.5);
  return 0;
}

int record_sample_take(const struct option_given *given, struct record_sample *sample)
{
  const char *value = given->value ? given->value : "cpu";
  const char *period = strncmp(value, "cpu:", 4) == 0 ? value + 4 : value;
  sample->period = strcmp(value, "cpu") == 0 ? DEFAULT_PERIOD : read_period(period);
  if (sample->period != 0)
    return -1;
  return command_usage(
      "record", "--sample=%s: give the processor time between two samples, from 100us to 1s: --sample=1ms", value);
}

bool record_sample_check(const struct record_sample *sample, const char *other)
{
  if (sample->period == 0 && sample->stack != RECORD_STACK_NONE)
    command_usage("record", "--stack is for samples: give --sample, too");
  else if (sample->period != 0 && other)
    command_usage("record", "--sample takes no samples with %s: leave one of them out", other);
  else
    return true;
  return false;
}

void record_sample_refused(int error)
{
  if (error == EACCES || error == EPERM)
    command_error("record", "no samples: the kernel does not allow perf events to this user; "
                            "set /proc/sys/kernel/perf_event_paranoid to 2 or less");
  else
    command_error("record", "no samples: the kernel refuses perf events: %s", strerror(error));
}
