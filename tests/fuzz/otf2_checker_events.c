/* Events and their attributes. */
#include "tests/fuzz/otf2_checker.h"

static const char *const opened_names[] = {"region", "team", "fork", "thread"};

struct OTF2_AttributeList_struct {
  VECTOR(uint32_t) refs;
};

static struct OTF2_AttributeList_struct *attribute_list; /* the only one there is */

OTF2_AttributeList *OTF2_AttributeList_New(void)
{
  return attribute_list = calloc(1, sizeof *attribute_list);
}

OTF2_ErrorCode OTF2_AttributeList_Delete(OTF2_AttributeList *list)
{
  vector_free(&list->refs);
  free(list);
  attribute_list = NULL;
  return OTF2_SUCCESS;
}

bool OTF2_AttributeList_TestAttributeByID(const OTF2_AttributeList *list, OTF2_AttributeRef attribute)
{
  for (size_t i = 0; i < list->refs.count; i++)
    if (list->refs.items[i] == attribute)
      return true;
  return false;
}

static OTF2_ErrorCode add_attribute(OTF2_AttributeList *list, uint32_t attribute)
{
  if (OTF2_AttributeList_TestAttributeByID(list, attribute))
    checker_broken("attribute %" PRIu32 " is added twice", attribute);
  checker_turn_to(checked_first);
  checker_mark(ATTRIBUTE, attribute, USED);
  vector_push(&list->refs, attribute);
  return OTF2_SUCCESS;
}

OTF2_ErrorCode OTF2_AttributeList_RemoveAllAttributes(OTF2_AttributeList *list)
{
  list->refs.count = 0;
  return OTF2_SUCCESS;
}

OTF2_ErrorCode OTF2_AttributeList_AddAttribute(OTF2_AttributeList *list, OTF2_AttributeRef attribute, OTF2_Type type,
                                               OTF2_AttributeValue value)
{
  if (type == OTF2_TYPE_STRING)
    return OTF2_AttributeList_AddStringRef(list, attribute, value.stringRef);
  if (type != OTF2_TYPE_INT64 && type != OTF2_TYPE_DOUBLE)
    checker_broken("attribute %" PRIu32 " has type %u", attribute, (unsigned)type);
  return add_attribute(list, attribute);
}

OTF2_ErrorCode OTF2_AttributeList_AddUint8(OTF2_AttributeList *list, OTF2_AttributeRef attribute, uint8_t value)
{
  (void)value;
  return add_attribute(list, attribute);
}

OTF2_ErrorCode OTF2_AttributeList_AddUint64(OTF2_AttributeList *list, OTF2_AttributeRef attribute, uint64_t value)
{
  (void)value;
  return add_attribute(list, attribute);
}

OTF2_ErrorCode OTF2_AttributeList_AddInt64(OTF2_AttributeList *list, OTF2_AttributeRef attribute, int64_t value)
{
  (void)value;
  return add_attribute(list, attribute);
}

OTF2_ErrorCode OTF2_AttributeList_AddDouble(OTF2_AttributeList *list, OTF2_AttributeRef attribute, double value)
{
  (void)value;
  return add_attribute(list, attribute);
}

OTF2_ErrorCode OTF2_AttributeList_AddStringRef(OTF2_AttributeList *list, OTF2_AttributeRef attribute,
                                               OTF2_StringRef value)
{
  checker_turn_to(checked_first);
  checker_mark(STRING, value, USED);
  return add_attribute(list, attribute);
}

OTF2_ErrorCode OTF2_AttributeList_AddRegionRef(OTF2_AttributeList *list, OTF2_AttributeRef attribute,
                                               OTF2_RegionRef value)
{
  checker_turn_to(checked_first);
  checker_mark(REGION, value, USED);
  return add_attribute(list, attribute);
}

OTF2_ErrorCode OTF2_AttributeList_AddSourceCodeLocationRef(OTF2_AttributeList *list, OTF2_AttributeRef attribute,
                                                           OTF2_SourceCodeLocationRef value)
{
  checker_mark(LINE, value, USED);
  return add_attribute(list, attribute);
}

static OTF2_ErrorCode event(OTF2_EvtWriter *w, OTF2_AttributeList *attributes, uint64_t time)
{
  if (w->closed)
    checker_broken("location %" PRIu64 ": an event after its file was closed", w->location);
  if (w->events++ == 0)
    w->first = time;
  else if (time < w->last)
    checker_broken("location %" PRIu64 ": an event at %" PRIu64 " after one at %" PRIu64, w->location, time, w->last);
  w->last = time;
  if (attributes != NULL)
    attributes->refs.count = 0;
  else if (attribute_list->refs.count != 0)
    checker_broken("location %" PRIu64 ": attributes were added for another event than this one", w->location);
  return OTF2_SUCCESS;
}

static OTF2_ErrorCode begin(OTF2_EvtWriter *w, OTF2_AttributeList *attributes, uint64_t time, enum opened what,
                            uint32_t ref)
{
  struct opening opening = {.what = what, .ref = ref};
  if (!vector_push(&w->open, opening))
    checker_broken("out of memory");
  return event(w, attributes, time);
}

static OTF2_ErrorCode end(OTF2_EvtWriter *w, OTF2_AttributeList *attributes, uint64_t time, enum opened what,
                          uint32_t ref)
{
  if (w->open.count == 0)
    checker_broken("location %" PRIu64 ": end of %s %" PRIu32 ", but nothing is open", w->location, opened_names[what],
                   ref);
  struct opening last = w->open.items[--w->open.count];
  if (last.what != what || last.ref != ref)
    checker_broken("location %" PRIu64 ": end of %s %" PRIu32 ", but %s %" PRIu32 " is open", w->location,
                   opened_names[what], ref, opened_names[last.what], last.ref);
  return event(w, attributes, time);
}

OTF2_ErrorCode OTF2_EvtWriter_Enter(OTF2_EvtWriter *w, OTF2_AttributeList *attributes, OTF2_TimeStamp time,
                                    OTF2_RegionRef region)
{
  checker_turn_to(w->archive);
  checker_mark(REGION, region, USED);
  return begin(w, attributes, time, OPEN_REGION, region);
}

OTF2_ErrorCode OTF2_EvtWriter_Leave(OTF2_EvtWriter *w, OTF2_AttributeList *attributes, OTF2_TimeStamp time,
                                    OTF2_RegionRef region)
{
  return end(w, attributes, time, OPEN_REGION, region);
}

OTF2_ErrorCode OTF2_EvtWriter_ThreadBegin(OTF2_EvtWriter *w, OTF2_AttributeList *attributes, OTF2_TimeStamp time,
                                          OTF2_CommRef contingent, uint64_t sequence)
{
  (void)contingent, (void)sequence;
  return begin(w, attributes, time, OPEN_THREAD, 0);
}

OTF2_ErrorCode OTF2_EvtWriter_ThreadEnd(OTF2_EvtWriter *w, OTF2_AttributeList *attributes, OTF2_TimeStamp time,
                                        OTF2_CommRef contingent, uint64_t sequence)
{
  (void)contingent, (void)sequence;
  return end(w, attributes, time, OPEN_THREAD, 0);
}

OTF2_ErrorCode OTF2_EvtWriter_ThreadCreate(OTF2_EvtWriter *w, OTF2_AttributeList *attributes, OTF2_TimeStamp time,
                                           OTF2_CommRef contingent, uint64_t sequence)
{
  (void)contingent, (void)sequence;
  return event(w, attributes, time);
}

OTF2_ErrorCode OTF2_EvtWriter_ThreadWait(OTF2_EvtWriter *w, OTF2_AttributeList *attributes, OTF2_TimeStamp time,
                                         OTF2_CommRef contingent, uint64_t sequence)
{
  (void)contingent, (void)sequence;
  return event(w, attributes, time);
}

OTF2_ErrorCode OTF2_EvtWriter_ThreadFork(OTF2_EvtWriter *w, OTF2_AttributeList *attributes, OTF2_TimeStamp time,
                                         OTF2_Paradigm model, uint32_t requested)
{
  (void)model, (void)requested;
  return begin(w, attributes, time, OPEN_FORK, 0);
}

OTF2_ErrorCode OTF2_EvtWriter_ThreadJoin(OTF2_EvtWriter *w, OTF2_AttributeList *attributes, OTF2_TimeStamp time,
                                         OTF2_Paradigm model)
{
  (void)model;
  return end(w, attributes, time, OPEN_FORK, 0);
}

static void use_comm(const OTF2_EvtWriter *w, uint32_t comm)
{
  checker_turn_to(w->archive);
  if (comm != OTF2_UNDEFINED_COMM)
    checker_mark(COMM, comm, USED);
}

OTF2_ErrorCode OTF2_EvtWriter_ThreadTeamBegin(OTF2_EvtWriter *w, OTF2_AttributeList *attributes, OTF2_TimeStamp time,
                                              OTF2_CommRef team)
{
  use_comm(w, team);
  return begin(w, attributes, time, OPEN_TEAM, team);
}

OTF2_ErrorCode OTF2_EvtWriter_ThreadTeamEnd(OTF2_EvtWriter *w, OTF2_AttributeList *attributes, OTF2_TimeStamp time,
                                            OTF2_CommRef team)
{
  return end(w, attributes, time, OPEN_TEAM, team);
}

OTF2_ErrorCode OTF2_EvtWriter_ThreadAcquireLock(OTF2_EvtWriter *w, OTF2_AttributeList *attributes, OTF2_TimeStamp time,
                                                OTF2_Paradigm model, uint32_t lock, uint32_t order)
{
  struct turn turn = {.lock = lock, .order = order};
  (void)model;
  if (!vector_push(&w->held, turn))
    checker_broken("out of memory");
  return event(w, attributes, time);
}

OTF2_ErrorCode OTF2_EvtWriter_ThreadReleaseLock(OTF2_EvtWriter *w, OTF2_AttributeList *attributes, OTF2_TimeStamp time,
                                                OTF2_Paradigm model, uint32_t lock, uint32_t order)
{
  (void)model;
  size_t i = w->held.count;
  while (i > 0 && (w->held.items[i - 1].lock != lock || w->held.items[i - 1].order != order))
    i--;
  if (i == 0)
    checker_broken("location %" PRIu64 ": lock %" PRIu32 " (turn %" PRIu32 ") is released, but not held", w->location,
                   lock, order);
  w->held.items[i - 1] = w->held.items[--w->held.count];
  return event(w, attributes, time);
}

static OTF2_ErrorCode task(OTF2_EvtWriter *w, OTF2_AttributeList *attributes, uint64_t time, uint32_t team)
{
  use_comm(w, team);
  return event(w, attributes, time);
}

OTF2_ErrorCode OTF2_EvtWriter_ThreadTaskCreate(OTF2_EvtWriter *w, OTF2_AttributeList *attributes, OTF2_TimeStamp time,
                                               OTF2_CommRef team, uint32_t creator, uint32_t generation)
{
  (void)creator, (void)generation;
  return task(w, attributes, time, team);
}

OTF2_ErrorCode OTF2_EvtWriter_ThreadTaskSwitch(OTF2_EvtWriter *w, OTF2_AttributeList *attributes, OTF2_TimeStamp time,
                                               OTF2_CommRef team, uint32_t creator, uint32_t generation)
{
  (void)creator, (void)generation;
  return task(w, attributes, time, team);
}

OTF2_ErrorCode OTF2_EvtWriter_ThreadTaskComplete(OTF2_EvtWriter *w, OTF2_AttributeList *attributes, OTF2_TimeStamp time,
                                                 OTF2_CommRef team, uint32_t creator, uint32_t generation)
{
  (void)creator, (void)generation;
  return task(w, attributes, time, team);
}

OTF2_ErrorCode OTF2_EvtWriter_MeasurementOnOff(OTF2_EvtWriter *w, OTF2_AttributeList *attributes, OTF2_TimeStamp time,
                                               OTF2_MeasurementMode mode)
{
  bool off = mode == OTF2_MEASUREMENT_OFF;
  if (off == w->off)
    checker_broken("location %" PRIu64 ": measurement is switched %s twice", w->location, off ? "off" : "on");
  w->off = off;
  return event(w, attributes, time);
}

OTF2_ErrorCode OTF2_EvtWriter_Metric(OTF2_EvtWriter *w, OTF2_AttributeList *attributes, OTF2_TimeStamp time,
                                     OTF2_MetricRef metric, uint8_t count, const OTF2_Type *types,
                                     const OTF2_MetricValue *values)
{
  (void)count, (void)types, (void)values;
  checker_turn_to(w->archive);
  checker_mark(METRIC_CLASS, metric, USED);
  return event(w, attributes, time);
}

OTF2_ErrorCode OTF2_EvtWriter_CallingContextSample(OTF2_EvtWriter *w, OTF2_AttributeList *attributes,
                                                   OTF2_TimeStamp time, OTF2_CallingContextRef context,
                                                   uint32_t distance, OTF2_InterruptGeneratorRef trigger)
{
  checker_turn_to(w->archive);
  checker_mark(CONTEXT, context, USED);
  checker_mark(TRIGGER, trigger, USED);
  if (distance == 0)
    checker_broken("location %" PRIu64 ": a sample without unwind distance", w->location);
  return event(w, attributes, time);
}

OTF2_ErrorCode OTF2_EvtWriter_GetNumberOfEvents(OTF2_EvtWriter *w, uint64_t *events)
{
  *events = w->events;
  return OTF2_SUCCESS;
}

void checker_end_of_events(const struct OTF2_EvtWriter_struct *w)
{
  if (w->open.count > 0)
    checker_broken("location %" PRIu64 ": a %s is open at the end", w->location,
                   opened_names[w->open.items[w->open.count - 1].what]);
  if (w->events > 0 && (w->first < checked->offset || w->last - checked->offset > checked->length))
    checker_broken("location %" PRIu64 ": events from %" PRIu64 " to %" PRIu64 ", but the run is from %" PRIu64
                   ", %" PRIu64 " long",
                   w->location, w->first, w->last, checked->offset, checked->length);
  checker_need(LOCATION, w->location);
}
