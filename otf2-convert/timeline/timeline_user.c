/*
 * The program's own regions, phases and events. They nest in what is around them. If a program leaves a region within
 * another construct than it entered it in, this does not leave the construct.
 */
#include "otf2-convert/timeline/timeline_records.h"

/* The region of a construct of the user's with a name. */
static uint32_t timeline_user_region_of(struct timeline *t, enum construct construct, uint64_t name)
{
  uint64_t code = definitions_user_code(name);
  return definitions_region(t->on->definitions, &t->worker->regions, t->location->process->index, construct, &code, 0);
}

uint32_t timeline_user_region(struct timeline *t, unsigned kind, uint64_t name)
{
  return timeline_user_region_of(t, kind == RAW_USER_EVENT ? C_USER_EVENT : C_USER_REGION, name);
}

static void enter(struct timeline *t, enum frame_type type, enum construct construct, uint64_t name, uint64_t time)
{
  uint32_t region = timeline_user_region_of(t, construct, name);
  struct frame *frame = frame_push(t, type, 0, region, frame_enclosing_code(t));
  if (frame == NULL)
    return;
  frame->key = name;
  attend_weight(t, RAW_USER_ENTER);
  sink_enter_with(&t->sink, time, region);
}

/* The open region with that name, inside the innermost construct; NO_FRAME: there is none. */
static uint32_t find_region(const struct timeline *t, uint64_t name)
{
  for (uint32_t i = t->frames.count; i-- > 0 && frame_is_users(&t->frames.items[i]);)
    if (t->frames.items[i].type == F_USER && t->frames.items[i].key == name)
      return i;
  return NO_FRAME;
}

void take_user_enter(struct timeline *t, const uint64_t *record, uint64_t time)
{
  enter(t, F_USER, C_USER_REGION, raw_value_of(record[0]), time);
}

void take_user_leave(struct timeline *t, const uint64_t *record, uint64_t time)
{
  uint32_t frame = find_region(t, raw_value_of(record[0]));
  if (frame == NO_FRAME && t->hidden[F_USER] == 0)
    t->counts.user_unmatched++;
  else
    frame_end(t, F_USER, frame, time);
}

void take_user_phase(struct timeline *t, const uint64_t *record, uint64_t time)
{
  uint64_t name = raw_value_of(record[0]);
  if (t->frames.count > 0 && frame_top(t)->type == F_PHASE)
    frame_close_top(t, time, CLOSED_BY_END);
  if (name != 0)
    enter(t, F_PHASE, C_USER_PHASE, name, time);
  t->hidden[F_PHASE] = 0; /* phases have no end records */
}

static void add_attribute(struct timeline *t, const uint64_t *element)
{
  unsigned type = element[0] >> 48 & 0xffff;
  if (type != RAW_USER_INTEGER && type != RAW_USER_REAL)
    return;
  uint32_t ref = definitions_user_attribute(t->on->definitions, t->location->process->index,
                                            element[0] & RAW_VALUE_MASK, (enum raw_user_type)type);
  /* The library accepts an attribute only once: the first one with a name counts. */
  if (ref == ATTRIBUTE_NONE || OTF2_AttributeList_TestAttributeByID(t->sink.attributes, ref))
    return;
  OTF2_AttributeValue value = {.uint64 = element[1]};
  archive_check(t->sink.archive,
                OTF2_AttributeList_AddAttribute(t->sink.attributes, ref,
                                                type == RAW_USER_REAL ? OTF2_TYPE_DOUBLE : OTF2_TYPE_INT64, value));
}

void take_user_event(struct timeline *t, const uint64_t *record, uint64_t time)
{
  if (user_name_is_built(&t->location->process->info.names, raw_value_of(record[0])))
    return; /* it is a property of the process */
  uint32_t region = timeline_user_region_of(t, C_USER_EVENT, raw_value_of(record[0]));
  unsigned count = raw_detail_of(record[0]);
  for (unsigned i = 0; i < count; i++)
    add_attribute(t, &record[2 + i * RAW_EXTRA]);
  attend_weight(t, RAW_USER_EVENT);
  sink_zero_length_with(&t->sink, time, region);
}

/* Functions of instrumented code, with a record for each call. They nest in what is around them, as the program's own
 * regions. The recorder reports functions that were left by a jump. */
void take_call_enter(struct timeline *t, const uint64_t *record, uint64_t time)
{
  uint64_t function = raw_value_of(record[0]), code = function;
  uint32_t region =
      definitions_region(t->on->definitions, &t->worker->regions, t->location->process->index, C_CALL, &code, 0);
  struct frame *frame = frame_push(t, F_CALL, 0, region, frame_enclosing_code(t));
  if (frame == NULL)
    return;
  frame->key = function;
  sink_enter(&t->sink, time, region);
}

/* The open call of the function inside the innermost construct; NO_FRAME: there is none. */
static uint32_t find_call(const struct timeline *t, uint64_t function)
{
  for (uint32_t i = t->frames.count; i-- > 0 && frame_is_users(&t->frames.items[i]);)
    if (t->frames.items[i].type == F_CALL && t->frames.items[i].key == function)
      return i;
  return NO_FRAME;
}

void take_call_leave(struct timeline *t, const uint64_t *record, uint64_t time)
{
  frame_end(t, F_CALL, find_call(t, raw_value_of(record[0])), time);
}
