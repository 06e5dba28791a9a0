#include "analyzer/trace/exact_calls.h"

#include "analyzer/trace/stream.h"
#include "base/count_of.h"

#include <stdlib.h>
#include <string.h>

/* REF_MAP_NONE: it is none of ours. */
static uint32_t attribute_named(const char *name)
{
  static const char *const names[] = {
#define EXACT_CALLS_X(constant, name, ...) [EXACT_##constant] = name,
      CALL_ATTRIBUTES(EXACT_CALLS_X)
#undef EXACT_CALLS_X
  };
  for (uint32_t i = 0; i < EXACT_DURATION; i++)
    if (strcmp(name, names[i]) == 0)
      return i;
  if (strncmp(name, NAME_DURATION, strlen(NAME_DURATION)) != 0)
    return REF_MAP_NONE;
  unsigned long power = strtoul(name + strlen(NAME_DURATION), NULL, 10);
  return power < EXACT_CALLS_DURATIONS ? EXACT_DURATION + (uint32_t)power : REF_MAP_NONE;
}

/* False: no memory. */
static bool find_attributes(struct exact_calls *calls)
{
  for (uint32_t i = 0; i < calls->paths->attribute_count; i++) {
    const struct samples_attribute *attribute = &calls->paths->attributes[i];
    uint32_t meaning = attribute_named(attribute->name);
    if (meaning != REF_MAP_NONE && !ref_map_set(&calls->attribute_of, attribute->ref, meaning))
      return false;
  }
  return true;
}

static uint64_t count_of(const struct trace *trace, const char *name)
{
  const char *value = trace_property(trace, TRACE_OF_ARCHIVE, 0, name);
  return value ? strtoull(value, NULL, 10) : 0;
}

static void count(struct exact_calls *calls, const struct trace *trace)
{
  calls->full = count_of(trace, ARCHIVE_CALLS_FULL);
  calls->deep = count_of(trace, ARCHIVE_CALLS_DEEP);
  calls->not_measured = count_of(trace, ARCHIVE_CALLS_SKIPPED);
  calls->left = count_of(trace, ARCHIVE_CALLS_LEFT);
  calls->unmatched = count_of(trace, ARCHIVE_CALLS_UNMATCHED);
  calls->on_virtual = count_of(trace, ARCHIVE_CALLS_ON_VIRTUAL);
  calls->damaged = count_of(trace, ARCHIVE_CALLS_DAMAGED);
}

struct exact_calls *exact_calls_open(const struct trace *trace, bool *none, struct error *error)
{
  *none = trace_property(trace, TRACE_OF_ARCHIVE, 0, ARCHIVE_CALLS) == NULL;
  if (*none)
    return NULL;
  struct exact_calls *calls = calloc(1, sizeof *calls);
  if (!calls) {
    error_set(error, "%s: out of memory", trace->anchor);
    return NULL;
  }
  count(calls, trace);
  calls->paths = samples_open_named(trace, "calls", error);
  if (calls->paths && (find_attributes(calls) || error_set(error, "%s: out of memory", trace->anchor)))
    return calls;
  exact_calls_close(calls);
  return NULL;
}

void exact_calls_close(struct exact_calls *calls)
{
  if (!calls)
    return;
  samples_close(calls->paths);
  ref_map_free(&calls->attribute_of);
  free(calls);
}

/* The events of an archive of exact calls. */

#define EXACT_CALLS_READ_BATCH 1024 /* events */

struct reading {
  const struct exact_calls *calls;
  exact_calls_visitor *visitor;
  void *context;
  bool ended;     /* by the visitor */
  bool undefined; /* sums are of an undefined context */
};

static void set_number(struct exact_calls_sums *sums, uint32_t attribute, uint64_t number)
{
  uint64_t *const numbers[] = {
      [EXACT_CALLS] = &sums->calls,     [EXACT_INCLUSIVE] = &sums->inclusive, [EXACT_SELF] = &sums->self,
      [EXACT_BLOCKED] = &sums->blocked, [EXACT_SHORTEST] = &sums->shortest,   [EXACT_LONGEST] = &sums->longest,
      [EXACT_RUNNING] = &sums->running};
  if (attribute >= EXACT_DURATION)
    sums->durations[attribute - EXACT_DURATION] = number;
  else if (attribute < COUNT_OF(numbers))
    *numbers[attribute] = number;
}

static void take_attribute(const struct exact_calls *calls, OTF2_AttributeList *list, uint32_t index,
                           struct exact_calls_sums *sums)
{
  OTF2_AttributeRef ref;
  OTF2_Type type;
  OTF2_AttributeValue value;
  if (OTF2_AttributeList_GetAttributeByIndex(list, index, &ref, &type, &value) != OTF2_SUCCESS)
    return;
  uint32_t attribute = ref_map_get(&calls->attribute_of, ref);
  if (attribute == EXACT_SITE && type == OTF2_TYPE_SOURCE_CODE_LOCATION)
    sums->line = ref_map_get(&calls->paths->line_of, value.sourceCodeLocationRef);
  else if (attribute != REF_MAP_NONE && attribute != EXACT_SITE && type == OTF2_TYPE_UINT64)
    set_number(sums, attribute, value.uint64);
}

static OTF2_CallbackCode on_sums(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position, void *user,
                                 OTF2_AttributeList *attributes, OTF2_CallingContextRef context, uint32_t unwind,
                                 OTF2_InterruptGeneratorRef generator)
{
  (void)location;
  (void)time;
  (void)position;
  (void)unwind;
  (void)generator;
  struct reading *reading = user;
  const struct exact_calls *calls = reading->calls;
  struct exact_calls_sums sums = {.context = ref_map_get(&calls->paths->context_of, context), .line = TRACE_NONE};
  if (sums.context == REF_MAP_NONE) {
    reading->undefined = true;
    return OTF2_CALLBACK_INTERRUPT;
  }
  for (uint32_t i = 0; i < OTF2_AttributeList_GetNumberOfElements(attributes); i++)
    take_attribute(calls, attributes, i, &sums);
  reading->ended = !reading->visitor(reading->context, &sums);
  return reading->ended ? OTF2_CALLBACK_INTERRUPT : OTF2_CALLBACK_SUCCESS;
}

static bool exact_calls_read_events(struct reading *reading, OTF2_Reader *reader, OTF2_EvtReader *events)
{
  OTF2_EvtReaderCallbacks *callbacks = OTF2_EvtReaderCallbacks_New();
  uint64_t read = EXACT_CALLS_READ_BATCH;
  if (!callbacks)
    return false;
  OTF2_EvtReaderCallbacks_SetCallingContextSampleCallback(callbacks, on_sums);
  OTF2_ErrorCode code = OTF2_Reader_RegisterEvtCallbacks(reader, events, callbacks, reading);
  OTF2_EvtReaderCallbacks_Delete(callbacks);
  while (code == OTF2_SUCCESS && read == EXACT_CALLS_READ_BATCH) {
    code = OTF2_Reader_ReadLocalEvents(reader, events, EXACT_CALLS_READ_BATCH, &read);
    reading_cost_add_events(read);
  }
  return code == OTF2_SUCCESS || reading->ended;
}

bool exact_calls_read(const struct exact_calls *calls, const struct trace_location *location,
                      exact_calls_visitor *visitor, void *context, struct error *error)
{
  struct reading reading = {.calls = calls, .visitor = visitor, .context = context};
  const char *anchor = calls->paths->anchor;
  if (ref_map_get(&calls->paths->locations, location->ref) == REF_MAP_NONE)
    return true; /* it called nothing */
  OTF2_Reader *reader = OTF2_Reader_Open(anchor);
  bool good = reader && OTF2_Reader_SetSerialCollectiveCallbacks(reader) == OTF2_SUCCESS &&
              OTF2_Reader_SelectLocation(reader, location->ref) == OTF2_SUCCESS;
  bool opened = good && OTF2_Reader_OpenEvtFiles(reader) == OTF2_SUCCESS;
  good = opened && otf2_part_is_whole(reader, anchor, location->ref, ".evt");
  OTF2_EvtReader *events = good ? OTF2_Reader_GetEvtReader(reader, location->ref) : NULL;
  good = events && exact_calls_read_events(&reading, reader, events);
  if (events)
    OTF2_Reader_CloseEvtReader(reader, events);
  if (opened)
    OTF2_Reader_CloseEvtFiles(reader);
  if (reader)
    OTF2_Reader_Close(reader);
  return good || error_set(error, "%s: cannot read the calls of %s: %s", anchor, location->name,
                           reading.undefined ? "some are in an undefined calling context" : "missing or damaged");
}
