#include "tests/unit/analyzer/samples_archive.h"

#include "base/vector.h"
#include "common/raw/archive_names.h"
#include "tests/unit/analyzer/writing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LOCATIONS = 64, NAME_SIZE = 64, TICKS = 1000000 };

struct function {
  char name[NAME_SIZE];
};

struct context {
  uint32_t parent, function, line;
  const char *property; /* NULL: none */
};

struct taken {
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
  bool exact; /* the archive has calls */
};

static const char *const attributes[] = {
#define X(constant, name, ...) name,
    CALL_ATTRIBUTES(X)
#undef X
};
enum {
#define X(constant, ...) CALL_##constant,
  CALL_ATTRIBUTES(X)
#undef X
};

struct taken *taken_create(const char *directory)
{
  struct taken *taken = calloc(1, sizeof *taken);
  writing_check(taken != NULL, "calloc");
  taken->archive = writing_begin(directory, "samples", &taken->last);
  return taken;
}

struct taken *taken_create_calls(const char *directory)
{
  struct taken *taken = calloc(1, sizeof *taken);
  writing_check(taken != NULL, "calloc");
  taken->archive = writing_begin(directory, "calls", &taken->last);
  taken->exact = true;
  taken_trigger(taken, "Exact calls", false, 1);
  return taken;
}

uint32_t taken_trigger(struct taken *taken, const char *name, bool timed, uint64_t period)
{
  uint32_t ref = taken->trigger_count++;
  snprintf(taken->triggers[ref].name, NAME_SIZE, "%s", name);
  taken->triggers[ref].timed = timed;
  taken->triggers[ref].period = period;
  return ref;
}

uint32_t taken_function(struct taken *taken, const char *name)
{
  struct function function;
  snprintf(function.name, NAME_SIZE, "%s", name);
  writing_check(vector_push(&taken->functions, function), "vector_push");
  return (uint32_t)taken->functions.count - 1;
}

uint32_t taken_context(struct taken *taken, uint32_t parent, uint32_t function, uint32_t line)
{
  struct context context = {parent, function, line, NULL};
  writing_check(parent == TAKEN_TOP || parent < taken->contexts.count, "parent");
  writing_check(function < taken->functions.count, "function");
  writing_check(vector_push(&taken->contexts, context), "vector_push");
  return (uint32_t)taken->contexts.count - 1;
}

uint32_t taken_any_context(struct taken *taken, uint32_t parent, uint32_t function)
{
  struct context context = {parent, function, 0, NULL};
  writing_check(vector_push(&taken->contexts, context), "vector_push");
  return (uint32_t)taken->contexts.count - 1;
}

void taken_property(struct taken *taken, uint32_t context, const char *name)
{
  taken->contexts.items[context].property = name;
}

static OTF2_EvtWriter *writer_of(struct taken *taken, uint32_t location)
{
  if (!taken->writers[location])
    taken->writers[location] = OTF2_Archive_GetEvtWriter(taken->archive, location);
  writing_check(taken->writers[location] != NULL, "OTF2_Archive_GetEvtWriter");
  return taken->writers[location];
}

void taken_add(struct taken *taken, uint32_t location, uint32_t context, struct taken_sums sums)
{
  OTF2_AttributeList *list = OTF2_AttributeList_New();
  const uint64_t numbers[] = {
      [CALL_CALLS] = sums.calls,     [CALL_INCLUSIVE] = sums.inclusive, [CALL_SELF] = sums.self,
      [CALL_BLOCKED] = sums.blocked, [CALL_SHORTEST] = sums.shortest,   [CALL_LONGEST] = sums.longest,
      [CALL_RUNNING] = sums.running};
  for (uint32_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
    if (numbers[i] > 0)
      CHECK(OTF2_AttributeList_AddUint64(list, i, numbers[i]));
  CHECK(OTF2_EvtWriter_CallingContextSample(writer_of(taken, location), list, taken->last, context, 1, 0));
  OTF2_AttributeList_Delete(list);
}

void taken_take(struct taken *taken, uint32_t location, uint64_t time, uint32_t context, uint32_t trigger,
                uint32_t count)
{
  writer_of(taken, location);
  taken->last = time > taken->last ? time : taken->last;
  for (uint32_t i = 0; i < count; i++)
    CHECK(OTF2_EvtWriter_CallingContextSample(taken->writers[location], NULL, time, context, 1, trigger));
}

static uint32_t string(struct taken *taken, const char *text)
{
  CHECK(OTF2_GlobalDefWriter_WriteString(taken->definitions, taken->string_count, text));
  return taken->string_count++;
}

static void file_of(const char *function, char *file, size_t size)
{
  bool header = strncmp(function, "std::", 5) == 0;
  snprintf(file, size, header ? "/usr/include/%s" : "/src/%s.c", function);
}

static void write_code(struct taken *taken)
{
  OTF2_GlobalDefWriter *writer = taken->definitions;
  for (uint32_t i = 0; taken->exact && i < sizeof attributes / sizeof *attributes; i++)
    CHECK(OTF2_GlobalDefWriter_WriteAttribute(writer, i, string(taken, attributes[i]), 0,
                                              i == CALL_SITE ? OTF2_TYPE_SOURCE_CODE_LOCATION : OTF2_TYPE_UINT64));
  for (uint32_t i = 0; i < taken->functions.count; i++) {
    char file[NAME_SIZE + 16];
    file_of(taken->functions.items[i].name, file, sizeof file);
    uint32_t name = string(taken, taken->functions.items[i].name), path = string(taken, file);
    CHECK(OTF2_GlobalDefWriter_WriteRegion(writer, i, name, name, string(taken, "/bin/program"),
                                           OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_SAMPLING, OTF2_REGION_FLAG_NONE,
                                           path, 0, 0));
  }
  for (uint32_t i = 0; i < taken->contexts.count; i++) {
    const struct context *context = &taken->contexts.items[i];
    uint32_t line = OTF2_UNDEFINED_SOURCE_CODE_LOCATION;
    if (context->line > 0) {
      char file[NAME_SIZE + 16];
      file_of(taken->functions.items[context->function].name, file, sizeof file);
      line = taken->line_count++;
      CHECK(OTF2_GlobalDefWriter_WriteSourceCodeLocation(writer, line, string(taken, file), context->line));
    }
    CHECK(OTF2_GlobalDefWriter_WriteCallingContext(writer, i, context->function, line, context->parent));
    if (context->property)
      CHECK(OTF2_GlobalDefWriter_WriteCallingContextProperty(writer, i, string(taken, context->property),
                                                             OTF2_TYPE_UINT8, (OTF2_AttributeValue){.uint8 = 1}));
  }
}

static void write_definitions(struct taken *taken)
{
  OTF2_GlobalDefWriter *writer = taken->definitions = OTF2_Archive_GetGlobalDefWriter(taken->archive);
  writing_check(writer != NULL, "OTF2_Archive_GetGlobalDefWriter");
  CHECK(OTF2_GlobalDefWriter_WriteClockProperties(writer, TICKS, 0, taken->last, OTF2_UNDEFINED_TIMESTAMP));
  CHECK(OTF2_GlobalDefWriter_WriteSystemTreeNode(writer, 0, string(taken, "host"), string(taken, "machine"),
                                                 OTF2_UNDEFINED_SYSTEM_TREE_NODE));
  CHECK(OTF2_GlobalDefWriter_WriteLocationGroup(writer, 0, string(taken, "program [1]"),
                                                OTF2_LOCATION_GROUP_TYPE_PROCESS, 0, OTF2_UNDEFINED_LOCATION_GROUP));
  for (uint32_t i = 0; i < LOCATIONS; i++)
    if (taken->writers[i])
      CHECK(OTF2_GlobalDefWriter_WriteLocation(writer, i, string(taken, "thread"), OTF2_LOCATION_TYPE_CPU_THREAD,
                                               taken->events[i], 0));
  for (uint32_t i = 0; i < taken->trigger_count; i++)
    CHECK(OTF2_GlobalDefWriter_WriteInterruptGenerator(
        writer, i, string(taken, taken->triggers[i].name),
        taken->triggers[i].timed ? OTF2_INTERRUPT_GENERATOR_MODE_TIME : OTF2_INTERRUPT_GENERATOR_MODE_COUNT,
        OTF2_BASE_DECIMAL, taken->triggers[i].timed ? -9 : 0, taken->triggers[i].period));
  write_code(taken);
}

void taken_finish(struct taken *taken)
{
  for (uint32_t i = 0; i < LOCATIONS; i++) {
    if (!taken->writers[i])
      continue;
    CHECK(OTF2_EvtWriter_GetNumberOfEvents(taken->writers[i], &taken->events[i]));
    CHECK(OTF2_Archive_CloseEvtWriter(taken->archive, taken->writers[i]));
  }
  CHECK(OTF2_Archive_CloseEvtFiles(taken->archive));
  write_definitions(taken);
  CHECK(OTF2_Archive_CloseGlobalDefWriter(taken->archive, taken->definitions));
  CHECK(OTF2_Archive_Close(taken->archive));
  vector_free(&taken->functions);
  vector_free(&taken->contexts);
  free(taken);
}
