/*
 * convert-floor ARCHIVE DIRECTORY: writes as many events as an archive has into an archive below DIRECTORY with the
 * OTF2 library. It prints their number, and the seconds of processor and of wall-clock time. Any converter that uses
 * the OTF2 library on one thread costs as much. The first KEPT events of each location are held in memory and written
 * again and again, later each time. So neither reading them nor fresh memory for them counts. The library's chunks are
 * reused, too.
 */
#include <inttypes.h>
#include <otf2/otf2.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define KEPT  (1u << 14)
#define CHUNK (256u << 10)

enum kind { ENTER, LEAVE, FORK, JOIN, TEAM_BEGIN, TEAM_END, ACQUIRE, RELEASE, CREATE, SWITCH, COMPLETE, BEGIN, END };

struct event {
  uint64_t time;
  uint32_t kind, attributes; /* how many attributes */
  uint32_t a, b, c;
};

struct attribute {
  OTF2_AttributeRef ref;
  OTF2_Type type;
  OTF2_AttributeValue value;
};

/* One location's events, and the attributes of all of them in order. */
struct location {
  OTF2_LocationRef ref;
  struct event *events;
  struct attribute *attributes;
  size_t n, room, n_attributes, attribute_room;
  uint64_t all; /* how many the archive has */
};

static struct location *locations;
static size_t n_locations;

static OTF2_CallbackCode on_location(void *user, OTF2_LocationRef self, OTF2_StringRef name, OTF2_LocationType type,
                                     uint64_t events, OTF2_LocationGroupRef group)
{
  (void)user, (void)name, (void)type, (void)group;
  locations = realloc(locations, (n_locations + 1) * sizeof *locations);
  size_t room = events < KEPT ? events : KEPT;
  locations[n_locations++] =
      (struct location){.ref = self, .events = malloc((room + 1) * sizeof(struct event)), .room = room, .all = events};
  return OTF2_CALLBACK_SUCCESS;
}

static void keep_attributes(struct location *location, OTF2_AttributeList *list, uint32_t n)
{
  for (uint32_t i = 0; i < n; i++) {
    if (location->n_attributes == location->attribute_room) {
      location->attribute_room = location->attribute_room * 2 + 64;
      location->attributes = realloc(location->attributes, location->attribute_room * sizeof *location->attributes);
    }
    struct attribute *attribute = &location->attributes[location->n_attributes++];
    OTF2_AttributeList_GetAttributeByIndex(list, i, &attribute->ref, &attribute->type, &attribute->value);
  }
}

static OTF2_CallbackCode keep(void *user, enum kind kind, uint64_t time, OTF2_AttributeList *list, uint32_t a,
                              uint32_t b, uint32_t c)
{
  struct location *location = user;
  if (location->n == location->room)
    return OTF2_CALLBACK_INTERRUPT;
  uint32_t n = OTF2_AttributeList_GetNumberOfElements(list);
  location->events[location->n++] = (struct event){time, kind, n, a, b, c};
  keep_attributes(location, list, n);
  return OTF2_CALLBACK_SUCCESS;
}

#define HEAD   OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position, void *user, OTF2_AttributeList *list
#define UNUSED (void)location, (void)position

#define REGION(name, kind)                                                                                             \
  static OTF2_CallbackCode name(HEAD, OTF2_RegionRef region)                                                           \
  {                                                                                                                    \
    UNUSED;                                                                                                            \
    return keep(user, kind, time, list, region, 0, 0);                                                                 \
  }
REGION(on_enter, ENTER)
REGION(on_leave, LEAVE)

#define TEAM(name, kind)                                                                                               \
  static OTF2_CallbackCode name(HEAD, OTF2_CommRef team)                                                               \
  {                                                                                                                    \
    UNUSED;                                                                                                            \
    return keep(user, kind, time, list, team, 0, 0);                                                                   \
  }
TEAM(on_team_begin, TEAM_BEGIN)
TEAM(on_team_end, TEAM_END)

#define LOCK(name, kind)                                                                                               \
  static OTF2_CallbackCode name(HEAD, OTF2_Paradigm paradigm, uint32_t lock, uint32_t order)                           \
  {                                                                                                                    \
    UNUSED;                                                                                                            \
    return keep(user, kind, time, list, paradigm, lock, order);                                                        \
  }
LOCK(on_acquire, ACQUIRE)
LOCK(on_release, RELEASE)

#define TASK(name, kind)                                                                                               \
  static OTF2_CallbackCode name(HEAD, OTF2_CommRef team, uint32_t creator, uint32_t number)                            \
  {                                                                                                                    \
    UNUSED;                                                                                                            \
    return keep(user, kind, time, list, team, creator, number);                                                        \
  }
TASK(on_create, CREATE)
TASK(on_switch, SWITCH)
TASK(on_complete, COMPLETE)

#define THREAD(name, kind)                                                                                             \
  static OTF2_CallbackCode name(HEAD, OTF2_CommRef contingent, uint64_t sequence)                                      \
  {                                                                                                                    \
    UNUSED;                                                                                                            \
    return keep(user, kind, time, list, contingent, (uint32_t)sequence, 0);                                            \
  }
THREAD(on_begin, BEGIN)
THREAD(on_end, END)

static OTF2_CallbackCode on_fork(HEAD, OTF2_Paradigm paradigm, uint32_t requested)
{
  UNUSED;
  return keep(user, FORK, time, list, paradigm, requested, 0);
}

static OTF2_CallbackCode on_join(HEAD, OTF2_Paradigm paradigm)
{
  UNUSED;
  return keep(user, JOIN, time, list, paradigm, 0, 0);
}

static void read_location(OTF2_Reader *reader, struct location *location)
{
  uint64_t ignored;
  OTF2_DefReader *definitions = OTF2_Reader_GetDefReader(reader, location->ref);
  if (definitions) {
    OTF2_Reader_ReadAllLocalDefinitions(reader, definitions, &ignored);
    OTF2_Reader_CloseDefReader(reader, definitions);
  }
  OTF2_EvtReader *events = OTF2_Reader_GetEvtReader(reader, location->ref);
  OTF2_EvtReaderCallbacks *callbacks = OTF2_EvtReaderCallbacks_New();
  OTF2_EvtReaderCallbacks_SetEnterCallback(callbacks, on_enter);
  OTF2_EvtReaderCallbacks_SetLeaveCallback(callbacks, on_leave);
  OTF2_EvtReaderCallbacks_SetThreadForkCallback(callbacks, on_fork);
  OTF2_EvtReaderCallbacks_SetThreadJoinCallback(callbacks, on_join);
  OTF2_EvtReaderCallbacks_SetThreadTeamBeginCallback(callbacks, on_team_begin);
  OTF2_EvtReaderCallbacks_SetThreadTeamEndCallback(callbacks, on_team_end);
  OTF2_EvtReaderCallbacks_SetThreadAcquireLockCallback(callbacks, on_acquire);
  OTF2_EvtReaderCallbacks_SetThreadReleaseLockCallback(callbacks, on_release);
  OTF2_EvtReaderCallbacks_SetThreadTaskCreateCallback(callbacks, on_create);
  OTF2_EvtReaderCallbacks_SetThreadTaskSwitchCallback(callbacks, on_switch);
  OTF2_EvtReaderCallbacks_SetThreadTaskCompleteCallback(callbacks, on_complete);
  OTF2_EvtReaderCallbacks_SetThreadBeginCallback(callbacks, on_begin);
  OTF2_EvtReaderCallbacks_SetThreadEndCallback(callbacks, on_end);
  OTF2_Reader_RegisterEvtCallbacks(reader, events, callbacks, location);
  OTF2_EvtReaderCallbacks_Delete(callbacks);
  OTF2_Reader_ReadAllLocalEvents(reader, events, &ignored);
  OTF2_Reader_CloseEvtReader(reader, events);
}

static void read_archive(OTF2_Reader *reader)
{
  uint64_t ignored;
  OTF2_Reader_SetSerialCollectiveCallbacks(reader);
  OTF2_GlobalDefReader *definitions = OTF2_Reader_GetGlobalDefReader(reader);
  OTF2_GlobalDefReaderCallbacks *callbacks = OTF2_GlobalDefReaderCallbacks_New();
  OTF2_GlobalDefReaderCallbacks_SetLocationCallback(callbacks, on_location);
  OTF2_Reader_RegisterGlobalDefCallbacks(reader, definitions, callbacks, NULL);
  OTF2_GlobalDefReaderCallbacks_Delete(callbacks);
  OTF2_Reader_ReadAllGlobalDefinitions(reader, definitions, &ignored);
  for (size_t i = 0; i < n_locations; i++)
    OTF2_Reader_SelectLocation(reader, locations[i].ref);
  OTF2_Reader_OpenDefFiles(reader);
  OTF2_Reader_OpenEvtFiles(reader);
  for (size_t i = 0; i < n_locations; i++)
    read_location(reader, &locations[i]);
  OTF2_Reader_Close(reader);
}

static void write_event(OTF2_EvtWriter *w, const struct event *e, OTF2_AttributeList *list)
{
  switch ((enum kind)e->kind) {
  case ENTER:
    OTF2_EvtWriter_Enter(w, list, e->time, e->a);
    break;
  case LEAVE:
    OTF2_EvtWriter_Leave(w, list, e->time, e->a);
    break;
  case FORK:
    OTF2_EvtWriter_ThreadFork(w, list, e->time, (OTF2_Paradigm)e->a, e->b);
    break;
  case JOIN:
    OTF2_EvtWriter_ThreadJoin(w, list, e->time, (OTF2_Paradigm)e->a);
    break;
  case TEAM_BEGIN:
    OTF2_EvtWriter_ThreadTeamBegin(w, list, e->time, e->a);
    break;
  case TEAM_END:
    OTF2_EvtWriter_ThreadTeamEnd(w, list, e->time, e->a);
    break;
  case ACQUIRE:
    OTF2_EvtWriter_ThreadAcquireLock(w, list, e->time, (OTF2_Paradigm)e->a, e->b, e->c);
    break;
  case RELEASE:
    OTF2_EvtWriter_ThreadReleaseLock(w, list, e->time, (OTF2_Paradigm)e->a, e->b, e->c);
    break;
  case CREATE:
    OTF2_EvtWriter_ThreadTaskCreate(w, list, e->time, e->a, e->b, e->c);
    break;
  case SWITCH:
    OTF2_EvtWriter_ThreadTaskSwitch(w, list, e->time, e->a, e->b, e->c);
    break;
  case COMPLETE:
    OTF2_EvtWriter_ThreadTaskComplete(w, list, e->time, e->a, e->b, e->c);
    break;
  case BEGIN:
    OTF2_EvtWriter_ThreadBegin(w, list, e->time, e->a, e->b);
    break;
  case END:
    OTF2_EvtWriter_ThreadEnd(w, list, e->time, e->a, e->b);
    break;
  }
}

static void write_location(OTF2_Archive *archive, const struct location *location, OTF2_AttributeList *list)
{
  if (location->n == 0)
    return;
  OTF2_EvtWriter *writer = OTF2_Archive_GetEvtWriter(archive, location->ref);
  uint64_t span = location->events[location->n - 1].time - location->events[0].time;
  for (uint64_t done = 0, later = 0; done < location->all; later += span) {
    const struct attribute *attribute = location->attributes;
    for (size_t k = 0; k < location->n && done < location->all; k++, done++) {
      struct event event = location->events[k];
      event.time += later;
      for (uint32_t i = 0; i < event.attributes; i++, attribute++)
        OTF2_AttributeList_AddAttribute(list, attribute->ref, attribute->type, attribute->value);
      write_event(writer, &event, event.attributes ? list : NULL);
    }
  }
  OTF2_Archive_CloseEvtWriter(archive, writer);
}

static OTF2_FlushType before_flush(void *user, OTF2_FileType type, OTF2_LocationRef location, void *caller, bool final)
{
  (void)user, (void)type, (void)location, (void)caller, (void) final;
  return OTF2_FLUSH;
}

/* One chunk a buffer, used again after each flush: a second one is refused, and then the library flushes. */
static void *allocate(void *user, OTF2_FileType type, OTF2_LocationRef location, void **buffer, uint64_t size)
{
  (void)user, (void)type, (void)location;
  bool *used = *buffer;
  if (!used)
    *buffer = used = calloc(1, 16 + size);
  else if (*used)
    return NULL;
  *used = true;
  return (char *)used + 16;
}

static void release(void *user, OTF2_FileType type, OTF2_LocationRef location, void **buffer, bool final)
{
  (void)user, (void)type, (void)location;
  if (*buffer)
    *(bool *)*buffer = false;
  if (final) {
    free(*buffer);
    *buffer = NULL;
  }
}

static void write_archive(const char *directory)
{
  static OTF2_FlushCallbacks flush = {.otf2_pre_flush = before_flush};
  static OTF2_MemoryCallbacks memory = {.otf2_allocate = allocate, .otf2_free_all = release};
  OTF2_Archive *archive = OTF2_Archive_Open(directory, "traces", OTF2_FILEMODE_WRITE, CHUNK, OTF2_CHUNK_SIZE_MIN,
                                            OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
  if (!archive)
    exit(1);
  OTF2_Archive_SetFlushCallbacks(archive, &flush, NULL);
  OTF2_Archive_SetMemoryCallbacks(archive, &memory, NULL);
  OTF2_Archive_SetSerialCollectiveCallbacks(archive);
  OTF2_Archive_OpenEvtFiles(archive);
  OTF2_AttributeList *list = OTF2_AttributeList_New();
  for (size_t i = 0; i < n_locations; i++)
    write_location(archive, &locations[i], list);
  OTF2_AttributeList_Delete(list);
  OTF2_Archive_CloseEvtFiles(archive);
  OTF2_Archive_Close(archive);
}

static double seconds(clockid_t clock)
{
  struct timespec t;
  clock_gettime(clock, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

int main(int argc, char **argv)
{
  OTF2_Reader *reader = argc == 3 ? OTF2_Reader_Open(argv[1]) : NULL;
  if (!reader)
    return 2;
  read_archive(reader);
  uint64_t n = 0;
  for (size_t i = 0; i < n_locations; i++)
    n += locations[i].all;
  double cpu = seconds(CLOCK_PROCESS_CPUTIME_ID), wall = seconds(CLOCK_MONOTONIC);
  write_archive(argv[2]);
  printf("%" PRIu64 " %.6f %.6f\n", n, seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu, seconds(CLOCK_MONOTONIC) - wall);
  return 0;
}
