#include "tests/unit/analyzer/samples_archive.h"

#include "base/vector.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK = 256 * 1024, LOCATIONS = 64, NAME_SIZE = 64, TICKS = 1000000 };

struct function {
  char name[NAME_SIZE];
};

struct context {
  uint32_t parent, function, line;
};

struct sampled {
  OTF2_Archive *archive;
  OTF2_GlobalDefWriter *definitions;
  OTF2_EvtWriter *writers[LOCATIONS];
  uint64_t events[LOCATIONS];
  struct {
    char name[NAME_SIZE];
    bool timed;
    uint64_t period;
  } triggers[8];
  VECTOR(struct function) functions;
  VECTOR(struct context) contexts;
  uint32_t trigger_count, string_count, line_count;
  uint64_t last;
};

static void check(int good, const char *what)
{
  if (good)
    return;
  fprintf(stderr, "sampled: %s failed\n", what);
  abort();
}
#define CHECK(call) check((call) == OTF2_SUCCESS, #call)

static OTF2_FlushType pre_flush(void *user, OTF2_FileType type, OTF2_LocationRef location, void *caller, bool final)
{
  (void)user;
  (void)type;
  (void)location;
  (void)caller;
  (void) final;
  return OTF2_FLUSH;
}

static OTF2_TimeStamp post_flush(void *user, OTF2_FileType type, OTF2_LocationRef location)
{
  (void)type;
  (void)location;
  return ((struct sampled *)user)->last;
}

struct sampled *sampled_create(const char *directory)
{
  static const OTF2_FlushCallbacks flush = {pre_flush, post_flush};
  struct sampled *sampled = calloc(1, sizeof *sampled);
  check(sampled != NULL, "calloc");
  sampled->archive = OTF2_Archive_Open(directory, "samples", OTF2_FILEMODE_WRITE, CHUNK, CHUNK, OTF2_SUBSTRATE_POSIX,
                                       OTF2_COMPRESSION_NONE);
  check(sampled->archive != NULL, "OTF2_Archive_Open");
  CHECK(OTF2_Archive_SetFlushCallbacks(sampled->archive, &flush, sampled));
  CHECK(OTF2_Archive_SetSerialCollectiveCallbacks(sampled->archive));
  CHECK(OTF2_Archive_OpenEvtFiles(sampled->archive));
  return sampled;
}

uint32_t sampled_trigger(struct sampled *sampled, const char *name, bool timed, uint64_t period)
{
  uint32_t ref = sampled->trigger_count++;
  snprintf(sampled->triggers[ref].name, NAME_SIZE, "%s", name);
  sampled->triggers[ref].timed = timed;
  sampled->triggers[ref].period = period;
  return ref;
}

uint32_t sampled_function(struct sampled *sampled, const char *name)
{
  struct function function;
  snprintf(function.name, NAME_SIZE, "%s", name);
  check(vector_push(&sampled->functions, function), "vector_push");
  return (uint32_t)sampled->functions.count - 1;
}

uint32_t sampled_context(struct sampled *sampled, uint32_t parent, uint32_t function, uint32_t line)
{
  struct context context = {parent, function, line};
  check(parent == SAMPLED_TOP || parent < sampled->contexts.count, "parent");
  check(function < sampled->functions.count, "function");
  check(vector_push(&sampled->contexts, context), "vector_push");
  return (uint32_t)sampled->contexts.count - 1;
}

uint32_t sampled_any_context(struct sampled *sampled, uint32_t parent, uint32_t function)
{
  struct context context = {parent, function, 0};
  check(vector_push(&sampled->contexts, context), "vector_push");
  return (uint32_t)sampled->contexts.count - 1;
}

void sampled_take(struct sampled *sampled, uint32_t location, uint64_t time, uint32_t context, uint32_t trigger,
                  uint32_t count)
{
  if (!sampled->writers[location])
    sampled->writers[location] = OTF2_Archive_GetEvtWriter(sampled->archive, location);
  check(sampled->writers[location] != NULL, "OTF2_Archive_GetEvtWriter");
  sampled->last = time > sampled->last ? time : sampled->last;
  for (uint32_t i = 0; i < count; i++)
    CHECK(OTF2_EvtWriter_CallingContextSample(sampled->writers[location], NULL, time, context, 1, trigger));
}

static uint32_t string(struct sampled *sampled, const char *text)
{
  CHECK(OTF2_GlobalDefWriter_WriteString(sampled->definitions, sampled->string_count, text));
  return sampled->string_count++;
}

static void write_code(struct sampled *sampled)
{
  OTF2_GlobalDefWriter *writer = sampled->definitions;
  for (uint32_t i = 0; i < sampled->functions.count; i++) {
    char file[NAME_SIZE + 16];
    snprintf(file, sizeof file, "/src/%s.c", sampled->functions.items[i].name);
    uint32_t name = string(sampled, sampled->functions.items[i].name), path = string(sampled, file);
    CHECK(OTF2_GlobalDefWriter_WriteRegion(writer, i, name, name, string(sampled, "/bin/program"),
                                           OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_SAMPLING, OTF2_REGION_FLAG_NONE,
                                           path, 0, 0));
  }
  for (uint32_t i = 0; i < sampled->contexts.count; i++) {
    const struct context *context = &sampled->contexts.items[i];
    uint32_t line = OTF2_UNDEFINED_SOURCE_CODE_LOCATION;
    if (context->line > 0) {
      char file[NAME_SIZE + 16];
      snprintf(file, sizeof file, "/src/%s.c", sampled->functions.items[context->function].name);
      line = sampled->line_count++;
      CHECK(OTF2_GlobalDefWriter_WriteSourceCodeLocation(writer, line, string(sampled, file), context->line));
    }
    CHECK(OTF2_GlobalDefWriter_WriteCallingContext(writer, i, context->function, line, context->parent));
  }
}

static void write_definitions(struct sampled *sampled)
{
  OTF2_GlobalDefWriter *writer = sampled->definitions = OTF2_Archive_GetGlobalDefWriter(sampled->archive);
  check(writer != NULL, "OTF2_Archive_GetGlobalDefWriter");
  CHECK(OTF2_GlobalDefWriter_WriteClockProperties(writer, TICKS, 0, sampled->last, OTF2_UNDEFINED_TIMESTAMP));
  CHECK(OTF2_GlobalDefWriter_WriteSystemTreeNode(writer, 0, string(sampled, "host"), string(sampled, "machine"),
                                                 OTF2_UNDEFINED_SYSTEM_TREE_NODE));
  CHECK(OTF2_GlobalDefWriter_WriteLocationGroup(writer, 0, string(sampled, "program [1]"),
                                                OTF2_LOCATION_GROUP_TYPE_PROCESS, 0, OTF2_UNDEFINED_LOCATION_GROUP));
  for (uint32_t i = 0; i < LOCATIONS; i++)
    if (sampled->writers[i])
      CHECK(OTF2_GlobalDefWriter_WriteLocation(writer, i, string(sampled, "thread"), OTF2_LOCATION_TYPE_CPU_THREAD,
                                               sampled->events[i], 0));
  for (uint32_t i = 0; i < sampled->trigger_count; i++)
    CHECK(OTF2_GlobalDefWriter_WriteInterruptGenerator(
        writer, i, string(sampled, sampled->triggers[i].name),
        sampled->triggers[i].timed ? OTF2_INTERRUPT_GENERATOR_MODE_TIME : OTF2_INTERRUPT_GENERATOR_MODE_COUNT,
        OTF2_BASE_DECIMAL, sampled->triggers[i].timed ? -9 : 0, sampled->triggers[i].period));
  write_code(sampled);
}

void sampled_finish(struct sampled *sampled)
{
  for (uint32_t i = 0; i < LOCATIONS; i++) {
    if (!sampled->writers[i])
      continue;
    CHECK(OTF2_EvtWriter_GetNumberOfEvents(sampled->writers[i], &sampled->events[i]));
    CHECK(OTF2_Archive_CloseEvtWriter(sampled->archive, sampled->writers[i]));
  }
  CHECK(OTF2_Archive_CloseEvtFiles(sampled->archive));
  write_definitions(sampled);
  CHECK(OTF2_Archive_CloseGlobalDefWriter(sampled->archive, sampled->definitions));
  CHECK(OTF2_Archive_Close(sampled->archive));
  vector_free(&sampled->functions);
  vector_free(&sampled->contexts);
  free(sampled);
}
