#include "otf2-convert/timeline/profile_rows.h"

#include "base/count_of.h"
#include "otf2-convert/symbols/symbol_names.h"
#include "otf2-convert/timeline/record_details.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static enum construct construct_of_kind(const struct definitions *definitions, uint32_t process, unsigned kind,
                                        uint64_t object)
{
  static const enum construct constructs[] = {
      [RAW_BLOCK_ENTER] = C_MONITOR_ENTER, [RAW_BLOCK_WAIT] = C_OBJECT_WAIT,      [RAW_BLOCK_SLEEP] = C_SLEEP,
      [RAW_BLOCK_JOIN] = C_JOIN,           [RAW_BLOCK_READ] = C_SOCKET_READ,      [RAW_BLOCK_WRITE] = C_SOCKET_WRITE,
      [RAW_BLOCK_ACCEPT] = C_ACCEPT,       [RAW_BLOCK_CONNECT] = C_CONNECT,       [RAW_BLOCK_SELECT] = C_SELECT,
      [RAW_BLOCK_FILE_READ] = C_FILE_READ, [RAW_BLOCK_FILE_WRITE] = C_FILE_WRITE, [RAW_BLOCK_LOOKUP] = C_LOOKUP,
      [RAW_BLOCK_CLASS] = C_CLASS_INIT,    [RAW_BLOCK_COLLECT] = C_SYSTEM_GC};
  return kind != RAW_BLOCK_PARK && kind < COUNT_OF(constructs)
             ? constructs[kind]
             : definitions_class(definitions, process, object >> 32).waiting;
}

enum construct construct_of_block(const struct definitions *definitions, uint32_t process, unsigned kind, uint64_t code,
                                  uint64_t object)
{
  enum construct construct = construct_of_kind(definitions, process, kind, object);
  bool may_idle = construct == C_PARK || construct == C_OBJECT_WAIT;
  return may_idle && definitions_idles(definitions, process, code) ? C_IDLE : construct;
}

enum fixed_string profile_row_means(const struct definitions *definitions, uint32_t process, uint64_t head,
                                    enum construct *construct)
{
  unsigned detail = raw_detail_of(head), number = detail & 15;
  *construct = CONSTRUCT_COUNT;
  switch ((enum raw_row)(detail >> 4)) {
  case RAW_ROW_REGION:
    *construct = (number & RAW_PARALLEL_LEAGUE) != 0 ? C_TEAMS : C_PARALLEL;
    return STRING_ROW_CONSTRUCT;
  case RAW_ROW_MEMBER:
    *construct = C_PARALLEL;
    return STRING_ROW_MEMBER;
  case RAW_ROW_WORK:
    *construct = number == WORK_SINGLE_EXECUTOR ? C_SINGLE_SBLOCK : construct_of_work(number);
    return STRING_ROW_CONSTRUCT;
  case RAW_ROW_SYNC:
    *construct = construct_of_sync(number);
    return STRING_ROW_CONSTRUCT;
  case RAW_ROW_SYNC_WAIT:
    *construct = construct_of_sync_wait(number);
    return STRING_ROW_CONSTRUCT;
  case RAW_ROW_ACQUIRE:
  case RAW_ROW_HOLD:
    *construct = construct_of_mutex(number);
    return (enum raw_row)(detail >> 4) == RAW_ROW_HOLD ? STRING_ROW_HOLD : STRING_ROW_ACQUIRE;
  case RAW_ROW_TASK:
    *construct = C_TASK;
    return STRING_ROW_CONSTRUCT;
  case RAW_ROW_MASKED:
    *construct = C_MASKED;
    return STRING_ROW_CONSTRUCT;
  case RAW_ROW_REDUCTION:
    *construct = C_REDUCTION;
    return STRING_ROW_CONSTRUCT;
  case RAW_ROW_USER:
    *construct = C_USER_REGION;
    return STRING_ROW_CONSTRUCT;
  case RAW_ROW_BLOCK:
    if (number < RAW_BLOCK_ENTER || number > RAW_BLOCK_LAST)
      return STRING_ROW_OTHER;
    *construct =
        construct_of_block(definitions, process, number, raw_value_of(head), 0); /* a park's object is not known */
    return STRING_ROW_CONSTRUCT;
  case RAW_ROW_OUTSIDE:
    return STRING_ROW_OUTSIDE;
  case RAW_ROW_NOT_MEASURED:
    return STRING_ROW_NOT_MEASURED;
  case RAW_ROW_STALL:
    return STRING_ROW_TOOL;
  default:
    return STRING_ROW_OTHER;
  }
}

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
