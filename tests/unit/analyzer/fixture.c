#include "tests/unit/analyzer/fixture.h"

#include "tests/unit/analyzer/writing.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX 4096

#define CLASS_REF 1000000 /* of the string of the first class */

enum {
  ATTRIBUTE_ITERATIONS,
  ATTRIBUTE_CHUNKS,
  ATTRIBUTE_FIRST,
  ATTRIBUTE_DERIVED,
  ATTRIBUTE_OBJECT_CLASS,
  ATTRIBUTE_OBJECT,
  ATTRIBUTE_OWNER,
  ATTRIBUTE_OWNER_PLACE,
  ATTRIBUTE_THREAD,
  ATTRIBUTE_VIRTUAL_THREAD,
  ATTRIBUTE_CLOSED,
  ATTRIBUTE_WEIGHT,
  ATTRIBUTE_ENDED,
  ATTRIBUTE_CONSTRUCT,
  ATTRIBUTE_INSTANCES,
  ATTRIBUTE_DEPEND,
  ATTRIBUTE_UNCONTENDED,
  ATTRIBUTE_LOCK
};
enum { USER_ATTRIBUTE = 100 }; /* the first reference of the program's attributes */

struct region {
  char *name, *description;
  OTF2_RegionRole role;
  OTF2_Paradigm paradigm;
  uint32_t line;
};

struct team {
  uint64_t *members;
  uint32_t count;
};

struct attribute {
  char *name;
  OTF2_Type type;
};

struct fixture {
  char directory[64];
  OTF2_Archive *archive;
  OTF2_GlobalDefWriter *definitions;
  OTF2_EvtWriter *writers[MAX];
  uint64_t events[MAX];
  char *locations[MAX];
  const char *types[MAX];
  const char *scaled[MAX];
  uint64_t java_ids[MAX], tids[MAX], recordings[MAX];
  uint32_t processes[MAX];
  OTF2_LocationType kinds[MAX]; /* 0: a thread */
  char *classes[MAX];
  struct region regions[MAX];
  struct team teams[MAX];
  char *properties[MAX][2];
  struct attribute attributes[MAX];
  uint32_t attribute_count;
  OTF2_IdMap *maps[MAX];
  int64_t offsets[MAX];
  uint32_t location_count, process_count, region_count, team_count, property_count, string_count, class_count;
  uint64_t last;
  const char *const *counters;
  uint32_t counter_count;
};

struct fixture *fixture_create(void)
{
  struct fixture *fixture = calloc(1, sizeof *fixture);
  writing_check(fixture != NULL, "calloc");
  strcpy(fixture->directory, "/tmp/heddle-unit-XXXXXX");
  writing_check(mkdtemp(fixture->directory) != NULL, "mkdtemp");
  fixture->archive = writing_begin(fixture->directory, "traces", &fixture->last);
  return fixture;
}

uint32_t fixture_region(struct fixture *fixture, const char *name, OTF2_RegionRole role, OTF2_Paradigm paradigm,
                        uint32_t line)
{
  fixture->regions[fixture->region_count] = (struct region){strdup(name), NULL, role, paradigm, line};
  return fixture->region_count++;
}

uint32_t fixture_openmp(struct fixture *fixture, const char *name, OTF2_RegionRole role)
{
  return fixture_region(fixture, name, role, OTF2_PARADIGM_OPENMP, 1);
}

void fixture_describe(struct fixture *fixture, uint32_t region, const char *description)
{
  free(fixture->regions[region].description);
  fixture->regions[region].description = strdup(description);
}

uint32_t fixture_location(struct fixture *fixture, const char *name)
{
  fixture->locations[fixture->location_count] = strdup(name);
  return fixture->location_count++;
}

void fixture_process(struct fixture *fixture, uint32_t location, uint32_t process)
{
  fixture->processes[location] = process;
  if (process >= fixture->process_count)
    fixture->process_count = process + 1;
}

void fixture_location_kind(struct fixture *fixture, uint32_t location, OTF2_LocationType kind)
{
  fixture->kinds[location] = kind;
}

void fixture_thread_name(struct fixture *fixture, uint32_t location, const char *name)
{
  free(fixture->locations[location]);
  fixture->locations[location] = strdup(name);
}

void fixture_thread_type(struct fixture *fixture, uint32_t location, const char *type)
{
  fixture->types[location] = type;
}

uint32_t fixture_team(struct fixture *fixture, const uint32_t *locations, uint32_t count)
{
  struct team *team = &fixture->teams[fixture->team_count];
  team->members = malloc((count + 1) * sizeof *team->members);
  writing_check(team->members != NULL, "malloc");
  for (uint32_t i = 0; i < count; i++)
    team->members[i] = locations[i];
  team->count = count;
  return fixture->team_count++;
}

void fixture_property(struct fixture *fixture, const char *name, const char *value)
{
  fixture->properties[fixture->property_count][0] = strdup(name);
  fixture->properties[fixture->property_count++][1] = strdup(value);
}

void fixture_archive_property(struct fixture *fixture, const char *name, const char *value)
{
  CHECK(OTF2_Archive_SetProperty(fixture->archive, name, value, true));
}

void fixture_map_regions(struct fixture *fixture, uint32_t location, const uint32_t *globals, uint32_t count)
{
  fixture->maps[location] = OTF2_IdMap_CreateFromUint32Array(count, globals, false);
  writing_check(fixture->maps[location] != NULL, "OTF2_IdMap_CreateFromUint32Array");
}

void fixture_clock_offset(struct fixture *fixture, uint32_t location, int64_t offset)
{
  fixture->offsets[location] = offset;
}

OTF2_EvtWriter *fixture_writer(struct fixture *fixture, uint32_t location)
{
  if (!fixture->writers[location])
    fixture->writers[location] = OTF2_Archive_GetEvtWriter(fixture->archive, location);
  writing_check(fixture->writers[location] != NULL, "OTF2_Archive_GetEvtWriter");
  return fixture->writers[location];
}

/* The writer for an event at a time. */
static OTF2_EvtWriter *at(struct fixture *fixture, uint32_t location, uint64_t time)
{
  if (time > fixture->last)
    fixture->last = time;
  return fixture_writer(fixture, location);
}

void fixture_enter(struct fixture *fixture, uint32_t location, uint64_t time, uint32_t region)
{
  CHECK(OTF2_EvtWriter_Enter(at(fixture, location, time), NULL, time, region));
}

void fixture_leave(struct fixture *fixture, uint32_t location, uint64_t time, uint32_t region)
{
  CHECK(OTF2_EvtWriter_Leave(at(fixture, location, time), NULL, time, region));
}

void fixture_fork(struct fixture *fixture, uint32_t location, uint64_t time)
{
  CHECK(OTF2_EvtWriter_ThreadFork(at(fixture, location, time), NULL, time, OTF2_PARADIGM_OPENMP, 2));
}

void fixture_join(struct fixture *fixture, uint32_t location, uint64_t time)
{
  CHECK(OTF2_EvtWriter_ThreadJoin(at(fixture, location, time), NULL, time, OTF2_PARADIGM_OPENMP));
}

void fixture_team_begin(struct fixture *fixture, uint32_t location, uint64_t time, uint32_t team)
{
  CHECK(OTF2_EvtWriter_ThreadTeamBegin(at(fixture, location, time), NULL, time, team));
}

void fixture_team_end(struct fixture *fixture, uint32_t location, uint64_t time, uint32_t team)
{
  CHECK(OTF2_EvtWriter_ThreadTeamEnd(at(fixture, location, time), NULL, time, team));
}

void fixture_thread_create(struct fixture *fixture, uint32_t location, uint64_t time, uint32_t created)
{
  CHECK(OTF2_EvtWriter_ThreadCreate(at(fixture, location, time), NULL, time, OTF2_UNDEFINED_COMM, created));
}

void fixture_thread_wait(struct fixture *fixture, uint32_t location, uint64_t time, uint32_t joined)
{
  CHECK(OTF2_EvtWriter_ThreadWait(at(fixture, location, time), NULL, time, OTF2_UNDEFINED_COMM, joined));
}

void fixture_thread_begin(struct fixture *fixture, uint32_t location, uint64_t time)
{
  CHECK(OTF2_EvtWriter_ThreadBegin(at(fixture, location, time), NULL, time, OTF2_UNDEFINED_COMM, location));
}

void fixture_thread_end(struct fixture *fixture, uint32_t location, uint64_t time)
{
  CHECK(OTF2_EvtWriter_ThreadEnd(at(fixture, location, time), NULL, time, OTF2_UNDEFINED_COMM, location));
}

void fixture_acquire(struct fixture *fixture, uint32_t location, uint64_t time)
{
  CHECK(OTF2_EvtWriter_ThreadAcquireLock(at(fixture, location, time), NULL, time, OTF2_PARADIGM_OPENMP, 1, 1));
}

void fixture_lock(struct fixture *fixture, uint32_t location, uint64_t time, uint32_t lock)
{
  CHECK(OTF2_EvtWriter_ThreadAcquireLock(at(fixture, location, time), NULL, time, OTF2_PARADIGM_OPENMP, lock, 1));
}

void fixture_unlock(struct fixture *fixture, uint32_t location, uint64_t time, uint32_t lock)
{
  CHECK(OTF2_EvtWriter_ThreadReleaseLock(at(fixture, location, time), NULL, time, OTF2_PARADIGM_OPENMP, lock, 1));
}

uint32_t fixture_class(struct fixture *fixture, const char *name)
{
  fixture->classes[fixture->class_count] = strdup(name);
  return CLASS_REF + fixture->class_count++;
}

void fixture_java_id(struct fixture *fixture, uint32_t location, uint64_t id)
{
  fixture->java_ids[location] = id;
}

void fixture_tid(struct fixture *fixture, uint32_t location, uint64_t tid)
{
  fixture->tids[location] = tid;
}

void fixture_recording(struct fixture *fixture, uint32_t location, uint64_t ticks)
{
  fixture->recordings[location] = ticks;
}

void fixture_enter_object(struct fixture *fixture, uint32_t location, uint64_t time, uint32_t region,
                          struct fixture_object object)
{
  OTF2_AttributeList *list = OTF2_AttributeList_New();
  CHECK(OTF2_AttributeList_AddStringRef(list, ATTRIBUTE_OBJECT_CLASS, object.class_name));
  CHECK(OTF2_AttributeList_AddUint64(list, ATTRIBUTE_OBJECT, object.identity));
  if (object.owner != 0)
    CHECK(OTF2_AttributeList_AddUint64(list, ATTRIBUTE_OWNER, object.owner));
  if (object.owner_place != UINT32_MAX)
    CHECK(OTF2_AttributeList_AddRegionRef(list, ATTRIBUTE_OWNER_PLACE, object.owner_place));
  CHECK(OTF2_EvtWriter_Enter(at(fixture, location, time), list, time, region));
  CHECK(OTF2_AttributeList_Delete(list));
}

void fixture_enter_pthread(struct fixture *fixture, uint32_t location, uint64_t time, uint32_t region,
                           struct fixture_pthread pthread)
{
  OTF2_AttributeList *list = OTF2_AttributeList_New();
  CHECK(OTF2_AttributeList_AddUint64(list, ATTRIBUTE_OBJECT, pthread.object));
  if (pthread.owner != 0)
    CHECK(OTF2_AttributeList_AddUint64(list, ATTRIBUTE_OWNER, pthread.owner));
  if (pthread.uncontended != 0)
    CHECK(OTF2_AttributeList_AddUint64(list, ATTRIBUTE_UNCONTENDED, pthread.uncontended));
  CHECK(OTF2_EvtWriter_Enter(at(fixture, location, time), list, time, region));
  CHECK(OTF2_AttributeList_Delete(list));
}

void fixture_unpark(struct fixture *fixture, uint32_t location, uint64_t time, uint32_t region, uint64_t thread)
{
  OTF2_AttributeList *list = OTF2_AttributeList_New();
  CHECK(OTF2_AttributeList_AddUint64(list, ATTRIBUTE_THREAD, thread));
  CHECK(OTF2_EvtWriter_Enter(at(fixture, location, time), list, time, region));
  CHECK(OTF2_AttributeList_Delete(list));
  fixture_leave(fixture, location, time, region);
}

void fixture_mount(struct fixture *fixture, uint32_t location, uint64_t time, uint32_t region, uint64_t thread)
{
  OTF2_AttributeList *list = OTF2_AttributeList_New();
  CHECK(OTF2_AttributeList_AddUint64(list, ATTRIBUTE_VIRTUAL_THREAD, thread));
  CHECK(OTF2_EvtWriter_Enter(at(fixture, location, time), list, time, region));
  CHECK(OTF2_AttributeList_Delete(list));
}

void fixture_virtual_end(struct fixture *fixture, uint32_t location, uint64_t time, uint32_t region)
{
  OTF2_AttributeList *list = OTF2_AttributeList_New();
  CHECK(OTF2_AttributeList_AddUint8(list, ATTRIBUTE_ENDED, 1));
  CHECK(OTF2_EvtWriter_Leave(at(fixture, location, time), list, time, region));
  CHECK(OTF2_AttributeList_Delete(list));
}

void fixture_enter_weighted(struct fixture *fixture, uint32_t location, uint64_t time, uint32_t region, uint64_t weight)
{
  OTF2_AttributeList *list = OTF2_AttributeList_New();
  CHECK(OTF2_AttributeList_AddUint64(list, ATTRIBUTE_WEIGHT, weight));
  CHECK(OTF2_EvtWriter_Enter(at(fixture, location, time), list, time, region));
  CHECK(OTF2_AttributeList_Delete(list));
}

uint32_t fixture_attribute(struct fixture *fixture, const char *name, OTF2_Type type)
{
  fixture->attributes[fixture->attribute_count] = (struct attribute){strdup(name), type};
  return USER_ATTRIBUTE + fixture->attribute_count++;
}

void fixture_user_event(struct fixture *fixture, uint32_t location, uint64_t time, uint32_t region,
                        OTF2_AttributeList *list)
{
  CHECK(OTF2_EvtWriter_Enter(at(fixture, location, time), list, time, region));
  CHECK(OTF2_AttributeList_Delete(list));
  fixture_leave(fixture, location, time, region);
}

void fixture_omitted(struct fixture *fixture, uint32_t location, uint64_t time, uint32_t skipped,
                     struct fixture_instances instances)
{
  OTF2_AttributeList *list = OTF2_AttributeList_New();
  CHECK(OTF2_AttributeList_AddRegionRef(list, ATTRIBUTE_CONSTRUCT, instances.region));
  CHECK(OTF2_AttributeList_AddUint64(list, ATTRIBUTE_INSTANCES, instances.count));
  CHECK(OTF2_EvtWriter_Enter(at(fixture, location, time), list, time, skipped));
  CHECK(OTF2_AttributeList_Delete(list));
  fixture_leave(fixture, location, time, skipped);
}

void fixture_leave_closed(struct fixture *fixture, uint32_t location, uint64_t time, uint32_t region, uint32_t why)
{
  OTF2_AttributeList *list = OTF2_AttributeList_New();
  CHECK(OTF2_AttributeList_AddStringRef(list, ATTRIBUTE_CLOSED, why));
  CHECK(OTF2_EvtWriter_Leave(at(fixture, location, time), list, time, region));
  CHECK(OTF2_AttributeList_Delete(list));
}

void fixture_thread_end_closed(struct fixture *fixture, uint32_t location, uint64_t time, uint32_t why)
{
  OTF2_AttributeList *list = OTF2_AttributeList_New();
  CHECK(OTF2_AttributeList_AddStringRef(list, ATTRIBUTE_CLOSED, why));
  CHECK(OTF2_EvtWriter_ThreadEnd(at(fixture, location, time), list, time, OTF2_UNDEFINED_COMM, location));
  CHECK(OTF2_AttributeList_Delete(list));
}

void fixture_leave_waiting(struct fixture *fixture, uint32_t location, uint64_t time, uint32_t region, uint32_t why,
                           uint64_t lock)
{
  OTF2_AttributeList *list = OTF2_AttributeList_New();
  CHECK(OTF2_AttributeList_AddStringRef(list, ATTRIBUTE_CLOSED, why));
  CHECK(OTF2_AttributeList_AddUint64(list, ATTRIBUTE_LOCK, lock));
  CHECK(OTF2_EvtWriter_Leave(at(fixture, location, time), list, time, region));
  CHECK(OTF2_AttributeList_Delete(list));
}

void fixture_counters(struct fixture *fixture, const char *const *names, uint32_t count)
{
  fixture->counters = names;
  fixture->counter_count = count;
}

void fixture_scaled(struct fixture *fixture, uint32_t location, const char *names)
{
  fixture->scaled[location] = names;
}

void fixture_count(struct fixture *fixture, uint32_t location, uint64_t time, const uint64_t *values)
{
  OTF2_Type types[FIXTURE_COUNTERS_MOST];
  OTF2_MetricValue metrics[FIXTURE_COUNTERS_MOST];
  for (uint32_t i = 0; i < fixture->counter_count; i++) {
    types[i] = OTF2_TYPE_UINT64;
    metrics[i].unsigned_int = values[i];
  }
  CHECK(OTF2_EvtWriter_Metric(at(fixture, location, time), NULL, time, 0, (uint8_t)fixture->counter_count, types,
                              metrics));
}

void fixture_measurement(struct fixture *fixture, uint32_t location, uint64_t time, int on)
{
  CHECK(OTF2_EvtWriter_MeasurementOnOff(at(fixture, location, time), NULL, time,
                                        on ? OTF2_MEASUREMENT_ON : OTF2_MEASUREMENT_OFF));
}

void fixture_create_task(struct fixture *fixture, uint32_t location, uint64_t time, struct fixture_task task)
{
  OTF2_AttributeList *list = OTF2_AttributeList_New();
  if (task.depends)
    CHECK(OTF2_AttributeList_AddUint64(list, ATTRIBUTE_DEPEND, 0x1000));
  if (task.weight)
    CHECK(OTF2_AttributeList_AddUint64(list, ATTRIBUTE_WEIGHT, task.weight));
  CHECK(OTF2_EvtWriter_ThreadTaskCreate(at(fixture, location, time), list, time, task.team, 0, task.number));
  CHECK(OTF2_AttributeList_Delete(list));
}

void fixture_chunk(struct fixture *fixture, uint32_t location, uint64_t time, uint32_t region, uint64_t iterations,
                   uint64_t chunks)
{
  OTF2_AttributeList *list = OTF2_AttributeList_New();
  CHECK(OTF2_AttributeList_AddUint64(list, ATTRIBUTE_ITERATIONS, iterations));
  if (chunks > 1)
    CHECK(OTF2_AttributeList_AddUint64(list, ATTRIBUTE_CHUNKS, chunks));
  CHECK(OTF2_EvtWriter_Enter(at(fixture, location, time), list, time, region));
  CHECK(OTF2_AttributeList_Delete(list));
}

void fixture_chunk_of(struct fixture *fixture, uint32_t location, uint64_t time, uint32_t region,
                      struct fixture_iterations iterations)
{
  OTF2_AttributeList *list = OTF2_AttributeList_New();
  CHECK(OTF2_AttributeList_AddInt64(list, ATTRIBUTE_FIRST, iterations.first));
  CHECK(OTF2_AttributeList_AddUint64(list, ATTRIBUTE_ITERATIONS, iterations.count));
  if (iterations.derived)
    CHECK(OTF2_AttributeList_AddUint8(list, ATTRIBUTE_DERIVED, 1));
  CHECK(OTF2_EvtWriter_Enter(at(fixture, location, time), list, time, region));
  CHECK(OTF2_AttributeList_Delete(list));
}

static uint32_t string(struct fixture *fixture, const char *text)
{
  CHECK(OTF2_GlobalDefWriter_WriteString(fixture->definitions, fixture->string_count, text));
  return fixture->string_count++;
}

/* A property of a location; 0: it has none. */
static void write_location_number(struct fixture *fixture, uint32_t location, const char *name, uint64_t number)
{
  OTF2_AttributeValue value = {.uint64 = number};
  if (number != 0)
    CHECK(OTF2_GlobalDefWriter_WriteLocationProperty(fixture->definitions, location, string(fixture, name),
                                                     OTF2_TYPE_UINT64, value));
}

static void write_location_text(struct fixture *fixture, uint32_t location, const char *name, const char *text)
{
  if (!text)
    return;
  OTF2_AttributeValue value = {.stringRef = string(fixture, text)};
  uint32_t name_ref = string(fixture, name);
  CHECK(OTF2_GlobalDefWriter_WriteLocationProperty(fixture->definitions, location, name_ref, OTF2_TYPE_STRING, value));
}

static void write_locations(struct fixture *fixture)
{
  OTF2_GlobalDefWriter *writer = fixture->definitions;
  CHECK(OTF2_GlobalDefWriter_WriteSystemTreeNode(writer, 0, string(fixture, "host"), string(fixture, "machine"),
                                                 OTF2_UNDEFINED_SYSTEM_TREE_NODE));
  for (uint32_t i = 0; i == 0 || i < fixture->process_count; i++)
    CHECK(OTF2_GlobalDefWriter_WriteLocationGroup(writer, i, string(fixture, "program [1]"),
                                                  OTF2_LOCATION_GROUP_TYPE_PROCESS, 0, OTF2_UNDEFINED_LOCATION_GROUP));
  for (uint32_t i = 0; i < fixture->location_count; i++) {
    CHECK(OTF2_GlobalDefWriter_WriteLocation(writer, i, string(fixture, fixture->locations[i]),
                                             fixture->kinds[i] ? fixture->kinds[i] : OTF2_LOCATION_TYPE_CPU_THREAD,
                                             fixture->events[i], fixture->processes[i]));
    write_location_text(fixture, i, "HEDDLE::THREAD_TYPE", fixture->types[i]);
    write_location_text(fixture, i, "HEDDLE::COUNTERS_SCALED", fixture->scaled[i]);
  }
  for (uint32_t i = 0; i < fixture->location_count; i++) {
    write_location_number(fixture, i, "HEDDLE::JAVA_ID", fixture->java_ids[i]);
    write_location_number(fixture, i, "HEDDLE::TID", fixture->tids[i]);
    write_location_number(fixture, i, "HEDDLE::RECORDING_TICKS", fixture->recordings[i]);
  }
  for (uint32_t i = 0; i < fixture->property_count; i++) {
    OTF2_AttributeValue value = {.stringRef = string(fixture, fixture->properties[i][1])};
    uint32_t name = string(fixture, fixture->properties[i][0]);
    CHECK(OTF2_GlobalDefWriter_WriteLocationGroupProperty(writer, 0, name, OTF2_TYPE_STRING, value));
  }
}

static void write_regions(struct fixture *fixture)
{
  OTF2_GlobalDefWriter *writer = fixture->definitions;
  uint32_t file = string(fixture, "/src/test.c");
  for (uint32_t i = 0; i < fixture->region_count; i++) {
    const struct region *region = &fixture->regions[i];
    uint32_t description = region->description ? string(fixture, region->description) : OTF2_UNDEFINED_STRING;
    uint32_t name = string(fixture, region->name);
    CHECK(OTF2_GlobalDefWriter_WriteRegion(writer, i, name, name, description, region->role, region->paradigm,
                                           OTF2_REGION_FLAG_NONE, file, region->line, region->line));
  }
  static const struct {
    const char *name;
    OTF2_Type type;
  } attributes[] = {[ATTRIBUTE_ITERATIONS] = {"iterations", OTF2_TYPE_UINT64},
                    [ATTRIBUTE_CHUNKS] = {"chunks", OTF2_TYPE_UINT64},
                    [ATTRIBUTE_FIRST] = {"first iteration", OTF2_TYPE_INT64},
                    [ATTRIBUTE_DERIVED] = {"derived", OTF2_TYPE_UINT8},
                    [ATTRIBUTE_OBJECT_CLASS] = {"object class", OTF2_TYPE_STRING},
                    [ATTRIBUTE_OBJECT] = {"object", OTF2_TYPE_UINT64},
                    [ATTRIBUTE_OWNER] = {"owner", OTF2_TYPE_UINT64},
                    [ATTRIBUTE_OWNER_PLACE] = {"owner at", OTF2_TYPE_REGION},
                    [ATTRIBUTE_THREAD] = {"thread", OTF2_TYPE_UINT64},
                    [ATTRIBUTE_VIRTUAL_THREAD] = {"virtual thread", OTF2_TYPE_UINT64},
                    [ATTRIBUTE_CLOSED] = {"closed", OTF2_TYPE_STRING},
                    [ATTRIBUTE_WEIGHT] = {"weight", OTF2_TYPE_UINT64},
                    [ATTRIBUTE_ENDED] = {"ended", OTF2_TYPE_UINT8},
                    [ATTRIBUTE_CONSTRUCT] = {"construct", OTF2_TYPE_REGION},
                    [ATTRIBUTE_INSTANCES] = {"instances", OTF2_TYPE_UINT64},
                    [ATTRIBUTE_DEPEND] = {"depend inout 1", OTF2_TYPE_UINT64},
                    [ATTRIBUTE_UNCONTENDED] = {"uncontended", OTF2_TYPE_UINT64},
                    [ATTRIBUTE_LOCK] = {"lock", OTF2_TYPE_UINT64}};
  for (uint32_t i = 0; i < sizeof attributes / sizeof *attributes; i++) {
    uint32_t name = string(fixture, attributes[i].name);
    CHECK(OTF2_GlobalDefWriter_WriteAttribute(writer, i, name, OTF2_UNDEFINED_STRING, attributes[i].type));
  }
  for (uint32_t i = 0; i < fixture->attribute_count; i++)
    CHECK(OTF2_GlobalDefWriter_WriteAttribute(writer, USER_ATTRIBUTE + i, string(fixture, fixture->attributes[i].name),
                                              string(fixture, "of the program's own events"),
                                              fixture->attributes[i].type));
  for (uint32_t i = 0; i < fixture->class_count; i++)
    CHECK(OTF2_GlobalDefWriter_WriteString(writer, CLASS_REF + i, fixture->classes[i]));
}

static void write_teams(struct fixture *fixture)
{
  OTF2_GlobalDefWriter *writer = fixture->definitions;
  uint64_t all[MAX];
  for (uint32_t i = 0; i < fixture->location_count; i++)
    all[i] = i;
  CHECK(OTF2_GlobalDefWriter_WriteGroup(writer, 0, string(fixture, "threads"), OTF2_GROUP_TYPE_COMM_LOCATIONS,
                                        OTF2_PARADIGM_OPENMP, OTF2_GROUP_FLAG_NONE, fixture->location_count, all));
  for (uint32_t i = 0; i < fixture->team_count; i++) {
    const struct team *team = &fixture->teams[i];
    CHECK(OTF2_GlobalDefWriter_WriteGroup(writer, i + 1, string(fixture, "team"), OTF2_GROUP_TYPE_COMM_GROUP,
                                          OTF2_PARADIGM_OPENMP, OTF2_GROUP_FLAG_NONE, team->count, team->members));
    CHECK(OTF2_GlobalDefWriter_WriteComm(writer, i, string(fixture, "team"), i + 1, OTF2_UNDEFINED_COMM,
                                         OTF2_COMM_FLAG_NONE));
  }
}

static void write_counters(struct fixture *fixture)
{
  OTF2_MetricMemberRef members[FIXTURE_COUNTERS_MOST];
  for (uint32_t i = 0; i < fixture->counter_count; i++) {
    members[i] = i;
    CHECK(OTF2_GlobalDefWriter_WriteMetricMember(
        fixture->definitions, i, string(fixture, fixture->counters[i]), string(fixture, ""), OTF2_METRIC_TYPE_OTHER,
        OTF2_METRIC_ACCUMULATED_START, OTF2_TYPE_UINT64, OTF2_BASE_DECIMAL, 0, string(fixture, "#")));
  }
  if (fixture->counter_count > 0)
    CHECK(OTF2_GlobalDefWriter_WriteMetricClass(fixture->definitions, 0, (uint8_t)fixture->counter_count, members,
                                                OTF2_METRIC_ASYNCHRONOUS, OTF2_RECORDER_KIND_CPU));
}

static void write_local_definitions(struct fixture *fixture, uint32_t location)
{
  OTF2_DefWriter *writer = OTF2_Archive_GetDefWriter(fixture->archive, location);
  writing_check(writer != NULL, "OTF2_Archive_GetDefWriter");
  if (fixture->maps[location])
    CHECK(OTF2_DefWriter_WriteMappingTable(writer, OTF2_MAPPING_REGION, fixture->maps[location]));
  OTF2_IdMap_Free(fixture->maps[location]);
  if (fixture->offsets[location]) {
    CHECK(OTF2_DefWriter_WriteClockOffset(writer, 0, fixture->offsets[location], 0));
    CHECK(OTF2_DefWriter_WriteClockOffset(writer, fixture->last, fixture->offsets[location], 0));
  }
  CHECK(OTF2_Archive_CloseDefWriter(fixture->archive, writer));
}

const char *fixture_finish(struct fixture *fixture)
{
  for (uint32_t i = 0; i < fixture->location_count; i++) {
    OTF2_EvtWriter *writer = fixture_writer(fixture, i);
    CHECK(OTF2_EvtWriter_GetNumberOfEvents(writer, &fixture->events[i]));
    CHECK(OTF2_Archive_CloseEvtWriter(fixture->archive, writer));
  }
  CHECK(OTF2_Archive_CloseEvtFiles(fixture->archive));
  CHECK(OTF2_Archive_OpenDefFiles(fixture->archive));
  for (uint32_t i = 0; i < fixture->location_count; i++)
    write_local_definitions(fixture, i);
  CHECK(OTF2_Archive_CloseDefFiles(fixture->archive));
  fixture->definitions = OTF2_Archive_GetGlobalDefWriter(fixture->archive);
  writing_check(fixture->definitions != NULL, "OTF2_Archive_GetGlobalDefWriter");
  CHECK(OTF2_GlobalDefWriter_WriteClockProperties(fixture->definitions, FIXTURE_TICKS, 0, fixture->last,
                                                  OTF2_UNDEFINED_TIMESTAMP));
  write_locations(fixture);
  write_regions(fixture);
  write_counters(fixture);
  write_teams(fixture);
  CHECK(OTF2_Archive_CloseGlobalDefWriter(fixture->archive, fixture->definitions));
  CHECK(OTF2_Archive_Close(fixture->archive));
  fixture->archive = NULL;
  return fixture->directory;
}

static int remove_entry(const char *path, const struct stat *status, int type, struct FTW *where)
{
  (void)status;
  (void)type;
  (void)where;
  return remove(path);
}

void fixture_destroy(struct fixture *fixture)
{
  if (fixture->archive)
    OTF2_Archive_Close(fixture->archive);
  nftw(fixture->directory, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
  for (uint32_t i = 0; i < fixture->location_count; i++)
    free(fixture->locations[i]);
  for (uint32_t i = 0; i < fixture->region_count; i++) {
    free(fixture->regions[i].name);
    free(fixture->regions[i].description);
  }
  for (uint32_t i = 0; i < fixture->attribute_count; i++)
    free(fixture->attributes[i].name);
  for (uint32_t i = 0; i < fixture->class_count; i++)
    free(fixture->classes[i]);
  for (uint32_t i = 0; i < fixture->team_count; i++)
    free(fixture->teams[i].members);
  for (uint32_t i = 0; i < fixture->property_count; i++) {
    free(fixture->properties[i][0]);
    free(fixture->properties[i][1]);
  }
  free(fixture);
}
