/*
 * Definitions of samples.otf2 and calls.otf2: threads as in the first archive, functions, and the paths through them.
 */
#include "common/raw/raw_calls.h"
#include "otf2-convert/describe/describe.h"
#include "otf2-convert/samples/sample_paths.h"
#include "otf2-convert/symbols/symbols.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A function and a line of it, as refs of regions and source code locations; their texts have all that makes them up.
 */
struct sample_refs {
  struct string_table functions, lines;
  uint32_t next; /* of contexts that are no node's */
  struct sample_paths *paths;
};

static void describe_samples_function_name(struct describer *d, const struct code_home *home,
                                           const struct code_function *function, char *name, size_t size)
{
  bool outlined = home->path != NULL && function->name != NULL && function->name[0] != 0 && function->outlined;
  sample_name(home->path, function, outlined ? describer_construct(d, home, function) : NULL, name, size);
}

static uint32_t describe_samples_write_region(struct describer *d, struct sample_refs *refs, const char *name,
                                              const char *module, const char *file, uint32_t line)
{
  char key[12288];
  snprintf(key, sizeof key, "%s\n%s\n%s", name, file, module);
  size_t known = refs->functions.items.count;
  uint32_t ref = string_table_number(&refs->functions, key);
  if (ref == STRING_TABLE_NONE) {
    d->error = ENOMEM;
  } else if (ref == known) {
    OTF2_StringRef text = describer_string(d, name), file_ref = describer_string(d, file);
    archive_check(d->archive, OTF2_GlobalDefWriter_WriteRegion(d->writer, ref, text, text, describer_string(d, module),
                                                               OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_SAMPLING,
                                                               OTF2_REGION_FLAG_NONE, file_ref, line, 0));
  }
  return ref;
}

static uint32_t describe_samples_write_line(struct describer *d, struct sample_refs *refs, const char *file,
                                            uint32_t line)
{
  char key[8192];
  if (file[0] == 0 || line == 0)
    return OTF2_UNDEFINED_SOURCE_CODE_LOCATION;
  snprintf(key, sizeof key, "%" PRIu32 "\n%s", line, file);
  size_t known = refs->lines.items.count;
  uint32_t ref = string_table_number(&refs->lines, key);
  if (ref == STRING_TABLE_NONE)
    d->error = ENOMEM;
  else if (ref == known)
    archive_check(d->archive,
                  OTF2_GlobalDefWriter_WriteSourceCodeLocation(d->writer, ref, describer_string(d, file), line));
  return ref;
}

static void write_context(struct describer *d, uint32_t ref, uint32_t function, uint32_t line, uint32_t parent)
{
  archive_check(d->archive,
                OTF2_GlobalDefWriter_WriteCallingContext(
                    d->writer, ref, function, line, parent == SAMPLES_NONE ? OTF2_UNDEFINED_CALLING_CONTEXT : parent));
}

/* A place of a Java method. */
static void write_java(struct describer *d, struct sample_refs *refs, uint32_t number, uint32_t parent)
{
  const struct sample_node *node = &d->converted->samples.nodes.items[number];
  const struct java_place *place = java_place(&d->plan->processes.items[node->process].info.java, node->code);
  const char *method = place != NULL ? place->method : NAME_METHOD_UNKNOWN, *file = place != NULL ? place->file : "";
  write_context(d, number, describe_samples_write_region(d, refs, method, "", file, 0),
                describe_samples_write_line(d, refs, file, place != NULL ? place->line : 0), parent);
}

static void write_fact(struct describer *d, uint32_t context, const char *name, bool is)
{
  if (is)
    archive_check(d->archive,
                  OTF2_GlobalDefWriter_WriteCallingContextProperty(d->writer, context, describer_string(d, name),
                                                                   OTF2_TYPE_UINT8, (OTF2_AttributeValue){.uint8 = 1}));
}

/* A node and the functions that were inlined there: the innermost one has the node's number. */
static void describe_samples_write_node(struct describer *d, struct sample_refs *refs, uint32_t number, uint32_t parent)
{
  const struct sample_node *node = &d->converted->samples.nodes.items[number];
  struct code_function functions[CODE_FUNCTIONS_MOST] = {{.file = ""}};
  char name[4096];
  if (node->java) {
    write_java(d, refs, number, parent);
    return;
  }
  if (node->code == 0) {
    write_context(d, number, describe_samples_write_region(d, refs, NAME_CALLERS_UNKNOWN, "", "", 0),
                  OTF2_UNDEFINED_SOURCE_CODE_LOCATION, parent);
    return;
  }
  uint64_t address = node->code;
  const struct code_home *known = sample_paths_home(refs->paths, &d->plan->processes.items[node->process], &address);
  const struct code_home home = known != NULL ? *known : (struct code_home){.path = NULL};
  unsigned count = home.symbols == NULL ? 1 : symbols_code(home.symbols, address - home.base, functions);
  if (home.tool) /* what it has in its functions is its own */
    count = 1;
  for (unsigned i = 0; i < count; i++) {
    const struct code_function *function = &functions[i];
    uint32_t ref = i + 1 == count ? number : refs->next++;
    describe_samples_function_name(d, &home, function, name, sizeof name);
    write_context(d, ref,
                  describe_samples_write_region(d, refs, name, home.path != NULL ? home.path : "", function->file,
                                                function->construct),
                  describe_samples_write_line(d, refs, function->file, function->line), parent);
    parent = ref;
  }
  if (node->ran && home.symbols != NULL) {
    struct code_facts facts = symbols_facts(home.symbols, address - home.base - 1);
    write_fact(d, number, CONTEXT_SPINS, facts.spins && !home.runtime);
    write_fact(d, number, CONTEXT_ATOMIC, facts.atomic && !home.runtime);
    write_fact(d, number, CONTEXT_CALLS_KERNEL, facts.calls_kernel);
    write_fact(d, number, CONTEXT_CALLS_FUTEX, facts.calls_futex);
  }
}

/* Parents come first. A node that is its own ancestor, because of who forked last, has no parent. */
static bool write_nodes(struct describer *d, struct sample_refs *refs)
{
  const struct samples *samples = &d->converted->samples;
  enum { UNSEEN, ON_THE_WAY, WRITTEN };
  VECTOR(uint32_t) way = {0};
  uint8_t *states = calloc(samples->nodes.count + 1, 1);
  bool good = states != NULL;
  refs->next = (uint32_t)samples->nodes.count;
  for (uint32_t i = 0; i < samples->nodes.count && good && d->error == 0; i++) {
    uint32_t above = i;
    while (good && above != SAMPLES_NONE && states[above] == UNSEEN) {
      states[above] = ON_THE_WAY;
      good = vector_push(&way, above);
      above = sample_archive_parent(samples, above);
    }
    uint32_t parent = above != SAMPLES_NONE && states[above] == WRITTEN ? above : SAMPLES_NONE;
    while (way.count > 0) {
      uint32_t number = way.items[--way.count];
      describe_samples_write_node(d, refs, number, parent);
      states[number] = WRITTEN;
      parent = number;
    }
  }
  free(states);
  vector_free(&way);
  return good;
}

/* It has the number of the first archive's. */
static void write_weight(struct describer *d)
{
#define DESCRIBE_SAMPLES_X(constant, name, type, description) [ATTRIBUTE_##constant] = description,
  static const char *const descriptions[ATTRIBUTE_COUNT] = {ATTRIBUTES(DESCRIBE_SAMPLES_X)};
#undef DESCRIBE_SAMPLES_X
  describer_attribute(d, ATTRIBUTE_WEIGHT, describer_string(d, NAME_OF_WEIGHT), descriptions[ATTRIBUTE_WEIGHT],
                      OTF2_TYPE_UINT64);
}

static void write_triggers(struct describer *d)
{
  const struct samples *samples = &d->converted->samples;
  for (size_t i = 0; i < samples->triggers.count; i++) {
    const struct sample_trigger *trigger = &samples->triggers.items[i];
    archive_check(d->archive,
                  OTF2_GlobalDefWriter_WriteInterruptGenerator(
                      d->writer, (uint32_t)i, describer_string(d, trigger->name),
                      trigger->by_time ? OTF2_INTERRUPT_GENERATOR_MODE_TIME : OTF2_INTERRUPT_GENERATOR_MODE_COUNT,
                      OTF2_BASE_DECIMAL, trigger->by_time ? -9 : 0, trigger->period));
  }
}

int describe_samples(const struct plan *plan, struct converted *converted, struct definitions *definitions,
                     int trace_fd)
{
  struct samples *samples = &converted->samples;
  if (!samples->open)
    return 0;
  struct describer d = {.plan = plan,
                        .converted = converted,
                        .definitions = definitions,
                        .archive = &samples->archive,
                        .writer = archive_definitions(&samples->archive),
                        .of_samples = true};
  struct sample_refs refs = {.paths = &samples->paths};
  if (d.writer == NULL)
    return EIO;
  describer_clock(&d);
  OTF2_StringRef name = describer_string(&d, NAME_SAMPLING);
  archive_check(d.archive, OTF2_GlobalDefWriter_WriteParadigm(d.writer, OTF2_PARADIGM_SAMPLING, name,
                                                              OTF2_PARADIGM_CLASS_PROCESS));
  write_weight(&d);
  write_triggers(&d);
  describe_machine(&d, trace_fd);
  if (!write_nodes(&d, &refs))
    d.error = ENOMEM;
  string_table_free(&refs.functions);
  string_table_free(&refs.lines);
  describer_end(&d);
  archive_close_beside(&samples->archive, samples->beside);
  return d.error;
}

/* Refs of regions and source code locations; their texts have all that makes them up. */
struct call_refs {
  struct string_table functions, lines;
};

/* The construct that code was outlined for has the name that the first archive has for it. */
static void describe_calls_function_name(struct describer *d, const struct code_place *code, char *name, size_t size)
{
  const char *construct = code->function.outlined ? describer_construct(d, &code->home, &code->function) : NULL;
  if (construct != NULL)
    snprintf(name, size, "%s", construct);
  else
    describer_function(code, name, size);
}

static uint32_t write_function(struct describer *d, struct call_refs *refs, const struct code_place *code)
{
  char name[4096], key[12288];
  const char *module = code->home.path != NULL ? code->home.path : "", *begin = code->function.file;
  uint32_t line = code->function.line;
  describe_calls_function_name(d, code, name, sizeof name);
  snprintf(key, sizeof key, "%s\n%s\n%" PRIu32 "\n%s", name, begin, line, module);
  size_t known = refs->functions.items.count;
  uint32_t ref = string_table_number(&refs->functions, key);
  if (ref == STRING_TABLE_NONE) {
    d->error = ENOMEM;
  } else if (ref == known) {
    OTF2_StringRef text = describer_string(d, name), file = describer_string(d, begin);
    archive_check(d->archive, OTF2_GlobalDefWriter_WriteRegion(d->writer, ref, text, text, describer_string(d, module),
                                                               OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_COMPILER,
                                                               OTF2_REGION_FLAG_NONE, file, line, 0));
  }
  return ref;
}

/* Call sites have the first refs: events refer to them. */
static void describe_calls_write_line(struct describer *d, uint32_t ref, const char *file, uint32_t line)
{
  archive_check(d->archive,
                OTF2_GlobalDefWriter_WriteSourceCodeLocation(d->writer, ref, describer_string(d, file), line));
}

static void write_sites(struct describer *d)
{
  const struct calls *calls = &d->converted->calls;
  for (size_t i = 0; i < calls->sites.count && d->error == 0; i++) {
    struct code_place code =
        definitions_code(d->definitions, calls->sites.items[i].process, calls->sites.items[i].code);
    describe_calls_write_line(d, (uint32_t)i, code.file, code.line);
  }
}

/* The line in which a function begins. */
static uint32_t write_begin(struct describer *d, struct call_refs *refs, const struct code_function *function)
{
  char key[8192];
  if (function->file[0] == 0 || function->line == 0)
    return OTF2_UNDEFINED_SOURCE_CODE_LOCATION;
  snprintf(key, sizeof key, "%" PRIu32 "\n%s", function->line, function->file);
  size_t known = refs->lines.items.count;
  uint32_t ref = string_table_number(&refs->lines, key), first = (uint32_t)d->converted->calls.sites.count;
  if (ref == STRING_TABLE_NONE)
    d->error = ENOMEM;
  else if (ref == known)
    describe_calls_write_line(d, first + ref, function->file, function->line);
  return first + ref;
}

static void write_contexts(struct describer *d, struct call_refs *refs)
{
  const struct calls *calls = &d->converted->calls;
  for (size_t i = 0; i < calls->contexts.count && d->error == 0; i++) {
    const struct call_context *context = &calls->contexts.items[i];
    struct code_place code = definitions_code(d->definitions, context->process, context->function);
    uint32_t function = write_function(d, refs, &code), line = write_begin(d, refs, &code.function);
    uint32_t parent = context->parent == CALLS_NONE ? OTF2_UNDEFINED_CALLING_CONTEXT : context->parent;
    archive_check(d->archive, OTF2_GlobalDefWriter_WriteCallingContext(d->writer, (uint32_t)i, function, line, parent));
  }
}

static void describe_calls_write_attributes(struct describer *d)
{
  static const struct {
    const char *name, *description;
    OTF2_Type type;
  } facts[CALL_ATTRIBUTE_COUNT] = {
#define DESCRIBE_CALLS_X(constant, name, type, description) [CALL_##constant] = {name, description, OTF2_TYPE_##type},
      CALL_ATTRIBUTES(DESCRIBE_CALLS_X)
#undef DESCRIBE_CALLS_X
  };
  for (uint32_t i = 0; i < CALL_ATTRIBUTE_COUNT; i++)
    describer_attribute(d, i, describer_string(d, facts[i].name), facts[i].description, facts[i].type);
  for (unsigned i = 0; i < RAW_CALLS_DURATIONS; i++)
    describer_attribute(d, CALL_ATTRIBUTE_COUNT + i,
                        describer_format(d, "%s%u", NAME_DURATION, i + 1 + RAW_CALLS_POWER),
                        "calls shorter than that power of 2, in ticks, but not than half of it; the last: all longer",
                        OTF2_TYPE_UINT64);
}

int describe_calls(const struct plan *plan, struct converted *converted, struct definitions *definitions, int trace_fd)
{
  struct calls *calls = &converted->calls;
  if (!calls->open)
    return 0;
  struct describer d = {.plan = plan,
                        .converted = converted,
                        .definitions = definitions,
                        .archive = &calls->archive,
                        .writer = archive_definitions(&calls->archive),
                        .of_calls = true};
  struct call_refs refs = {0};
  if (d.writer == NULL)
    return EIO;
  describer_clock(&d);
  OTF2_StringRef name = describer_string(&d, NAME_CALLS);
  archive_check(d.archive, OTF2_GlobalDefWriter_WriteParadigm(d.writer, OTF2_PARADIGM_COMPILER, name,
                                                              OTF2_PARADIGM_CLASS_PROCESS));
  archive_check(d.archive, OTF2_GlobalDefWriter_WriteInterruptGenerator(
                               d.writer, 0, name, OTF2_INTERRUPT_GENERATOR_MODE_COUNT, OTF2_BASE_DECIMAL, 0, 1));
  describe_calls_write_attributes(&d);
  describe_machine(&d, trace_fd);
  write_sites(&d);
  write_contexts(&d, &refs);
  string_table_free(&refs.functions);
  string_table_free(&refs.lines);
  describer_end(&d);
  archive_close_beside(&calls->archive, calls->beside);
  return d.error;
}
