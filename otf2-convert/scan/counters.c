#include "otf2-convert/scan/counters.h"

#include "otf2-convert/text_fields.h"

#include <string.h>

struct counter_names counter_names(const struct process_info *info)
{
  struct counter_names names = {.count = 0};
  const char *at = info->counters;
  while (at != NULL && *at != 0 && names.count < COUNTER_NAMES_MOST) {
    size_t length = strcspn(at, "=,"), all = strcspn(at, ",");
    char name[COUNTER_NAME_SIZE];
    if (length >= sizeof name)
      length = sizeof name - 1;
    memcpy(name, at, length);
    name[length] = 0;
    escape_control(name, names.list[names.count].name, COUNTER_NAME_SIZE);
    const char *equals = memchr(at, '=', all);
    names.list[names.count++].source = equals != NULL ? equals[1] : 0;
    at += all + (at[all] == ',');
  }
  return names;
}

void counter_classes(struct plan *plan)
{
  uint32_t next = COUNTER_CLASS;
  for (uint32_t i = 0; i < plan->processes.count; i++)
    if (counter_names(&plan->processes.items[i].info).count > 0)
      plan->processes.items[i].counter_class = next++;
}

OTF2_MetricType counter_type(char source)
{
  return source == 'u' ? OTF2_METRIC_TYPE_RUSAGE : OTF2_METRIC_TYPE_OTHER;
}

const char *counter_unit(char source, int64_t *exponent)
{
  *exponent = source == 'c' ? -9 : 0;
  return source == 'c' ? "s" : "#";
}
