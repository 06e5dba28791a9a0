#include "otf2-convert/timeline/profile_metric.h"

#include "otf2-convert/symbols/symbol_names.h"
#include "otf2-convert/timeline/ompt_numbers.h"
#include "otf2-convert/timeline/profile_row.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static enum raw_metric metric_of(const uint64_t *record)
{
  return (enum raw_metric)(raw_detail_of(record[0]) >> 4);
}

enum fixed_string profile_metric_means(const struct definitions *definitions, uint32_t process, const uint64_t *record,
                                       enum construct *construct)
{
  unsigned number = raw_detail_of(record[0]) & 15;
  *construct = CONSTRUCT_COUNT;
  switch (metric_of(record)) {
  case RAW_METRIC_TASKS:
    *construct = C_TASK;
    return STRING_METRIC_TASKS;
  case RAW_METRIC_CHUNKS:
    *construct = construct_of_work(number);
    return STRING_METRIC_CHUNKS;
  case RAW_METRIC_LOCK:
    *construct = construct_of_mutex(number);
    return STRING_METRIC_LOCK;
  case RAW_METRIC_BLOCK:
    if (number >= RAW_BLOCK_ENTER && number <= RAW_BLOCK_LAST)
      *construct = construct_of_block(definitions, process, number, raw_value_of(record[0]), record[RAW_METRIC_OBJECT]);
    return STRING_METRIC_WAIT;
  case RAW_METRIC_EVENT:
    return STRING_METRIC_EVENT;
  case RAW_METRIC_VALUE:
    return STRING_METRIC_VALUE;
  case RAW_METRIC_GC:
    return STRING_METRIC_GC;
  case RAW_METRIC_COST:
    return STRING_METRIC_COST;
  default:
    return STRING_METRIC_OTHER;
  }
}

static const char *user_text(const struct definitions *definitions, uint32_t process, uint64_t id)
{
  const char *name = user_name(&definitions->plan->processes.items[process].info.names, id);
  return name != NULL ? name : REGION_USER_EVENT;
}

/* The variable, the critical section that the compiler made it for, or the address. */
static void profile_metric_lock_name(struct definitions *definitions, uint32_t process, uint64_t address, char *name,
                                     size_t size)
{
  uint64_t into = 0;
  if (section_name_in_java(&definitions->plan->processes.items[process].info.java, address, name, size))
    return;
  const char *variable = definitions_object(definitions, process, address, &into);
  if (variable != NULL && section_name(variable, name, size))
    return;
  if (definitions_variable(definitions, process, address, name, size))
    return;
  if (variable != NULL && into == 0)
    snprintf(name, size, "%s", variable);
  else if (variable != NULL)
    snprintf(name, size, "%s+0x%" PRIx64, variable, into);
  else
    snprintf(name, size, "0x%" PRIx64, address);
}

void profile_metric_object(struct definitions *definitions, uint32_t process, const uint64_t *record, char *name,
                           size_t size)
{
  uint64_t object = record[RAW_METRIC_OBJECT];
  size_t used;
  name[0] = 0;
  switch (metric_of(record)) {
  case RAW_METRIC_LOCK:
    if (object != 0)
      profile_metric_lock_name(definitions, process, object, name, size);
    return;
  case RAW_METRIC_BLOCK:
    definitions_text(definitions, definitions_java_object(definitions, process, object), name, size);
    used = strlen(name);
    snprintf(name + used, size - used, "@%" PRIx32, (uint32_t)object);
    return;
  case RAW_METRIC_EVENT:
  case RAW_METRIC_VALUE:
    snprintf(name, size, "%s", user_text(definitions, process, raw_value_of(record[0])));
    return;
  default:
    return;
  }
}

const char *profile_metric_attribute(const struct definitions *definitions, uint32_t process, const uint64_t *record)
{
  return metric_of(record) == RAW_METRIC_VALUE ? user_text(definitions, process, record[RAW_METRIC_OBJECT]) : "";
}
