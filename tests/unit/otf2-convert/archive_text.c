#include "tests/unit/otf2-convert/archive_text.h"

#include <inttypes.h>
#include <otf2/otf2.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST 8192

struct text {
  FILE *file;
  const char *kind; /* of definitions that are wanted; NULL: none */
  char *strings[MOST];
  OTF2_StringRef regions[MOST], attributes[MOST];
  uint32_t lines[MOST]; /* of source code locations */
  struct {
    OTF2_RegionRef region;
    OTF2_SourceCodeLocationRef line;
    OTF2_CallingContextRef parent;
  } contexts[MOST];
};

static OTF2_CallbackCode on_string(void *data, OTF2_StringRef self, const char *string)
{
  struct text *t = data;
  if (self < MOST)
    t->strings[self] = strdup(string);
  return OTF2_CALLBACK_SUCCESS;
}

/* Whether the definition is wanted: its line has been begun then. */
static bool begin_line(struct text *t, const char *kind)
{
  bool wanted = t->kind != NULL && strcmp(t->kind, kind) == 0;
  if (wanted)
    fputs(kind, t->file);
  return wanted;
}

static OTF2_CallbackCode on_region(void *data, OTF2_RegionRef self, OTF2_StringRef name, OTF2_StringRef canonical,
                                   OTF2_StringRef description, OTF2_RegionRole role, OTF2_Paradigm paradigm,
                                   OTF2_RegionFlag flags, OTF2_StringRef file, uint32_t begin, uint32_t end)
{
  struct text *t = data;
  (void)role, (void)end;
  if (self < MOST)
    t->regions[self] = name;
  if (begin_line(t, "region"))
    fprintf(t->file, " %s; %s; %s; %s:%" PRIu32 "%s%s\n", t->strings[name], t->strings[canonical],
            t->strings[description], t->strings[file], begin,
            paradigm == OTF2_PARADIGM_PTHREAD ? " Java"
            : paradigm == OTF2_PARADIGM_USER  ? " User"
                                              : "",
            flags == OTF2_REGION_FLAG_PHASE ? " phase" : "");
  return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_attribute(void *data, OTF2_AttributeRef self, OTF2_StringRef name,
                                      OTF2_StringRef description, OTF2_Type type)
{
  (void)description, (void)type;
  if (self < MOST)
    ((struct text *)data)->attributes[self] = name;
  return OTF2_CALLBACK_SUCCESS;
}

static void end_line_with_ref(struct text *t, uint32_t ref)
{
  if (ref == UINT32_MAX)
    fputs(" -\n", t->file);
  else
    fprintf(t->file, " %" PRIu32 "\n", ref);
}

static void print_property(struct text *t, uint64_t of, OTF2_StringRef name, OTF2_Type type, OTF2_AttributeValue value)
{
  fprintf(t->file, " %" PRIu64 " %s=", of, t->strings[name]);
  if (type == OTF2_TYPE_STRING)
    fprintf(t->file, "%s\n", t->strings[value.stringRef]);
  else
    fprintf(t->file, "%" PRIu64 "\n", value.uint64);
}

static OTF2_CallbackCode on_clock(void *data, uint64_t resolution, uint64_t offset, uint64_t length, uint64_t realtime)
{
  struct text *t = data;
  if (begin_line(t, "clock"))
    fprintf(t->file, " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", resolution, offset, length, realtime);
  return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_node(void *data, OTF2_SystemTreeNodeRef self, OTF2_StringRef name, OTF2_StringRef class,
                                 OTF2_SystemTreeNodeRef parent)
{
  struct text *t = data;
  if (begin_line(t, "node")) {
    fprintf(t->file, " %" PRIu32 " %s %s in", self, t->strings[class], t->strings[name]);
    end_line_with_ref(t, parent);
  }
  return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_group(void *data, OTF2_LocationGroupRef self, OTF2_StringRef name,
                                  OTF2_LocationGroupType type, OTF2_SystemTreeNodeRef node,
                                  OTF2_LocationGroupRef creator)
{
  struct text *t = data;
  (void)type;
  if (begin_line(t, "group")) {
    fprintf(t->file, " %" PRIu32 " %s on %" PRIu32 " of", self, t->strings[name], node);
    end_line_with_ref(t, creator);
  }
  return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_location(void *data, OTF2_LocationRef self, OTF2_StringRef name, OTF2_LocationType type,
                                     uint64_t events, OTF2_LocationGroupRef group)
{
  struct text *t = data;
  (void)type, (void)events;
  if (begin_line(t, "location"))
    fprintf(t->file, " %" PRIu64 " %s in %" PRIu32 "\n", self, t->strings[name], group);
  return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_group_property(void *data, OTF2_LocationGroupRef group, OTF2_StringRef name, OTF2_Type type,
                                           OTF2_AttributeValue value)
{
  if (begin_line(data, "group-property"))
    print_property(data, group, name, type, value);
  return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_location_property(void *data, OTF2_LocationRef location, OTF2_StringRef name,
                                              OTF2_Type type, OTF2_AttributeValue value)
{
  if (begin_line(data, "location-property"))
    print_property(data, location, name, type, value);
  return OTF2_CALLBACK_SUCCESS;
}

static void print_attributes(struct text *t, OTF2_AttributeList *list)
{
  uint32_t count = OTF2_AttributeList_GetNumberOfElements(list);
  for (uint32_t i = 0; i < count; i++) {
    OTF2_AttributeRef ref;
    OTF2_Type type;
    OTF2_AttributeValue value;
    OTF2_AttributeList_GetAttributeByIndex(list, i, &ref, &type, &value);
    fprintf(t->file, " %s=", t->strings[t->attributes[ref]]);
    if (type == OTF2_TYPE_STRING)
      fputs(t->strings[value.stringRef], t->file);
    else if (type == OTF2_TYPE_REGION)
      fputs(t->strings[t->regions[value.regionRef]], t->file);
    else if (type == OTF2_TYPE_DOUBLE)
      fprintf(t->file, "%g", value.float64);
    else if (type == OTF2_TYPE_UINT8)
      fprintf(t->file, "%u", value.uint8);
    else
      fprintf(t->file, "%" PRId64, value.int64);
  }
  fputc('\n', t->file);
}

#define EVENT(function, name, ...)                                                                                     \
  static OTF2_CallbackCode function(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position, void *data,     \
                                    OTF2_AttributeList *attributes __VA_OPT__(, ) __VA_ARGS__)                         \
  {                                                                                                                    \
    struct text *t = data;                                                                                             \
    (void)location, (void)position;                                                                                    \
    fprintf(t->file, "%" PRIu64 " " name, time);                                                                       \
    DETAILS;                                                                                                           \
    print_attributes(t, attributes);                                                                                   \
    return OTF2_CALLBACK_SUCCESS;                                                                                      \
  }

#define DETAILS fprintf(t->file, " %s", t->strings[t->regions[region]])
EVENT(on_enter, "enter", OTF2_RegionRef region)
EVENT(on_leave, "leave", OTF2_RegionRef region)
#undef DETAILS
#define DETAILS                                                                                                        \
  (void)comm;                                                                                                          \
  if (count != 0)                                                                                                      \
  fprintf(t->file, " %" PRIu64, count)
EVENT(on_thread_begin, "thread-begin", OTF2_CommRef comm, uint64_t count)
EVENT(on_thread_end, "thread-end", OTF2_CommRef comm, uint64_t count)
EVENT(on_thread_create, "thread-create", OTF2_CommRef comm, uint64_t count)
EVENT(on_thread_wait, "thread-wait", OTF2_CommRef comm, uint64_t count)
#undef DETAILS
#define DETAILS (void)model, fprintf(t->file, " %" PRIu32, requested)
EVENT(on_fork, "fork", OTF2_Paradigm model, uint32_t requested)
#undef DETAILS
#define DETAILS (void)model
EVENT(on_join, "join", OTF2_Paradigm model)
#undef DETAILS
#define DETAILS fprintf(t->file, " %" PRIu32, comm)
EVENT(on_team_begin, "team-begin", OTF2_CommRef comm)
EVENT(on_team_end, "team-end", OTF2_CommRef comm)
#undef DETAILS
#define DETAILS (void)model, fprintf(t->file, " %" PRIu32 " %" PRIu32, lock, order)
EVENT(on_acquire, "acquire", OTF2_Paradigm model, uint32_t lock, uint32_t order)
EVENT(on_release, "release", OTF2_Paradigm model, uint32_t lock, uint32_t order)
#undef DETAILS
#define DETAILS fprintf(t->file, " %" PRIu32 " %" PRIu32 " %" PRIu32, comm, creator, generation)
EVENT(on_task_create, "task-create", OTF2_CommRef comm, uint32_t creator, uint32_t generation)
EVENT(on_task_switch, "task-switch", OTF2_CommRef comm, uint32_t creator, uint32_t generation)
EVENT(on_task_complete, "task-complete", OTF2_CommRef comm, uint32_t creator, uint32_t generation)
#undef DETAILS
#define DETAILS fputs(mode == OTF2_MEASUREMENT_ON ? " on" : " off", t->file)
EVENT(on_measurement, "measurement", OTF2_MeasurementMode mode)
#undef DETAILS

static OTF2_CallbackCode on_line(void *data, OTF2_SourceCodeLocationRef self, OTF2_StringRef file, uint32_t line)
{
  (void)file;
  if (self < MOST)
    ((struct text *)data)->lines[self] = line;
  return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_context(void *data, OTF2_CallingContextRef self, OTF2_RegionRef region,
                                    OTF2_SourceCodeLocationRef line, OTF2_CallingContextRef parent)
{
  struct text *t = data;
  if (self >= MOST)
    return OTF2_CALLBACK_SUCCESS;
  t->contexts[self].region = region;
  t->contexts[self].line = line;
  t->contexts[self].parent = parent;
  return OTF2_CALLBACK_SUCCESS;
}

static void print_context(struct text *t, OTF2_CallingContextRef self)
{
  OTF2_CallingContextRef parent = t->contexts[self].parent;
  if (parent != OTF2_UNDEFINED_CALLING_CONTEXT) {
    print_context(t, parent);
    fputs(" >", t->file);
  }
  fprintf(t->file, " %s", t->strings[t->regions[t->contexts[self].region]]);
  if (t->contexts[self].line != OTF2_UNDEFINED_SOURCE_CODE_LOCATION)
    fprintf(t->file, ":%" PRIu32, t->lines[t->contexts[self].line]);
}

#define DETAILS                                                                                                        \
  (void)generator;                                                                                                     \
  print_context(t, context);                                                                                           \
  fprintf(t->file, " (%" PRIu32 ")", distance)
EVENT(on_sample, "sample", OTF2_CallingContextRef context, uint32_t distance, OTF2_InterruptGeneratorRef generator)
#undef DETAILS

static OTF2_CallbackCode on_metric(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position, void *data,
                                   OTF2_AttributeList *attributes, OTF2_MetricRef metric, uint8_t count,
                                   const OTF2_Type *types, const OTF2_MetricValue *values)
{
  struct text *t = data;
  (void)location, (void)position, (void)attributes, (void)metric, (void)types;
  fprintf(t->file, "%" PRIu64 " metric", time);
  for (uint8_t i = 0; i < count; i++)
    fprintf(t->file, " %" PRIu64, values[i].unsigned_int);
  fputs("\n", t->file);
  return OTF2_CALLBACK_SUCCESS;
}

static void read_definitions(OTF2_Reader *reader, struct text *t)
{
  OTF2_GlobalDefReader *definitions = OTF2_Reader_GetGlobalDefReader(reader);
  OTF2_GlobalDefReaderCallbacks *callbacks = OTF2_GlobalDefReaderCallbacks_New();
  uint64_t n;
  OTF2_GlobalDefReaderCallbacks_SetStringCallback(callbacks, on_string);
  OTF2_GlobalDefReaderCallbacks_SetRegionCallback(callbacks, on_region);
  OTF2_GlobalDefReaderCallbacks_SetAttributeCallback(callbacks, on_attribute);
  OTF2_GlobalDefReaderCallbacks_SetClockPropertiesCallback(callbacks, on_clock);
  OTF2_GlobalDefReaderCallbacks_SetSystemTreeNodeCallback(callbacks, on_node);
  OTF2_GlobalDefReaderCallbacks_SetLocationGroupCallback(callbacks, on_group);
  OTF2_GlobalDefReaderCallbacks_SetLocationCallback(callbacks, on_location);
  OTF2_GlobalDefReaderCallbacks_SetLocationGroupPropertyCallback(callbacks, on_group_property);
  OTF2_GlobalDefReaderCallbacks_SetLocationPropertyCallback(callbacks, on_location_property);
  OTF2_GlobalDefReaderCallbacks_SetSourceCodeLocationCallback(callbacks, on_line);
  OTF2_GlobalDefReaderCallbacks_SetCallingContextCallback(callbacks, on_context);
  OTF2_Reader_RegisterGlobalDefCallbacks(reader, definitions, callbacks, t);
  OTF2_GlobalDefReaderCallbacks_Delete(callbacks);
  OTF2_Reader_ReadAllGlobalDefinitions(reader, definitions, &n);
}

static void read_events(OTF2_Reader *reader, struct text *t, uint64_t location)
{
  uint64_t n;
  OTF2_Reader_SelectLocation(reader, location);
  OTF2_Reader_OpenEvtFiles(reader);
  OTF2_EvtReader *events = OTF2_Reader_GetEvtReader(reader, location);
  OTF2_EvtReaderCallbacks *c = OTF2_EvtReaderCallbacks_New();
  OTF2_EvtReaderCallbacks_SetEnterCallback(c, on_enter);
  OTF2_EvtReaderCallbacks_SetLeaveCallback(c, on_leave);
  OTF2_EvtReaderCallbacks_SetThreadBeginCallback(c, on_thread_begin);
  OTF2_EvtReaderCallbacks_SetThreadEndCallback(c, on_thread_end);
  OTF2_EvtReaderCallbacks_SetThreadCreateCallback(c, on_thread_create);
  OTF2_EvtReaderCallbacks_SetThreadWaitCallback(c, on_thread_wait);
  OTF2_EvtReaderCallbacks_SetThreadForkCallback(c, on_fork);
  OTF2_EvtReaderCallbacks_SetThreadJoinCallback(c, on_join);
  OTF2_EvtReaderCallbacks_SetThreadTeamBeginCallback(c, on_team_begin);
  OTF2_EvtReaderCallbacks_SetThreadTeamEndCallback(c, on_team_end);
  OTF2_EvtReaderCallbacks_SetThreadAcquireLockCallback(c, on_acquire);
  OTF2_EvtReaderCallbacks_SetThreadReleaseLockCallback(c, on_release);
  OTF2_EvtReaderCallbacks_SetThreadTaskCreateCallback(c, on_task_create);
  OTF2_EvtReaderCallbacks_SetThreadTaskSwitchCallback(c, on_task_switch);
  OTF2_EvtReaderCallbacks_SetThreadTaskCompleteCallback(c, on_task_complete);
  OTF2_EvtReaderCallbacks_SetMeasurementOnOffCallback(c, on_measurement);
  OTF2_EvtReaderCallbacks_SetMetricCallback(c, on_metric);
  OTF2_EvtReaderCallbacks_SetCallingContextSampleCallback(c, on_sample);
  OTF2_Reader_RegisterEvtCallbacks(reader, events, c, t);
  OTF2_EvtReaderCallbacks_Delete(c);
  OTF2_Reader_ReadAllLocalEvents(reader, events, &n);
  OTF2_Reader_CloseEvtFiles(reader);
}

/* Reads the definitions and prints one kind; then, if there is no kind, the events of a location. */
static char *read_archive(const char *anchor, const char *kind, uint64_t location)
{
  char *result = NULL;
  size_t size;
  OTF2_Reader *reader = OTF2_Reader_Open(anchor);
  if (reader == NULL)
    return NULL;
  struct text *t = calloc(1, sizeof *t);
  t->kind = kind;
  t->file = open_memstream(&result, &size);
  OTF2_Reader_SetSerialCollectiveCallbacks(reader);
  read_definitions(reader, t);
  if (kind == NULL)
    read_events(reader, t, location);
  fclose(t->file);
  OTF2_Reader_Close(reader);
  for (size_t i = 0; i < MOST; i++)
    free(t->strings[i]);
  free(t);
  return result;
}

char *archive_text(const char *anchor, uint64_t location)
{
  return read_archive(anchor, NULL, location);
}

char *archive_definitions_text(const char *anchor, const char *kind)
{
  return read_archive(anchor, kind, 0);
}

char *archive_property(const char *anchor, const char *name)
{
  OTF2_Reader *reader = OTF2_Reader_Open(anchor);
  char *value = NULL;
  if (reader == NULL)
    return NULL;
  OTF2_Reader_GetProperty(reader, name, &value);
  OTF2_Reader_Close(reader);
  return value;
}

char *archive_machine_name(const char *anchor)
{
  OTF2_Reader *reader = OTF2_Reader_Open(anchor);
  char *name = NULL;
  if (reader == NULL)
    return NULL;
  OTF2_Reader_GetMachineName(reader, &name);
  OTF2_Reader_Close(reader);
  return name;
}
