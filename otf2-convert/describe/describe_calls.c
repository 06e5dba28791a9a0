/* The definitions of the archive of exact calls: threads as in the first one, functions, and the paths through them. */
#include "common/raw/raw_calls.h"
#include "otf2-convert/describe/describe.h"
#include "otf2-convert/describe/describer.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

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
