#include "tests/fuzz/otf2_player_input.h"

#include "analyzer/trace/stream.h"

#include <stdlib.h>

enum { ATTRIBUTES = 8 };

struct OTF2_EvtReaderCallbacks_struct {
#define X(name, ...) OTF2_EvtReaderCallback_##name name;
  TRACE_EVENTS(X)
#undef X
};
#define X(name, ...)                                                                                                   \
  OTF2_ErrorCode OTF2_EvtReaderCallbacks_Set##name##Callback(OTF2_EvtReaderCallbacks *callbacks,                       \
                                                             OTF2_EvtReaderCallback_##name callback)                   \
  {                                                                                                                    \
    callbacks->name = callback;                                                                                        \
    return OTF2_SUCCESS;                                                                                               \
  }
TRACE_EVENTS(X)
#undef X

OTF2_EvtReaderCallbacks *OTF2_EvtReaderCallbacks_New(void)
{
  return calloc(1, sizeof(OTF2_EvtReaderCallbacks));
}

void OTF2_EvtReaderCallbacks_Delete(OTF2_EvtReaderCallbacks *callbacks)
{
  free(callbacks);
}

/* Attributes of an event. */
struct OTF2_AttributeList_struct {
  unsigned count;
  struct {
    uint32_t ref;
    OTF2_Type type;
    OTF2_AttributeValue value;
  } list[ATTRIBUTES];
};

static void take_attributes(struct input *input, OTF2_AttributeList *attributes)
{
  for (attributes->count = 0; input->at < input->end && attributes->count < ATTRIBUTES; attributes->count++) {
    attributes->list[attributes->count].ref = take_ref(input);
    attributes->list[attributes->count].value = take_value(input, &attributes->list[attributes->count].type);
  }
}

bool OTF2_AttributeList_TestAttributeByID(const OTF2_AttributeList *attributes, OTF2_AttributeRef ref)
{
  for (unsigned i = 0; i < attributes->count; i++)
    if (attributes->list[i].ref == ref)
      return true;
  return false;
}

uint32_t OTF2_AttributeList_GetNumberOfElements(const OTF2_AttributeList *attributes)
{
  return attributes->count;
}

OTF2_ErrorCode OTF2_AttributeList_GetAttributeByID(const OTF2_AttributeList *attributes, OTF2_AttributeRef ref,
                                                   OTF2_Type *type, OTF2_AttributeValue *value)
{
  for (unsigned i = 0; i < attributes->count; i++)
    if (attributes->list[i].ref == ref) {
      *type = attributes->list[i].type;
      *value = attributes->list[i].value;
      return OTF2_SUCCESS;
    }
  return OTF2_ERROR_INDEX_OUT_OF_BOUNDS;
}

OTF2_ErrorCode OTF2_AttributeList_GetAttributeByIndex(const OTF2_AttributeList *attributes, uint32_t index,
                                                      OTF2_AttributeRef *ref, OTF2_Type *type,
                                                      OTF2_AttributeValue *value)
{
  if (index >= attributes->count)
    return OTF2_ERROR_INDEX_OUT_OF_BOUNDS;
  *ref = attributes->list[index].ref;
  *type = attributes->list[index].type;
  *value = attributes->list[index].value;
  return OTF2_SUCCESS;
}

/* Up to 239 ticks, or a power of 16, or backwards. */
static uint64_t advance(struct input *input, uint64_t now)
{
  uint8_t step = take(input);
  if (step == 255)
    return now - 1;
  uint64_t ticks = step < 240 ? step : UINT64_C(1) << 4 * (step - 239);
  return ticks > UINT64_MAX - now ? UINT64_MAX : now + ticks;
}

/* The reader of a location's events. */
struct OTF2_EvtReader_struct {
  OTF2_EvtReaderCallbacks callbacks;
  void *user;
  OTF2_LocationRef location;
  struct input input;
  uint64_t now, position;
};

static OTF2_CallbackCode play_metric_event(struct OTF2_EvtReader_struct *reader, struct input *input)
{
  OTF2_Type types[METRICS];
  OTF2_MetricValue values[METRICS];
  uint32_t class = take_ref(input);
  uint8_t count = 0;
  for (; input->at < input->end && count < METRICS; count++)
    values[count].unsigned_int = take_value(input, &types[count]).uint64;
  return reader->callbacks.Metric(reader->location, reader->now, reader->position, reader->user, NULL, class, count,
                                  types, values);
}

/* What comes behind location and time. */
static OTF2_CallbackCode play_event(enum played_kind kind, struct OTF2_EvtReader_struct *reader, struct input *input)
{
  const OTF2_EvtReaderCallbacks *callbacks = &reader->callbacks;
  OTF2_AttributeList list, *attributes = &list;
  uint32_t b = 0, c = 0;
  if (kind == PLAYED_METRIC_EVENT)
    return play_metric_event(reader, input);
  uint64_t stop = kind == PLAYED_BUFFER_FLUSH ? advance(input, reader->now) : 0;
  uint32_t a = kind == PLAYED_BUFFER_FLUSH ? 0 : take_ref(input);
  if (kind >= PLAYED_ACQUIRE && kind <= PLAYED_TASK_COMPLETE)
    b = take_ref(input);
  if (kind >= PLAYED_TASK_CREATE && kind <= PLAYED_TASK_COMPLETE)
    c = take_ref(input);
  take_attributes(input, attributes);
#define COMMON reader->location, reader->now, reader->position, reader->user, attributes
  switch (kind) {
  case PLAYED_ENTER:
    return callbacks->Enter(COMMON, a);
  case PLAYED_LEAVE:
    return callbacks->Leave(COMMON, a);
  case PLAYED_TEAM_BEGIN:
    return callbacks->ThreadTeamBegin(COMMON, a);
  case PLAYED_TEAM_END:
    return callbacks->ThreadTeamEnd(COMMON, a);
  case PLAYED_FORK:
    return callbacks->ThreadFork(COMMON, OTF2_PARADIGM_OPENMP, a);
  case PLAYED_JOIN:
    return callbacks->ThreadJoin(COMMON, OTF2_PARADIGM_OPENMP);
  case PLAYED_ACQUIRE:
    return callbacks->ThreadAcquireLock(COMMON, OTF2_PARADIGM_OPENMP, a, b);
  case PLAYED_RELEASE:
    return callbacks->ThreadReleaseLock(COMMON, OTF2_PARADIGM_OPENMP, a, b);
  case PLAYED_TASK_CREATE:
    return callbacks->ThreadTaskCreate(COMMON, a, b, c);
  case PLAYED_TASK_SWITCH:
    return callbacks->ThreadTaskSwitch(COMMON, a, b, c);
  case PLAYED_TASK_COMPLETE:
    return callbacks->ThreadTaskComplete(COMMON, a, b, c);
  case PLAYED_BUFFER_FLUSH:
    return callbacks->BufferFlush(COMMON, stop);
  case PLAYED_MEASUREMENT:
    return callbacks->MeasurementOnOff(COMMON, a % 2 ? OTF2_MEASUREMENT_ON : OTF2_MEASUREMENT_OFF);
  default:
    return callbacks->Unknown(COMMON);
  }
#undef COMMON
}

OTF2_EvtReader *OTF2_Reader_GetEvtReader(OTF2_Reader *reader, OTF2_LocationRef location)
{
  (void)reader;
  OTF2_EvtReader *events = calloc(1, sizeof *events);
  if (events)
    *events = (OTF2_EvtReader){.location = location, .input = whole_input()};
  return events;
}

OTF2_ErrorCode OTF2_Reader_CloseEvtReader(OTF2_Reader *reader, OTF2_EvtReader *events)
{
  (void)reader;
  free(events);
  return OTF2_SUCCESS;
}

OTF2_ErrorCode OTF2_Reader_RegisterEvtCallbacks(OTF2_Reader *reader, OTF2_EvtReader *events,
                                                const OTF2_EvtReaderCallbacks *callbacks, void *user)
{
  (void)reader;
  events->callbacks = *callbacks;
  events->user = user;
  return OTF2_SUCCESS;
}

OTF2_ErrorCode OTF2_Reader_ReadLocalEvents(OTF2_Reader *reader, OTF2_EvtReader *events, uint64_t most, uint64_t *read)
{
  (void)reader;
  struct input fields;
  enum played_kind kind;
  for (*read = 0; *read < most && next_record(&events->input, &kind, &fields);) {
    if (kind < PLAYED_ENTER || take_ref(&fields) != (uint32_t)events->location)
      continue;
    events->now = advance(&fields, events->now);
    events->position++;
    ++*read;
    if (play_event(kind, events, &fields) != OTF2_CALLBACK_SUCCESS)
      return OTF2_ERROR_INTERRUPTED_BY_CALLBACK;
  }
  return OTF2_SUCCESS;
}

/* From the start again: a stream that was closed for others goes on after what it has read. */
OTF2_ErrorCode OTF2_EvtReader_Seek(OTF2_EvtReader *events, uint64_t position)
{
  struct input fields;
  enum played_kind kind;
  while (events->position + 1 < position && next_record(&events->input, &kind, &fields))
    if (kind >= PLAYED_ENTER && take_ref(&fields) == (uint32_t)events->location) {
      events->now = advance(&fields, events->now);
      events->position++;
    }
  return OTF2_SUCCESS;
}

/* Locations have no definitions of their own. */
OTF2_ErrorCode OTF2_Reader_OpenDefFiles(OTF2_Reader *reader)
{
  (void)reader;
  return OTF2_ERROR_ENOENT;
}

OTF2_ErrorCode OTF2_Reader_CloseDefFiles(OTF2_Reader *reader)
{
  (void)reader;
  return OTF2_SUCCESS;
}

OTF2_DefReader *OTF2_Reader_GetDefReader(OTF2_Reader *reader, OTF2_LocationRef location)
{
  (void)reader, (void)location;
  return NULL;
}

OTF2_ErrorCode OTF2_Reader_ReadAllLocalDefinitions(OTF2_Reader *reader, OTF2_DefReader *definitions, uint64_t *read)
{
  (void)reader, (void)definitions;
  *read = 0;
  return OTF2_SUCCESS;
}

OTF2_ErrorCode OTF2_Reader_CloseDefReader(OTF2_Reader *reader, OTF2_DefReader *definitions)
{
  (void)reader, (void)definitions;
  return OTF2_SUCCESS;
}

OTF2_ErrorCode OTF2_Reader_OpenEvtFiles(OTF2_Reader *reader)
{
  (void)reader;
  return OTF2_SUCCESS;
}

OTF2_ErrorCode OTF2_Reader_CloseEvtFiles(OTF2_Reader *reader)
{
  (void)reader;
  return OTF2_SUCCESS;
}
