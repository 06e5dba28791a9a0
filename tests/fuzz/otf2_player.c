#include "tests/fuzz/otf2_player.h"

#include "analyzer/trace/event_kinds.h"

#include <otf2/otf2.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LONG_NAME = 255, REPEATED = 100, ATTRIBUTES = 8, METRICS = 8, RECORD_MOST = 255 };

static const char *const played_names[] = {
    "!$omp parallel @a.c:1",
    "!$omp for @a.c:2",
    "chunk @a.c:2",
    "!$omp implicit barrier @a.c:2",
    "!$omp barrier @a.c:3",
    "!$omp critical @a.c:4",
    "critical sblock",
    "omp_set_lock @a.c:5",
    "omp_test_lock",
    "!$omp ordered @a.c:6",
    "!$omp task @a.c:7",
    "!$omp taskwait @a.c:8",
    "!$omp taskgroup @a.c:9",
    "!$omp taskloop @a.c:9",
    "//omp reduction @A.java:1",
    "!$omp reduction @a.c:2",
    "skipped",
    "monitor enter @A.java:4",
    "park @A.java:5",
    "first iteration",
    "iterations",
    "chunks",
    "derived",
    "construct",
    "instances",
    "joined",
    "time",
    "object class",
    "object",
    "owner",
    "owner at",
    "thread",
    "virtual thread",
    "closed",
    "schedule: static",
    "schedule: dynamic; chunk size: 1",
    "schedule: static; chunk size: 4",
    "schedule: guided",
    "state: blocked in mutex",
    "state: blocked in condvar",
    "state: idle",
    "state: spin",
    "state: gc",
    "state: init",
    "HEDDLE::CHUNKS_DERIVED",
    "HEDDLE::CHUNKS_SUMMED",
    "HEDDLE::COMMAND",
    "HEDDLE::CWD",
    "HEDDLE::ENDED",
    "HEDDLE::ENDS_CORRECTED",
    "HEDDLE::ENDS_FORCED",
    "HEDDLE::ENDS_UNMATCHED",
    "HEDDLE::EVENTS_LOST",
    "HEDDLE::EVENTS_SKIPPED",
    "HEDDLE::EXE",
    "HEDDLE::HOST",
    "HEDDLE::INSTANCES_SKIPPED",
    "HEDDLE::JAVA_ID",
    "HEDDLE::LOST_REASON",
    "HEDDLE::RECORDING_TICKS",
    "HEDDLE::RUNTIME",
    "HEDDLE::THREADS_LOST",
    "HEDDLE::THREAD_GROUP",
    "HEDDLE::THREAD_TYPE",
    "HEDDLE::USER_NOT_LEFT",
    "HEDDLE::USER_UNMATCHED",
    "HEDDLE::VERSION",
    "worker",
    "initial",
    "jvm",
    "phase",
    "TRACEFLUSH",
    "MEASUREMENT OFF",
    "openmp",
    "HEDDLE::CLOCK",
    "owner",
    "java.lang.Object",
    "main",
};
enum { NAMES = sizeof played_names / sizeof *played_names };
_Static_assert(PLAYED_NAMES + NAMES < 255, "refs are a byte");

/* What is played. Only read while threads of the analysis are at it. */
static const uint8_t *played;
static size_t played_size;

static char directory[64];

struct input {
  const uint8_t *at, *end;
};

static uint8_t take(struct input *input)
{
  return input->at < input->end ? *input->at++ : 0;
}

static uint32_t take_ref(struct input *input)
{
  uint8_t ref = take(input);
  return ref == 255 ? UINT32_MAX : ref;
}

static uint64_t take_number(struct input *input)
{
  uint64_t number = 0;
  for (int i = 0; i < 8; i++)
    number |= (uint64_t)take(input) << 8 * i;
  return number;
}

/* A value of some type: a byte, of signed types with its sign, or for high types 8 bytes. */
static OTF2_AttributeValue take_value(struct input *input, OTF2_Type *type)
{
  OTF2_AttributeValue value = {.uint64 = 0};
  uint8_t of = take(input);
  *type = of % 16;
  value.uint64 = of >= 128                                             ? take_number(input)
                 : *type >= OTF2_TYPE_INT8 && *type <= OTF2_TYPE_INT64 ? (uint64_t)(int64_t)(int8_t)take(input)
                                                                       : take(input);
  return value;
}

void player_load(const uint8_t *data, size_t size)
{
  played = data;
  played_size = size;
}

static void remove_directory(void)
{
  char path[96];
  snprintf(path, sizeof path, "%s/traces.otf2", directory);
  unlink(path);
  rmdir(directory);
}

const char *player_directory(void)
{
  if (directory[0])
    return directory;
  char path[96];
  snprintf(directory, sizeof directory, "%s/heddle-fuzz-XXXXXX", access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
  if (!mkdtemp(directory))
    abort();
  snprintf(path, sizeof path, "%s/traces.otf2", directory);
  FILE *anchor = fopen(path, "w");
  if (!anchor || fclose(anchor) != 0)
    abort();
  atexit(remove_directory);
  return directory;
}

/* The callbacks. */
#define PLAYED_DEFINITIONS(X)                                                                                          \
  X(ClockProperties)                                                                                                   \
  X(String)                                                                                                            \
  X(Region)                                                                                                            \
  X(Location)                                                                                                          \
  X(LocationGroup)                                                                                                     \
  X(Group)                                                                                                             \
  X(Comm)                                                                                                              \
  X(Attribute)                                                                                                         \
  X(SystemTreeNode)                                                                                                    \
  X(LocationGroupProperty)                                                                                             \
  X(LocationProperty)                                                                                                  \
  X(MetricMember)                                                                                                      \
  X(MetricClass)                                                                                                       \
  X(MetricInstance)
struct OTF2_GlobalDefReaderCallbacks_struct {
#define X(name) OTF2_GlobalDefReaderCallback_##name name;
  PLAYED_DEFINITIONS(X)
#undef X
};
#define X(name)                                                                                                        \
  OTF2_ErrorCode OTF2_GlobalDefReaderCallbacks_Set##name##Callback(OTF2_GlobalDefReaderCallbacks *callbacks,           \
                                                                   OTF2_GlobalDefReaderCallback_##name callback)       \
  {                                                                                                                    \
    callbacks->name = callback;                                                                                        \
    return OTF2_SUCCESS;                                                                                               \
  }
PLAYED_DEFINITIONS(X)
#undef X

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

OTF2_GlobalDefReaderCallbacks *OTF2_GlobalDefReaderCallbacks_New(void)
{
  return calloc(1, sizeof(OTF2_GlobalDefReaderCallbacks));
}

void OTF2_GlobalDefReaderCallbacks_Delete(OTF2_GlobalDefReaderCallbacks *callbacks)
{
  free(callbacks);
}

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

/* Definitions. */
static OTF2_CallbackCode play_string(struct input *input, const OTF2_GlobalDefReaderCallbacks *callbacks, void *user)
{
  char text[RECORD_MOST * REPEATED];
  size_t times = input->end - input->at == LONG_NAME ? REPEATED : 1;
  uint32_t ref = take_ref(input);
  size_t length = (size_t)(input->end - input->at);
  for (size_t i = 0; i < times; i++)
    memcpy(text + i * length, input->at, length);
  text[times * length] = '\0';
  return callbacks->String(user, ref, text);
}

static OTF2_CallbackCode play_region(struct input *input, const OTF2_GlobalDefReaderCallbacks *callbacks, void *user)
{
  uint32_t ref = take_ref(input), name = take_ref(input), function = take_ref(input), description = take_ref(input);
  uint8_t role = take(input), paradigm = take(input);
  uint32_t file = take_ref(input), line = take(input);
  return callbacks->Region(user, ref, name, function, description, role, paradigm, 0, file, line, 0);
}

static OTF2_CallbackCode play_location(struct input *input, const OTF2_GlobalDefReaderCallbacks *callbacks, void *user)
{
  uint32_t ref = take_ref(input), name = take_ref(input), group = take_ref(input);
  uint8_t events = take(input), type = take(input);
  return callbacks->Location(user, ref == UINT32_MAX ? OTF2_UNDEFINED_LOCATION : ref, name, type, events, group);
}

static OTF2_CallbackCode play_group(struct input *input, const OTF2_GlobalDefReaderCallbacks *callbacks, void *user)
{
  uint64_t members[RECORD_MOST];
  uint32_t ref = take_ref(input), count = 0;
  uint8_t type = take(input), paradigm = take(input), flags = take(input);
  while (input->at < input->end)
    members[count++] = take_ref(input);
  return callbacks->Group(user, ref, 0, type, paradigm, flags, count, members);
}

static OTF2_CallbackCode play_property(struct input *input, const OTF2_GlobalDefReaderCallbacks *callbacks, void *user)
{
  uint8_t owner = take(input) % 3;
  uint32_t ref = take_ref(input), name = take_ref(input);
  OTF2_Type type;
  OTF2_AttributeValue value = take_value(input, &type);
  if (owner == 1)
    return callbacks->LocationGroupProperty(user, ref, name, type, value);
  if (owner == 2)
    return callbacks->LocationProperty(user, ref, name, type, value);
  return OTF2_CALLBACK_SUCCESS; /* the archive's are asked for: OTF2_Reader_GetProperty() */
}

static OTF2_CallbackCode play_metric_class(struct input *input, const OTF2_GlobalDefReaderCallbacks *callbacks,
                                           void *user)
{
  OTF2_MetricMemberRef members[RECORD_MOST];
  uint32_t ref = take_ref(input);
  uint8_t count = 0;
  while (input->at < input->end)
    members[count++] = take_ref(input);
  return callbacks->MetricClass(user, ref, count, members, 0, 0);
}

static OTF2_CallbackCode play_clock(struct input *input, const OTF2_GlobalDefReaderCallbacks *callbacks, void *user)
{
  uint64_t resolution = take_number(input), first = take_number(input), length = take_number(input);
  return callbacks->ClockProperties(user, resolution, first, length, take_number(input));
}

static OTF2_CallbackCode play_definition(enum played_kind kind, struct input *input,
                                         const OTF2_GlobalDefReaderCallbacks *callbacks, void *user)
{
  uint32_t a, b;
  switch (kind) {
  case PLAYED_STRING:
    return play_string(input, callbacks, user);
  case PLAYED_REGION:
    return play_region(input, callbacks, user);
  case PLAYED_LOCATION:
    return play_location(input, callbacks, user);
  case PLAYED_GROUP:
    return play_group(input, callbacks, user);
  case PLAYED_PROPERTY:
    return play_property(input, callbacks, user);
  case PLAYED_METRIC_CLASS:
    return play_metric_class(input, callbacks, user);
  case PLAYED_CLOCK:
    return play_clock(input, callbacks, user);
  default:
    break;
  }
  a = take_ref(input);
  b = take_ref(input);
  switch (kind) {
  case PLAYED_LOCATION_GROUP:
    return callbacks->LocationGroup(user, a, b, OTF2_LOCATION_GROUP_TYPE_PROCESS, 0, OTF2_UNDEFINED_LOCATION_GROUP);
  case PLAYED_COMM:
    return callbacks->Comm(user, a, 0, b, OTF2_UNDEFINED_COMM, 0);
  case PLAYED_ATTRIBUTE:
    return callbacks->Attribute(user, a, b, 0, OTF2_TYPE_UINT64);
  case PLAYED_NODE:
    return callbacks->SystemTreeNode(user, a, b, 0, take_ref(input));
  case PLAYED_METRIC:
    return callbacks->MetricMember(user, a, b, 0, 0, 0, OTF2_TYPE_UINT64, 0, 0, 0);
  default:
    return callbacks->MetricInstance(user, a, b, 0, 0, 0);
  }
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

/* The next record: its kind, and its fields. False: there is none. */
static bool next_record(struct input *input, enum played_kind *kind, struct input *fields)
{
  if (input->at == input->end)
    return false;
  *kind = take(input) % PLAYED_KINDS;
  size_t length = take(input), left = (size_t)(input->end - input->at);
  fields->at = input->at;
  fields->end = input->at += length < left ? length : left;
  return true;
}

static struct input whole_input(void)
{
  return (struct input){played, played + played_size};
}

/* The reader of an archive, which is that of its definitions, too. */
struct OTF2_Reader_struct {
  OTF2_GlobalDefReaderCallbacks callbacks;
  void *user;
};

OTF2_Reader *OTF2_Reader_Open(const char *path)
{
  (void)path;
  return calloc(1, sizeof(OTF2_Reader));
}

OTF2_ErrorCode OTF2_Reader_Close(OTF2_Reader *reader)
{
  free(reader);
  return OTF2_SUCCESS;
}

OTF2_GlobalDefReader *OTF2_Reader_GetGlobalDefReader(OTF2_Reader *reader)
{
  return (OTF2_GlobalDefReader *)reader;
}

OTF2_ErrorCode OTF2_Reader_RegisterGlobalDefCallbacks(OTF2_Reader *reader, OTF2_GlobalDefReader *definitions,
                                                      const OTF2_GlobalDefReaderCallbacks *callbacks, void *user)
{
  (void)definitions;
  reader->callbacks = *callbacks;
  reader->user = user;
  return OTF2_SUCCESS;
}

OTF2_ErrorCode OTF2_Reader_ReadAllGlobalDefinitions(OTF2_Reader *reader, OTF2_GlobalDefReader *definitions,
                                                    uint64_t *read)
{
  (void)definitions;
  struct input input = whole_input(), fields;
  enum played_kind kind;
  *read = 0;
  for (uint32_t i = 0; i < NAMES; i++)
    reader->callbacks.String(reader->user, PLAYED_NAMES + i, played_names[i]);
  while (next_record(&input, &kind, &fields))
    if (kind < PLAYED_ENTER &&
        play_definition(kind, &fields, &reader->callbacks, reader->user) != OTF2_CALLBACK_SUCCESS)
      return OTF2_ERROR_INTERRUPTED_BY_CALLBACK;
  return OTF2_SUCCESS;
}

/* The archive's properties: their names are asked for, and then the values. One of `names`, or of the input's strings.
 */
static const char *name_of(uint32_t ref, char room[RECORD_MOST + 1])
{
  struct input input = whole_input(), fields;
  enum played_kind kind;
  if (ref >= PLAYED_NAMES && ref < PLAYED_NAMES + NAMES)
    return played_names[ref - PLAYED_NAMES];
  while (next_record(&input, &kind, &fields))
    if (kind == PLAYED_STRING && take_ref(&fields) == ref) {
      memcpy(room, fields.at, (size_t)(fields.end - fields.at));
      room[fields.end - fields.at] = '\0';
      return room;
    }
  return "";
}

/* The next property of the archive. False: there is none. */
static bool next_property(struct input *input, uint32_t *name, uint32_t *value)
{
  struct input fields;
  enum played_kind kind;
  while (next_record(input, &kind, &fields))
    if (kind == PLAYED_PROPERTY && take(&fields) % 3 == 0) {
      take(&fields);
      *name = take_ref(&fields);
      take(&fields);
      *value = take_ref(&fields);
      return true;
    }
  return false;
}

OTF2_ErrorCode OTF2_Reader_GetPropertyNames(OTF2_Reader *reader, uint32_t *count, char ***names)
{
  (void)reader;
  enum { MOST = 16 };
  struct input input = whole_input();
  uint32_t name, value;
  char room[RECORD_MOST + 1], *block = malloc(MOST * (sizeof(char *) + sizeof room));
  if (!block)
    return OTF2_ERROR_MEM_ALLOC_FAILED;
  *names = (char **)block;
  block += MOST * sizeof(char *);
  for (*count = 0; *count < MOST && next_property(&input, &name, &value); ++*count, block += sizeof room)
    (*names)[*count] = strcpy(block, name_of(name, room));
  return OTF2_SUCCESS;
}

OTF2_ErrorCode OTF2_Reader_GetProperty(OTF2_Reader *reader, const char *wanted, char **text)
{
  (void)reader;
  struct input input = whole_input();
  char room[RECORD_MOST + 1];
  uint32_t name, value;
  while (next_property(&input, &name, &value))
    if (strcmp(name_of(name, room), wanted) == 0)
      return (*text = strdup(name_of(value, room))) ? OTF2_SUCCESS : OTF2_ERROR_MEM_ALLOC_FAILED;
  return OTF2_ERROR_PROPERTY_NOT_FOUND;
}

OTF2_ErrorCode OTF2_Reader_GetCreator(OTF2_Reader *reader, char **creator)
{
  (void)reader;
  char room[RECORD_MOST + 1];
  return (*creator = strdup(name_of(0, room))) ? OTF2_SUCCESS : OTF2_ERROR_MEM_ALLOC_FAILED;
}

/* Events. */
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

/* What has nothing to play. */
const char *OTF2_Error_GetDescription(OTF2_ErrorCode code)
{
  return code == OTF2_SUCCESS ? "success" : "an error";
}

OTF2_ErrorCallback OTF2_Error_RegisterCallback(OTF2_ErrorCallback callback, void *user)
{
  (void)user;
  return callback;
}

OTF2_ErrorCode OTF2_Reader_SetSerialCollectiveCallbacks(OTF2_Reader *reader)
{
  (void)reader;
  return OTF2_SUCCESS;
}

OTF2_ErrorCode OTF2_Reader_SelectLocation(OTF2_Reader *reader, OTF2_LocationRef location)
{
  (void)reader, (void)location;
  return OTF2_SUCCESS;
}

OTF2_ErrorCode OTF2_Reader_CloseGlobalDefReader(OTF2_Reader *reader, OTF2_GlobalDefReader *definitions)
{
  (void)reader, (void)definitions;
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
