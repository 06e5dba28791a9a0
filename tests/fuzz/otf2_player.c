#include "tests/fuzz/otf2_player.h"

#include "tests/fuzz/otf2_player_input.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { REPEATED = 100 };

static char directory[64];

void player_load(const uint8_t *data, size_t size)
{
  set_input(data, size);
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
  X(MetricInstance)                                                                                                    \
  X(SourceCodeLocation)                                                                                                \
  X(CallingContext)                                                                                                    \
  X(InterruptGenerator)
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

OTF2_GlobalDefReaderCallbacks *OTF2_GlobalDefReaderCallbacks_New(void)
{
  return calloc(1, sizeof(OTF2_GlobalDefReaderCallbacks));
}

void OTF2_GlobalDefReaderCallbacks_Delete(OTF2_GlobalDefReaderCallbacks *callbacks)
{
  free(callbacks);
}

/* Definitions. */
static OTF2_CallbackCode play_string(struct input *input, const OTF2_GlobalDefReaderCallbacks *callbacks, void *user)
{
  char text[RECORD_MOST * REPEATED];
  size_t times = input->end - input->at == RECORD_MOST ? REPEATED : 1;
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

/* The reader of an archive, and of its definitions, too. */
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

OTF2_ErrorCode OTF2_Reader_ReadGlobalDefinitions(OTF2_Reader *reader, OTF2_GlobalDefReader *definitions, uint64_t most,
                                                 uint64_t *read)
{
  (void)definitions;
  (void)most;
  struct input input = whole_input(), fields;
  enum played_kind kind;
  *read = 0;
  for (uint32_t i = 0; played_name(i); i++)
    reader->callbacks.String(reader->user, PLAYED_NAMES + i, played_name(i));
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
  if (ref >= PLAYED_NAMES && played_name(ref - PLAYED_NAMES))
    return played_name(ref - PLAYED_NAMES);
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

/* No file has an end to look at. */
OTF2_ErrorCode OTF2_Reader_GetCompression(OTF2_Reader *reader, OTF2_Compression *compression)
{
  (void)reader;
  *compression = OTF2_COMPRESSION_UNDEFINED;
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
