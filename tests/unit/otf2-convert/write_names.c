/*
 * Writes an archive that has every name of common/raw/archive_names.h, by what the converter writes archives with:
 * write-names DIRECTORY, which must be new. test_archive_names.c of the analyzer reads it. On location 0 attribute
 * number n (as in ATTRIBUTES) has the value 1000 + n, or is as below.
 */
#include "otf2-convert/convert.h"
#include "otf2-convert/describe/describe.h"
#include "otf2-convert/options.h"
#include "otf2-convert/timeline/record_details.h"
#include "tests/unit/otf2-convert/raw_writer.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define THREADS 7u

static struct definitions definitions;

static void expect(bool good, const char *what)
{
  if (good)
    return;
  fprintf(stderr, "write-names: %s\n", what);
  exit(1);
}

/* Processes: one that recorded its end, one that a signal ended, one that called _exit, one with an unknown end.
 */
static void write_raw(const char *trace)
{
  char *first = raw_write_process(
      trace, "h.1.1",
      "tool: ompt\ntool: pthread\nruntime: R 1\nhost: h\npid: 1\nstart: 1\nbegan: 1\nexe: /bin/test\narg: test\ncwd: "
      "/\nprocessors: 2\ncpu-limit: 150000 100000 10\nstolen: 5 100\nclock: tsc\n"
      "env: HEDDLE_MAX_RATE=5\nenv: HEDDLE_KEEP=a.c:1\nenv: HEDDLE_COSTS=libgomp threads 2 task 310\nbudget: "
      "none\nanchor: 0 0 0\nanchor: 1000000 "
      "1000000 1000000\nrecord-ticks: 256\ncounters: instructions=p:0:1:0\ncounter-ticks: 500\ncounters-lost: 1 why\n"
      "java-sampling: 1000000\njava-samples: 79 1 1 2 3 4 5 6 7 8 9 10 11 12\ntimer-samples: 1 2 3 4\n"
      "threads-lost: 1 no space left\ncpu-limit: 150000 100000 30\nstolen: 7 200\nended: 1000000 exit\n");
  for (unsigned i = 0; i < THREADS; i++) {
    struct raw_thread *thread = raw_thread_open(first, i, 4096, 0);
    RAW0(thread, RAW_THREAD_BEGIN, THREAD_INITIAL, 100 + i, 10);
    RAW0(thread, RAW_THREAD_END, 0, 0, 1000);
    raw_thread_close(thread);
  }
  free(first);
  for (unsigned pid = 2; pid <= 4; pid++) {
    char name[16], text[256];
    snprintf(name, sizeof name, "h.%u.%u", pid, pid);
    const char *clock = "monotonic\nanchor: 0 0 0\n";
    if (pid == 2) /* whose counter jumps */
      clock = "tsc\nclock-why: so it is\nanchor: 0 0 0 9\nanchor: 400000000 200000000 0 9\n"
              "anchor: 99400000000 300000000 0 9\nanchor: 99600000000 400000000 0 9\n";
    snprintf(text, sizeof text, "host: h\npid: %u\nstart: %u\nclock: %s", pid, pid, clock);
    char *directory = raw_write_process(trace, name, text);
    struct raw_thread *thread = raw_thread_open(directory, 0, 4096, 0);
    RAW0(thread, RAW_THREAD_BEGIN, THREAD_INITIAL, 200 + pid, 20);
    raw_thread_close(thread);
    free(directory);
  }
}

/* What the records could have said of the threads. */
static void know_threads(struct converted *converted)
{
  converted->counts.omitted_by_weight = converted->counts.readings = converted->counts.counters = 1;
  converted->calls.open = true;
  converted->switches = converted->switches_lost = converted->switches_cost = 1;
  converted->samples.lost = 1;
  for (unsigned i = 0; i < THREADS; i++) {
    struct thread_facts *facts = &converted->locations[i].facts;
    facts->has_program_events = false;
    facts->paused = true;
    facts->not_measured = facts->lost_after = 1;
    facts->type = i == 0 ? THREAD_INITIAL : i == 1 ? THREAD_WORKER : 0;
    facts->counters_scaled = 1;
    facts->tid = i == 0 ? 1 : facts->tid;
    facts->is_java = i >= 3;
    facts->java_id = i;
    facts->java_flags = i == 3 ? RAW_JAVA_INTERNAL : i == 4 ? RAW_JAVA_DAEMON : i == 6 ? RAW_JAVA_VIRTUAL : 0;
    facts->java_group = i == 3 ? strdup("system") : NULL;
    facts->java_class = i == 4 ? strdup("App$Task") : NULL;
    facts->bound_to = i == 3 ? strdup("0-3,8") : NULL;
  }
}

static void add_region(struct region region)
{
  region.module = MODULE_NONE;
  if (region.place.function == NULL)
    region.place.function = region.place.file = "";
  expect(vector_push(&definitions.regions, region), "no memory");
}

/* Each construct without a place, numbered as in REGIONS, and then what names and descriptions can have besides. */
static void add_regions(void)
{
  for (enum construct construct = 0; construct < CONSTRUCT_COUNT; construct++)
    add_region((struct region){.construct = construct});
  add_region((struct region){.construct = C_REDUCTION, .java = true, .place = {.function = "A.b", .file = ""}});
  add_region((struct region){.construct = C_BARRIER_WAIT, .place = {.function = "f", .file = "/a.c", .line = 7}});
  add_region((struct region){.construct = C_PARALLEL, .place = {.function = "f", .file = "", .automatic = true}});
  add_region((struct region){.construct = C_LOOP, .place = {.function = "f", .file = "", .automatic = true}});
  add_region((struct region){.construct = C_LOOP_STATIC, .place = {.function = "f", .file = "", .inlined = true}});
  add_region((struct region){.construct = C_TASK, .unloaded = true});
  static const enum construct of_pools[] = {C_TASK, C_TASKWAIT, C_TASKWAIT_WAIT};
  for (size_t i = 0; i < sizeof of_pools / sizeof *of_pools; i++)
    add_region((struct region){.construct = of_pools[i], .java = true, .place = {.function = "A.b", .file = ""}});
  for (unsigned kind = DEPEND_IN; kind <= DEPEND_OUT_ALL_MEMORY; kind++)
    definitions_depend(&definitions, kind, 1);
}

static void put(OTF2_EvtWriter *writer, uint64_t *time, OTF2_AttributeList *attributes)
{
  expect(OTF2_EvtWriter_Enter(writer, attributes, ++*time, C_SKIPPED_INSTANCES) == OTF2_SUCCESS &&
             OTF2_EvtWriter_Leave(writer, NULL, ++*time, C_SKIPPED_INSTANCES) == OTF2_SUCCESS,
         "an event cannot be written");
}

static void add_attribute(OTF2_AttributeList *attributes, uint32_t ref, OTF2_Type type)
{
  OTF2_AttributeValue value;
  switch (type) {
  case OTF2_TYPE_INT64:
    value.int64 = -1000 - (int64_t)ref;
    break;
  case OTF2_TYPE_DOUBLE:
    value.float64 = -1000.5 - (double)ref;
    break;
  case OTF2_TYPE_UINT8:
    value.uint8 = 1;
    break;
  case OTF2_TYPE_STRING:
    value.stringRef = STRING_NOT_LEFT;
    break;
  case OTF2_TYPE_REGION:
    value.regionRef = C_MONITOR_OWNER;
    break;
  default:
    value.uint64 = 1000 + ref;
  }
  expect(OTF2_AttributeList_AddAttribute(attributes, ref, type, value) == OTF2_SUCCESS, "an attribute");
}

/* One event with all attributes, and one for each text that an attribute can have. */
static void put_events(struct archive *archive, uint64_t time)
{
  static const OTF2_Type types[] = {
#define X(constant, name, type, description) OTF2_TYPE_##type,
      ATTRIBUTES(X)
#undef X
  };
  OTF2_EvtWriter *writer = archive_writer(archive, 0);
  OTF2_AttributeList *attributes = OTF2_AttributeList_New();
  for (uint32_t i = 0; i < ATTRIBUTE_COUNT; i++)
    add_attribute(attributes, i, types[i]);
  put(writer, &time, attributes);
#define X(constant, text)                                                                                              \
  expect(OTF2_AttributeList_AddStringRef(attributes, ATTRIBUTE, STRING_##constant) == OTF2_SUCCESS, text);             \
  put(writer, &time, attributes);
#define ATTRIBUTE ATTRIBUTE_CLOSED
  CLOSED_VALUES(X)
#undef ATTRIBUTE
#define ATTRIBUTE ATTRIBUTE_CANCEL
  CANCEL_VALUES(X)
#undef ATTRIBUTE
#define ATTRIBUTE ATTRIBUTE_ROW
  ROW_VALUES(X)
#undef ATTRIBUTE
#define ATTRIBUTE ATTRIBUTE_METRIC
  METRIC_VALUES(X)
#undef ATTRIBUTE
#undef X
  OTF2_AttributeList_Delete(attributes);
}

int main(int count, char **arguments)
{
  expect(count == 2, "which directory?");
  const char *trace = arguments[1];
  const struct convert_settings settings = {.jobs = 1, .slice_bytes = 1 << 20, .trace_fd = -1};
  struct plan plan;
  struct error error;
  struct archive archive;
  struct converted converted;
  write_raw(trace);
  int fd = open(trace, O_RDONLY | O_DIRECTORY);
  expect(plan_open(&plan, fd, trace, PLAN_LIVE_CONVERT, &error) == PLAN_READY, "no plan");
  expect(exit_status_note(&plan, &(struct exit_status){.pid = 2, .killed = true, .number = 9}), "no memory");
  expect(exit_status_note(&plan, &(struct exit_status){.pid = 3, .number = 4}), "no memory");
  definitions_begin(&definitions, &plan);
  expect(archive_open(&archive, trace, fd, plan.location_count) == 0, "no archive");
  expect(convert_events(&converted, &plan, &archive, &definitions, &settings) == 0, "no conversion");
  know_threads(&converted);
  add_regions();
  put_events(&archive, converted.last_time);
  converted.last_time += 1000;
  plan.processes.items[0].raw.profile_count = 1; /* as if there were one beside events */
  plan.clocks.one = true;                        /* ... and all processes were of one machine */
  expect(describe_archive(&plan, &converted, &definitions, &archive, fd) == 0, "no definitions");
  plan.processes.items[0].raw.profile_count = 0;
  expect(describe_samples(&plan, &converted, &definitions, fd) == 0, "no definitions of samples");
  expect(archive_finish(&archive) == 0, "the archive is not finished");
  converted_free(&converted);
  definitions_free(&definitions);
  plan_close(&plan);
  close(fd);
  return 0;
}
