/*
 * read-floor ARCHIVE: reads all events of an archive with empty callbacks, location by location, and prints their
 * number. Any analysis that uses the OTF2 library costs as much.
 */
#include <inttypes.h>
#include <otf2/otf2.h>
#include <stdio.h>
#include <stdlib.h>

static OTF2_LocationRef *locations;
static size_t n_locations;

static OTF2_CallbackCode on_location(void *user, OTF2_LocationRef self, OTF2_StringRef name, OTF2_LocationType type,
                                     uint64_t events, OTF2_LocationGroupRef group)
{
  (void)name, (void)type, (void)group;
  *(uint64_t *)user += events;
  locations = realloc(locations, (n_locations + 1) * sizeof *locations);
  locations[n_locations++] = self;
  return OTF2_CALLBACK_SUCCESS;
}

/* The callbacks exist, also for attributes, so that the library decodes each event for them. */
static OTF2_CallbackCode on_enter(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position, void *user,
                                  OTF2_AttributeList *attributes, OTF2_RegionRef region)
{
  (void)location, (void)time, (void)position, (void)user, (void)attributes, (void)region;
  return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_lock(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position, void *user,
                                 OTF2_AttributeList *attributes, OTF2_Paradigm paradigm, uint32_t lock, uint32_t order)
{
  (void)location, (void)time, (void)position, (void)user, (void)attributes, (void)paradigm, (void)lock, (void)order;
  return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_task(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position, void *user,
                                 OTF2_AttributeList *attributes, OTF2_CommRef team, uint32_t creator, uint32_t number)
{
  (void)location, (void)time, (void)position, (void)user, (void)attributes, (void)team, (void)creator, (void)number;
  return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_team(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position, void *user,
                                 OTF2_AttributeList *attributes, OTF2_CommRef team)
{
  (void)location, (void)time, (void)position, (void)user, (void)attributes, (void)team;
  return OTF2_CALLBACK_SUCCESS;
}

static uint64_t read_location(OTF2_Reader *reader, OTF2_LocationRef location)
{
  uint64_t n = 0, ignored;
  OTF2_DefReader *definitions = OTF2_Reader_GetDefReader(reader, location);
  if (definitions) {
    OTF2_Reader_ReadAllLocalDefinitions(reader, definitions, &ignored);
    OTF2_Reader_CloseDefReader(reader, definitions);
  }
  OTF2_EvtReader *events = OTF2_Reader_GetEvtReader(reader, location);
  OTF2_EvtReaderCallbacks *callbacks = OTF2_EvtReaderCallbacks_New();
  OTF2_EvtReaderCallbacks_SetEnterCallback(callbacks, on_enter);
  OTF2_EvtReaderCallbacks_SetLeaveCallback(callbacks, on_enter);
  OTF2_EvtReaderCallbacks_SetThreadAcquireLockCallback(callbacks, on_lock);
  OTF2_EvtReaderCallbacks_SetThreadReleaseLockCallback(callbacks, on_lock);
  OTF2_EvtReaderCallbacks_SetThreadTeamBeginCallback(callbacks, on_team);
  OTF2_EvtReaderCallbacks_SetThreadTeamEndCallback(callbacks, on_team);
  OTF2_EvtReaderCallbacks_SetThreadTaskCreateCallback(callbacks, on_task);
  OTF2_EvtReaderCallbacks_SetThreadTaskSwitchCallback(callbacks, on_task);
  OTF2_EvtReaderCallbacks_SetThreadTaskCompleteCallback(callbacks, on_task);
  OTF2_Reader_RegisterEvtCallbacks(reader, events, callbacks, NULL);
  OTF2_EvtReaderCallbacks_Delete(callbacks);
  if (OTF2_Reader_ReadAllLocalEvents(reader, events, &n) != OTF2_SUCCESS)
    exit(1);
  OTF2_Reader_CloseEvtReader(reader, events);
  return n;
}

int main(int argc, char **argv)
{
  OTF2_Reader *reader = argc == 2 ? OTF2_Reader_Open(argv[1]) : NULL;
  if (!reader)
    return 2;
  OTF2_Reader_SetSerialCollectiveCallbacks(reader);
  OTF2_GlobalDefReader *definitions = OTF2_Reader_GetGlobalDefReader(reader);
  OTF2_GlobalDefReaderCallbacks *callbacks = OTF2_GlobalDefReaderCallbacks_New();
  OTF2_GlobalDefReaderCallbacks_SetLocationCallback(callbacks, on_location);
  uint64_t expected = 0, n = 0, ignored;
  OTF2_Reader_RegisterGlobalDefCallbacks(reader, definitions, callbacks, &expected);
  OTF2_GlobalDefReaderCallbacks_Delete(callbacks);
  OTF2_Reader_ReadAllGlobalDefinitions(reader, definitions, &ignored);
  for (size_t i = 0; i < n_locations; i++)
    OTF2_Reader_SelectLocation(reader, locations[i]);
  OTF2_Reader_OpenDefFiles(reader);
  OTF2_Reader_OpenEvtFiles(reader);
  for (size_t i = 0; i < n_locations; i++)
    n += read_location(reader, locations[i]);
  OTF2_Reader_Close(reader);
  printf("%" PRIu64 "\n", n);
  return n == expected ? 0 : 1;
}
