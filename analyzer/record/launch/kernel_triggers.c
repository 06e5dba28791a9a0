#include "analyzer/record/launch/kernel_triggers.h"

#include "base/count_of.h"
#include "common/raw/archive_names.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#define LEAST_TIME 100000u /* ns */
#define MOST_TIME  1000000000u

#define SOFTWARE(name, event, period) {name, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_##event, period, false, 0}
#define KERNEL_TRIGGERS_HARDWARE(name, event, period)                                                                  \
  {name, PERF_TYPE_HARDWARE, PERF_COUNT_HW_##event, period, false, 0}
/* With the periods that they have unless they are given one. */
static const struct kernel_trigger kernel_triggers_known[] = {
    {NAME_TRIGGER_CPU, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, 10000000, true, 0},
    SOFTWARE("page-faults", PAGE_FAULTS, 100),
    SOFTWARE("minor-faults", PAGE_FAULTS_MIN, 100),
    SOFTWARE("major-faults", PAGE_FAULTS_MAJ, 1),
    SOFTWARE("alignment-faults", ALIGNMENT_FAULTS, 1),
    KERNEL_TRIGGERS_HARDWARE("cycles", CPU_CYCLES, 10000000),
    KERNEL_TRIGGERS_HARDWARE("instructions", INSTRUCTIONS, 10000000),
    KERNEL_TRIGGERS_HARDWARE("cache-references", CACHE_REFERENCES, 100000),
    KERNEL_TRIGGERS_HARDWARE("cache-misses", CACHE_MISSES, 10000),
    KERNEL_TRIGGERS_HARDWARE("branches", BRANCH_INSTRUCTIONS, 1000000),
    KERNEL_TRIGGERS_HARDWARE("branch-misses", BRANCH_MISSES, 10000),
};

const char *kernel_triggers_names(void)
{
  return "cpu page-faults minor-faults major-faults alignment-faults cycles instructions cache-references cache-misses "
         "branches branch-misses";
}

/* A time with its unit, in ns; 0: it is none, or out of bounds. */
static uint64_t read_time(const char *text, size_t length)
{
  static const struct {
    const char *unit;
    double ns;
  } units[] = {{"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};
  char *end = NULL;
  double number = length > 0 && *text >= '0' && *text <= '9' ? strtod(text, &end) : 0;
  for (size_t i = 0; number > 0 && end <= text + length && i < COUNT_OF(units); i++) {
    size_t rest = (size_t)(text + length - end);
    double ns = number * units[i].ns;
    if (strlen(units[i].unit) == rest && strncmp(end, units[i].unit, rest) == 0 && ns >= LEAST_TIME && ns <= MOST_TIME)
      return (uint64_t)(ns + 0.5);
  }
  return 0;
}

uint64_t kernel_triggers_time(const char *text)
{
  return read_time(text, strlen(text));
}

/* A number of events; 0: it is none. */
static uint64_t read_count(const char *text, size_t length)
{
  char *end = NULL;
  unsigned long long number = length > 0 && length < 16 && *text >= '0' && *text <= '9' ? strtoull(text, &end, 10) : 0;
  return end == text + length ? number : 0;
}

static const struct kernel_trigger *kernel_triggers_find(const char *name, size_t length)
{
  for (size_t i = 0; i < COUNT_OF(kernel_triggers_known); i++)
    if (strlen(kernel_triggers_known[i].name) == length && strncmp(kernel_triggers_known[i].name, name, length) == 0)
      return &kernel_triggers_known[i];
  return NULL;
}

static const char *kernel_triggers_read_one(struct kernel_triggers *triggers, const char *text, size_t length)
{
  const char *colon = memchr(text, ':', length);
  size_t name = colon ? (size_t)(colon - text) : length;
  const struct kernel_trigger *found = kernel_triggers_find(text, name);
  uint64_t period = found ? found->period : 0;
  bool time_alone = !found && !colon && length > 0 && *text >= '0' && *text <= '9';
  if (time_alone)
    found = &kernel_triggers_known[0];
  if (!found)
    return "is no trigger of samples";
  if (colon || time_alone) {
    const char *given = time_alone ? text : colon + 1;
    size_t rest = (size_t)(text + length - given);
    period = found->by_time ? read_time(given, rest) : read_count(given, rest);
  }
  if (period == 0)
    return found->by_time ? "needs the processor time between two samples, from 100us to 1s, as cpu:1ms"
                          : "needs the number of events between two samples, as page-faults:100";
  for (unsigned i = 0; i < triggers->count; i++)
    if (triggers->list[i].name == found->name)
      return "is there twice";
  if (triggers->count == KERNEL_TRIGGERS_MOST)
    return "is one trigger too many: 8 can be used at once";
  struct kernel_trigger *trigger = &triggers->list[triggers->count++];
  *trigger = *found;
  trigger->period = period;
  return NULL;
}

const char *kernel_triggers_read(struct kernel_triggers *triggers, const char *text, const char **wrong, int *length)
{
  for (;;) {
    size_t part = strcspn(text, ",");
    const char *objection = kernel_triggers_read_one(triggers, text, part);
    *wrong = text;
    *length = (int)part;
    if (objection || text[part] == '\0')
      return objection;
    text += part + 1;
  }
}
