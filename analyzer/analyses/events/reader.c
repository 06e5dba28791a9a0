#include "analyzer/analyses/events/reader.h"

#include "analyzer/trace/definitions.h"
#include "base/count_of.h"
#include "common/raw/archive_names.h"

#include <fnmatch.h>
#include <stdlib.h>

/* What events have by their kind. */
enum intrinsic { OF_LOCK, OF_TASK, OF_CREATOR, OF_THREAD, INTRINSICS };

static const char *const intrinsic_names[INTRINSICS] = {NAME_OF_LOCK, "task", "creator", "thread number"};

/* Heddle's regions that are points: they have no duration, and end or cause something. */
static bool is_of_heddle(const struct trace_region *region)
{
  static const char *const names[] = {REGION_PTHREAD_UNLOCK, REGION_PTHREAD_SIGNAL,  REGION_PTHREAD_BROADCAST,
                                      REGION_PTHREAD_POST,   REGION_PTHREAD_ARRIVAL, REGION_PTHREAD_END,
                                      REGION_PTHREAD_CREATE, REGION_NOTIFY,          REGION_NOTIFY_ALL,
                                      REGION_INTERRUPT,      REGION_UNPARK,          REGION_START_THREAD};
  bool found = false;
  for (size_t i = 0; !found && i < COUNT_OF(names) && region->paradigm == OTF2_PARADIGM_PTHREAD; i++)
    found = trace_region_begins(region, names[i]);
  return found;
}

static bool kind_is_point(unsigned kind)
{
  switch (kind) {
  case TRACE_ThreadFork:
  case TRACE_ThreadJoin:
  case TRACE_ThreadTeamBegin:
  case TRACE_ThreadTeamEnd:
  case TRACE_ThreadAcquireLock:
  case TRACE_ThreadReleaseLock:
  case TRACE_ThreadTaskCreate:
  case TRACE_ThreadTaskSwitch:
  case TRACE_ThreadTaskComplete:
  case TRACE_ThreadCreate:
  case TRACE_ThreadBegin:
  case TRACE_ThreadWait:
  case TRACE_ThreadEnd:
  case TRACE_MeasurementOnOff:
    return true;
  default:
    return false;
  }
}

const char *point_type_name(const struct trace *trace, uint32_t type)
{
  return type < trace->region_count ? trace->regions[type].name
                                    : trace_kind_name((enum trace_kind)(type - trace->region_count));
}

bool point_type_is_of_user(const struct trace *trace, uint32_t type)
{
  return type < trace->region_count && trace_region_is_user_event(&trace->regions[type]);
}

uint32_t point_attribute_count(const struct trace *trace)
{
  return trace->attribute_count + INTRINSICS;
}

const char *point_attribute_name(const struct trace *trace, uint32_t attribute)
{
  return attribute < trace->attribute_count ? trace->attributes[attribute].name
                                            : intrinsic_names[attribute - trace->attribute_count];
}

static bool is_named(const struct point_selection *selection, const char *name)
{
  bool found = selection->type_count == 0;
  for (size_t i = 0; !found && i < selection->type_count; i++)
    found = fnmatch(selection->types[i], name, 0) == 0;
  return found;
}

bool *points_wanted(const struct trace *trace, const struct point_selection *selection)
{
  uint32_t types = trace->region_count + TRACE_KINDS;
  bool *wanted = calloc(types, sizeof *wanted);
  for (uint32_t i = 0; wanted && i < types; i++) {
    bool of_user = point_type_is_of_user(trace, i);
    bool of_heddle =
        i < trace->region_count ? is_of_heddle(&trace->regions[i]) : kind_is_point(i - trace->region_count);
    bool origin =
        (of_user && selection->origin != POINTS_OF_HEDDLE) || (of_heddle && selection->origin != POINTS_OF_USER);
    wanted[i] = origin && is_named(selection, point_type_name(trace, i));
  }
  return wanted;
}

static bool add_intrinsic(struct point_reader *reader, enum intrinsic which, uint64_t number)
{
  struct trace_value value = {
      .attribute = reader->trace->attribute_count + which, .type = TRACE_NATURAL, .natural = number};
  return vector_push(&reader->values, value);
}

static bool add_intrinsics(struct point_reader *reader, const struct trace_event *event)
{
  switch (event->kind) {
  case TRACE_ThreadAcquireLock:
  case TRACE_ThreadReleaseLock:
    return add_intrinsic(reader, OF_LOCK, event->index);
  case TRACE_ThreadTaskCreate:
  case TRACE_ThreadTaskSwitch:
  case TRACE_ThreadTaskComplete:
    return add_intrinsic(reader, OF_TASK, event->generation) && add_intrinsic(reader, OF_CREATOR, event->creator);
  case TRACE_ThreadCreate:
  case TRACE_ThreadBegin:
  case TRACE_ThreadWait:
  case TRACE_ThreadEnd:
    return event->number == 0 || add_intrinsic(reader, OF_THREAD, event->number);
  default:
    return true;
  }
}

/* The program's events have its attributes alone; Heddle's have those that say nothing about how they were recorded. */
static bool is_shown(const struct trace *trace, bool of_user, uint32_t attribute)
{
  return trace->attributes[attribute].of_user == of_user;
}

static bool read_values(struct point_reader *reader, const struct trace_event *event, bool of_user)
{
  struct trace_value value;
  bool good = true;
  reader->values.count = 0;
  for (uint32_t i = 0; good && i < trace_value_count(event); i++)
    if (trace_value_at(reader->trace, event, i, &value) && is_shown(reader->trace, of_user, value.attribute))
      good = vector_push(&reader->values, value);
  return good && (of_user || add_intrinsics(reader, event));
}

/* An event without the attribute is not selected. */
static bool holds(const struct point_reader *reader, const struct point_relation *relation)
{
  for (size_t i = 0; i < reader->values.count; i++) {
    const struct trace_value *value = &reader->values.items[i];
    if (point_relation_is_about(relation, point_attribute_name(reader->trace, value->attribute)) &&
        point_relation_holds(relation, value))
      return true;
  }
  return false;
}

bool point_reader_take(struct point_reader *reader, const struct trace_event *event, struct point *point, bool *found)
{
  bool region = event->kind == TRACE_Enter && event->index != TRACE_NONE;
  uint32_t type = region ? event->index : reader->trace->region_count + event->kind;
  *found = false;
  if (!reader->wanted[type])
    return true;
  bool of_user = point_type_is_of_user(reader->trace, type);
  if (!read_values(reader, event, of_user))
    return false;
  *found = true;
  for (size_t i = 0; *found && i < reader->selection->relation_count; i++)
    *found = holds(reader, &reader->selection->relations[i]);
  *point = (struct point){.time = event->time,
                          .location = reader->location,
                          .type = type,
                          .weight = event->weight,
                          .count = (uint32_t)reader->values.count,
                          .values = reader->values.items};
  return true;
}

uint32_t point_reader_missing(const struct point_reader *reader, const struct trace_event *event, uint64_t *count)
{
  struct trace_left_out left_out = trace_left_out_by(reader->trace, event);
  if (left_out.instances == 0 || left_out.region == TRACE_NONE || !reader->wanted[left_out.region] ||
      reader->selection->relation_count > 0)
    return TRACE_NONE;
  *count = left_out.instances;
  return left_out.region;
}

void point_reader_free(struct point_reader *reader)
{
  vector_free(&reader->values);
}
