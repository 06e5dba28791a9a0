/*
 * archive-check ARCHIVE: reads an OTF2 archive with the OTF2 library. It says on stderr and by exit status 1 where a
 * location is not balanced or not monotonic. For each thread it prints how many constructs it completed:
 *
 *     tid=<n> criticals=<n> locks=<n> chunks=<n> barriers=<n> tasks=<n> singles=<n>
 *
 * Constructs whose Leave has the attribute `closed` were not completed. Names and roles: docs/otf2.md.
 */
#include <inttypes.h>
#include <otf2/otf2.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_LOCATIONS = 4096, MOST_REGIONS = 65536, MOST_STRINGS = 65536, MOST_DEPTH = 4096 };

struct location {
  OTF2_LocationRef ref;
  int64_t tid;
  uint64_t now;
  uint64_t criticals, locks, chunks, barriers, tasks, singles;
  OTF2_RegionRef stack[MOST_DEPTH];
  int depth;
};

struct region {
  OTF2_RegionRole role;
  OTF2_StringRef name;
};

static struct location *locations[MOST_LOCATIONS];
static size_t n_locations;
static struct region regions[MOST_REGIONS];
static char *strings[MOST_STRINGS];
static OTF2_AttributeRef closed_attribute = OTF2_UNDEFINED_ATTRIBUTE;

static void __attribute__((noreturn)) fail(const char *what, uint64_t where)
{
  fprintf(stderr, "archive-check: %s (%" PRIu64 ")\n", what, where);
  exit(1);
}

static struct location *location_of(OTF2_LocationRef ref)
{
  for (size_t i = 0; i < n_locations; i++)
    if (locations[i]->ref == ref)
      return locations[i];
  fail("event of an undefined location", ref);
}

static OTF2_CallbackCode on_string(void *user, OTF2_StringRef self, const char *text)
{
  (void)user;
  if (self >= MOST_STRINGS)
    fail("too many strings", self);
  strings[self] = strdup(text);
  return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_attribute(void *user, OTF2_AttributeRef self, OTF2_StringRef name,
                                      OTF2_StringRef description, OTF2_Type type)
{
  (void)user, (void)description, (void)type;
  if (strcmp(strings[name], "closed") == 0)
    closed_attribute = self;
  return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_location(void *user, OTF2_LocationRef self, OTF2_StringRef name, OTF2_LocationType type,
                                     uint64_t events, OTF2_LocationGroupRef group)
{
  (void)user, (void)name, (void)type, (void)events, (void)group;
  if (n_locations == MOST_LOCATIONS)
    fail("too many locations", n_locations);
  locations[n_locations] = calloc(1, sizeof **locations);
  locations[n_locations++]->ref = self;
  return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_location_property(void *user, OTF2_LocationRef ref, OTF2_StringRef name, OTF2_Type type,
                                              OTF2_AttributeValue value)
{
  (void)user;
  if (strcmp(strings[name], "HEDDLE::TID") == 0)
    location_of(ref)->tid = type == OTF2_TYPE_STRING ? atoll(strings[value.stringRef]) : value.int64;
  return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_region(void *user, OTF2_RegionRef self, OTF2_StringRef name, OTF2_StringRef canonical,
                                   OTF2_StringRef description, OTF2_RegionRole role, OTF2_Paradigm paradigm,
                                   OTF2_RegionFlag flags, OTF2_StringRef file, uint32_t begin, uint32_t end)
{
  (void)user, (void)canonical, (void)description, (void)paradigm, (void)flags, (void)file, (void)begin, (void)end;
  if (self >= MOST_REGIONS)
    fail("too many regions", self);
  regions[self] = (struct region){role, name};
  return OTF2_CALLBACK_SUCCESS;
}

/* Every event that is looked at comes through here; user is its location. */
static struct location *event(void *user, OTF2_TimeStamp time)
{
  struct location *location = user;
  if (time < location->now)
    fail("an event is before its predecessor, location", location->ref);
  location->now = time;
  return location;
}

static OTF2_CallbackCode on_enter(OTF2_LocationRef ref, OTF2_TimeStamp time, uint64_t position, void *user,
                                  OTF2_AttributeList *attributes, OTF2_RegionRef region)
{
  (void)position, (void)attributes;
  struct location *location = event(user, time);
  if (location->depth == MOST_DEPTH || region >= MOST_REGIONS)
    fail("too deep, location", ref);
  location->stack[location->depth++] = region;
  if (regions[region].role == OTF2_REGION_ROLE_LOOP && strncmp(strings[regions[region].name], "chunk", 5) == 0)
    location->chunks++;
  return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_leave(OTF2_LocationRef ref, OTF2_TimeStamp time, uint64_t position, void *user,
                                  OTF2_AttributeList *attributes, OTF2_RegionRef region)
{
  (void)position;
  struct location *location = event(user, time);
  if (location->depth == 0 || location->stack[--location->depth] != region)
    fail("leaves another region than it is in, location", ref);
  if (closed_attribute != OTF2_UNDEFINED_ATTRIBUTE &&
      OTF2_AttributeList_TestAttributeByID(attributes, closed_attribute))
    return OTF2_CALLBACK_SUCCESS;
  bool wait = strstr(strings[regions[region].name], " wait") != NULL;
  location->criticals += regions[region].role == OTF2_REGION_ROLE_CRITICAL_SBLOCK;
  location->barriers += regions[region].role == OTF2_REGION_ROLE_BARRIER && !wait;
  location->singles += regions[region].role == OTF2_REGION_ROLE_SINGLE;
  return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_release(OTF2_LocationRef ref, OTF2_TimeStamp time, uint64_t position, void *user,
                                    OTF2_AttributeList *attributes, OTF2_Paradigm paradigm, uint32_t lock,
                                    uint32_t order)
{
  (void)ref, (void)position, (void)attributes, (void)paradigm, (void)lock, (void)order;
  struct location *location = event(user, time);
  OTF2_RegionRole role =
      location->depth ? regions[location->stack[location->depth - 1]].role : OTF2_REGION_ROLE_UNKNOWN;
  location->locks += role != OTF2_REGION_ROLE_CRITICAL && role != OTF2_REGION_ROLE_ORDERED;
  return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_task_create(OTF2_LocationRef ref, OTF2_TimeStamp time, uint64_t position, void *user,
                                        OTF2_AttributeList *attributes, OTF2_CommRef team, uint32_t creator,
                                        uint32_t generation)
{
  (void)ref, (void)position, (void)attributes, (void)team, (void)creator, (void)generation;
  event(user, time)->tasks++;
  return OTF2_CALLBACK_SUCCESS;
}

static void must(OTF2_ErrorCode error, const char *what)
{
  if (error != OTF2_SUCCESS) {
    fprintf(stderr, "archive-check: %s: %s\n", what, OTF2_Error_GetDescription(error));
    exit(1);
  }
}

static void read_definitions(OTF2_Reader *reader)
{
  OTF2_GlobalDefReader *definitions = OTF2_Reader_GetGlobalDefReader(reader);
  OTF2_GlobalDefReaderCallbacks *callbacks = OTF2_GlobalDefReaderCallbacks_New();
  OTF2_GlobalDefReaderCallbacks_SetStringCallback(callbacks, on_string);
  OTF2_GlobalDefReaderCallbacks_SetAttributeCallback(callbacks, on_attribute);
  OTF2_GlobalDefReaderCallbacks_SetLocationCallback(callbacks, on_location);
  OTF2_GlobalDefReaderCallbacks_SetLocationPropertyCallback(callbacks, on_location_property);
  OTF2_GlobalDefReaderCallbacks_SetRegionCallback(callbacks, on_region);
  must(OTF2_Reader_RegisterGlobalDefCallbacks(reader, definitions, callbacks, NULL), "definitions");
  OTF2_GlobalDefReaderCallbacks_Delete(callbacks);
  uint64_t n;
  must(OTF2_Reader_ReadAllGlobalDefinitions(reader, definitions, &n), "definitions");
}

static void read_location(OTF2_Reader *reader, struct location *location, bool has_local_definitions)
{
  if (has_local_definitions) {
    OTF2_DefReader *local = OTF2_Reader_GetDefReader(reader, location->ref);
    uint64_t n;
    if (local) {
      must(OTF2_Reader_ReadAllLocalDefinitions(reader, local, &n), "local definitions");
      OTF2_Reader_CloseDefReader(reader, local);
    }
  }
  OTF2_EvtReader *events = OTF2_Reader_GetEvtReader(reader, location->ref);
  if (!events)
    fail("no events of location", location->ref);
  OTF2_EvtReaderCallbacks *callbacks = OTF2_EvtReaderCallbacks_New();
  OTF2_EvtReaderCallbacks_SetEnterCallback(callbacks, on_enter);
  OTF2_EvtReaderCallbacks_SetLeaveCallback(callbacks, on_leave);
  OTF2_EvtReaderCallbacks_SetThreadReleaseLockCallback(callbacks, on_release);
  OTF2_EvtReaderCallbacks_SetThreadTaskCreateCallback(callbacks, on_task_create);
  must(OTF2_Reader_RegisterEvtCallbacks(reader, events, callbacks, location), "events");
  OTF2_EvtReaderCallbacks_Delete(callbacks);
  uint64_t n;
  must(OTF2_Reader_ReadAllLocalEvents(reader, events, &n), "events");
  OTF2_Reader_CloseEvtReader(reader, events);
  if (location->depth != 0)
    fail("regions are never left, location", location->ref);
}

int main(int argc, char **argv)
{
  OTF2_Reader *reader = argc == 2 ? OTF2_Reader_Open(argv[1]) : NULL;
  if (!reader) {
    fprintf(stderr, "archive-check: give the anchor file of an OTF2 archive\n");
    return 2;
  }
  must(OTF2_Reader_SetSerialCollectiveCallbacks(reader), "open");
  read_definitions(reader);
  for (size_t i = 0; i < n_locations; i++)
    must(OTF2_Reader_SelectLocation(reader, locations[i]->ref), "select");
  bool has_local_definitions = OTF2_Reader_OpenDefFiles(reader) == OTF2_SUCCESS;
  must(OTF2_Reader_OpenEvtFiles(reader), "events");
  for (size_t i = 0; i < n_locations; i++) {
    const struct location *location = locations[i];
    read_location(reader, locations[i], has_local_definitions);
    printf("tid=%" PRId64 " criticals=%" PRIu64 " locks=%" PRIu64 " chunks=%" PRIu64 " barriers=%" PRIu64
           " tasks=%" PRIu64 " singles=%" PRIu64 "\n",
           location->tid, location->criticals, location->locks, location->chunks, location->barriers, location->tasks,
           location->singles);
  }
  OTF2_Reader_Close(reader);
  return 0;
}
