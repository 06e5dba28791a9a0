#include "analyzer/analyses/events/events.h"

#include "analyzer/trace/definitions.h"
#include "analyzer/trace/pass/pass.h"
#include "base/count_of.h"
#include "common/raw/archive_names.h"

#include <ctype.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

/* The operators, longer ones first. */
static const struct {
  char text[3];
  enum relation_operator relates;
} operators[] = {{"<=", RELATION_AT_MOST}, {">=", RELATION_AT_LEAST}, {"==", RELATION_EQUAL}, {"!=", RELATION_UNEQUAL},
                 {"<", RELATION_LESS},     {">", RELATION_MORE},      {"=", RELATION_EQUAL}};

static const char *past_blanks(const char *text)
{
  while (isspace((unsigned char)*text))
    text++;
  return text;
}

bool point_relation_read(const char *text, struct point_relation *relation)
{
  const char *begin = past_blanks(text), *at = strpbrk(begin, "<>=!");
  size_t known = COUNT_OF(operators), which = 0;
  if (!at)
    return false;
  while (which < known && strncmp(at, operators[which].text, strlen(operators[which].text)) != 0)
    which++;
  if (which == known)
    return false;
  size_t length = (size_t)(at - begin);
  while (length > 0 && isspace((unsigned char)begin[length - 1]))
    length--;
  const char *value = past_blanks(at + strlen(operators[which].text));
  char *end;
  long double number = strtold(value, &end);
  *relation = (struct point_relation){.name = begin,
                                      .length = length,
                                      .relates = operators[which].relates,
                                      .text = value,
                                      .numeric = end > value && !*past_blanks(end),
                                      .number = number};
  bool ordered = relation->relates != RELATION_EQUAL && relation->relates != RELATION_UNEQUAL;
  return length > 0 && *value && (relation->numeric || !ordered);
}

bool point_relation_is_about(const struct point_relation *relation, const char *name)
{
  return strncmp(name, relation->name, relation->length) == 0 && name[relation->length] == '\0';
}

static bool number_holds(enum relation_operator relates, long double left, long double right)
{
  switch (relates) {
  case RELATION_LESS:
    return left < right;
  case RELATION_AT_MOST:
    return left <= right;
  case RELATION_EQUAL:
    return left == right;
  case RELATION_AT_LEAST:
    return left >= right;
  case RELATION_MORE:
    return left > right;
  default:
    return left != right;
  }
}

bool point_relation_holds(const struct point_relation *relation, const struct trace_value *value)
{
  if (value->type == TRACE_TEXT) {
    bool equal = strcmp(value->text, relation->text) == 0;
    return relation->relates == RELATION_EQUAL ? equal : relation->relates == RELATION_UNEQUAL && !equal;
  }
  if (!relation->numeric)
    return relation->relates == RELATION_UNEQUAL;
  long double left = value->type == TRACE_INTEGER   ? (long double)value->integer
                     : value->type == TRACE_NATURAL ? (long double)value->natural
                                                    : (long double)value->real;
  return number_holds(relation->relates, left, relation->number);
}

/* What events have by their kind. */
enum intrinsic { OF_LOCK, OF_TASK, OF_CREATOR, OF_THREAD, INTRINSICS };

static const char *const intrinsic_names[INTRINSICS] = {NAME_OF_LOCK, "task", "creator", "thread number"};

/* Heddle's regions that are points: they have no duration, and end or cause something. */
static bool is_of_heddle(const struct trace_region *region)
{
  static const char *const names[] = {
      REGION_PTHREAD_UNLOCK,  REGION_PTHREAD_SIGNAL, REGION_PTHREAD_BROADCAST,  REGION_PTHREAD_POST,
      REGION_PTHREAD_ARRIVAL, REGION_PTHREAD_END,    REGION_PTHREAD_NOTIFY_ONE, REGION_PTHREAD_NOTIFY_ALL,
      REGION_PTHREAD_CREATE,  REGION_NOTIFY,         REGION_NOTIFY_ALL,         REGION_INTERRUPT,
      REGION_UNPARK,          REGION_START_THREAD};
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

/* The program's events have its attributes alone; Heddle's events lack attributes about how they were recorded. */
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
  struct trace_omitted omitted = trace_omitted_by(reader->trace, event);
  if (omitted.instances == 0 || omitted.region == TRACE_NONE || !reader->wanted[omitted.region] ||
      reader->selection->relation_count > 0)
    return TRACE_NONE;
  *count = omitted.instances;
  return omitted.region;
}

void point_reader_free(struct point_reader *reader)
{
  vector_free(&reader->values);
}

struct stream {
  const struct trace *trace;
  const struct point_selection *selection;
  bool *wanted;
  points_taker *take;
  void *context;
  struct stream_lane **lanes; /* a location */
};

/* Points that wait, and their values in the same order. */
struct stream_lane {
  struct point_reader reader;
  struct item_queue points, values;
  uint64_t reached; /* the time of the last event */
  struct error *error;
};

static void *stream_open_lane(void *context, const struct pass_location *location, struct error *error)
{
  struct stream *stream = context;
  struct stream_lane *lane = calloc(1, sizeof *lane);
  if (!lane) {
    error_set(error, "%s: out of memory", stream->trace->anchor);
    return NULL;
  }
  *lane = (struct stream_lane){.reader = {.trace = stream->trace,
                                          .selection = stream->selection,
                                          .wanted = stream->wanted,
                                          .location = location->number},
                               .points = {.size = sizeof(struct point), .time_at = offsetof(struct point, time)},
                               .values = {.size = sizeof(struct trace_value)},
                               .error = error};
  stream->lanes[location->number] = lane;
  return lane;
}

static void stream_close_lane(void *context, void *opened)
{
  struct stream_lane *lane = opened;
  (void)context;
  point_reader_free(&lane->reader);
  item_queue_free(&lane->points);
  item_queue_free(&lane->values);
  free(lane);
}

static bool stream_keep(struct stream_lane *lane, const struct point *point)
{
  struct point *place = item_queue_add(&lane->points);
  if (!place)
    return false;
  *place = *point;
  for (uint32_t i = 0; i < point->count; i++) {
    struct trace_value *value = item_queue_add(&lane->values);
    if (!value)
      return false;
    *value = point->values[i];
  }
  return true;
}

static bool stream_take_event(void *opened, const struct trace_event *event)
{
  struct stream_lane *lane = opened;
  struct point point;
  bool found;
  lane->reached = event->time;
  if (point_reader_take(&lane->reader, event, &point, &found) && (!found || stream_keep(lane, &point)))
    return true;
  return error_set(lane->error, "%s: out of memory", lane->reader.trace->anchor);
}

static struct item_queue *queue_of(void *opened)
{
  return &((struct stream_lane *)opened)->points;
}

static uint64_t reached_by(void *opened)
{
  return ((struct stream_lane *)opened)->reached;
}

static bool take_item(void *context, uint32_t location, void *item)
{
  const struct stream *stream = context;
  struct stream_lane *lane = stream->lanes[location];
  struct point *point = item;
  point->values = item_queue_first(&lane->values);
  bool good = stream->take(stream->context, point);
  for (uint32_t i = 0; i < point->count; i++)
    item_queue_drop_first(&lane->values);
  return good;
}

bool points_in_order(const struct trace *trace, struct pool *pool, const struct point_selection *selection,
                     points_taker *take, void *context, struct error *error)
{
  struct stream stream = {.trace = trace, .selection = selection, .take = take, .context = context};
  stream.wanted = points_wanted(trace, selection);
  stream.lanes = calloc(trace->location_count + 1, sizeof(struct stream_lane *));
  const struct subscriber subscriber = {.context = &stream,
                                        .stateless = true,
                                        .open = stream_open_lane,
                                        .event = stream_take_event,
                                        .close = stream_close_lane,
                                        .queue = queue_of,
                                        .reached = reached_by,
                                        .take = take_item};
  const struct subscriber *list[] = {&subscriber};
  bool good = stream.wanted && stream.lanes;
  if (good)
    good = pass_in_order(trace, pool, list, 1, error);
  else
    error_set(error, "%s: out of memory", trace->anchor);
  free(stream.wanted);
  free(stream.lanes);
  return good;
}
