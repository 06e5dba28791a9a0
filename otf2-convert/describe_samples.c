/* The definitions of the samples' archive: threads as in the first one, functions, and the paths through them. */
#include "otf2-convert/describe.h"
#include "otf2-convert/describer.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* A function and a line of it, as refs of regions and source code locations; their texts have all that makes them up.
 */
struct sample_refs {
  struct texts functions, lines;
};

static const char *base_of(const char *path)
{
  const char *slash = strrchr(path, '/');
  return slash == NULL || slash[1] == 0 ? path : slash + 1;
}

/* `function`; `function (omp @file:line)` of what the compiler took out of it; `[module]` of what has no symbol. */
static void function_name(const struct code_place *code, char *name, size_t size)
{
  const struct source_place *place = &code->place;
  if (code->module == NULL)
    snprintf(name, size, "%s", NAME_CODE_UNKNOWN);
  else if (place->function[0] == 0)
    snprintf(name, size, "[%s]", base_of(code->module));
  else if (place->construct != 0)
    snprintf(name, size, "%s (omp%s%s:%" PRIu32 ")", place->function, NAME_AT, base_of(place->file), place->construct);
  else
    snprintf(name, size, "%s", place->function);
}

static uint32_t write_function(struct describer *d, struct sample_refs *refs, const struct code_place *code)
{
  char name[4096], key[12288];
  const char *module = code->module != NULL ? code->module : "";
  function_name(code, name, sizeof name);
  snprintf(key, sizeof key, "%s\n%s\n%s", name, code->place.file, module);
  size_t known = refs->functions.items.count;
  uint32_t ref = texts_number(&refs->functions, key);
  if (ref == TEXTS_NONE) {
    d->error = ENOMEM;
  } else if (ref == known) {
    OTF2_StringRef text = describer_string(d, name), file = describer_string(d, code->place.file);
    archive_check(d->archive, OTF2_GlobalDefWriter_WriteRegion(d->writer, ref, text, text, describer_string(d, module),
                                                               OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_SAMPLING,
                                                               OTF2_REGION_FLAG_NONE, file, code->place.construct, 0));
  }
  return ref;
}

static uint32_t write_line(struct describer *d, struct sample_refs *refs, const struct source_place *place)
{
  char key[8192];
  if (place->file[0] == 0 || place->line == 0)
    return OTF2_UNDEFINED_SOURCE_CODE_LOCATION;
  snprintf(key, sizeof key, "%" PRIu32 "\n%s", place->line, place->file);
  size_t known = refs->lines.items.count;
  uint32_t ref = texts_number(&refs->lines, key);
  if (ref == TEXTS_NONE)
    d->error = ENOMEM;
  else if (ref == known)
    archive_check(d->archive, OTF2_GlobalDefWriter_WriteSourceCodeLocation(
                                  d->writer, ref, describer_string(d, place->file), place->line));
  return ref;
}

/* What a code of a node is (samples.h). */
static struct code_place place_of(struct describer *d, const struct sample_node *node)
{
  if (node->code == SAMPLE_CALLERS_UNKNOWN)
    return (struct code_place){.place = {.function = NAME_CALLERS_UNKNOWN, .file = ""}, .module = ""};
  if (node->code < SAMPLE_JAVA)
    return definitions_code(d->definitions, node->process, node->code);
  const struct java_place *java =
      java_place(&d->plan->processes.items[node->process].info.java, node->code & ~SAMPLE_JAVA);
  if (java == NULL)
    return (struct code_place){.place = {.function = "", .file = ""}};
  return (struct code_place){.place = {.function = java->method, .file = java->file, .line = java->line}, .module = ""};
}

static void write_nodes(struct describer *d, struct sample_refs *refs)
{
  const struct samples *samples = &d->converted->samples;
  for (size_t i = 0; i < samples->nodes.count && d->error == 0; i++) {
    const struct sample_node *node = &samples->nodes.items[i];
    struct code_place code = place_of(d, node);
    uint32_t function = write_function(d, refs, &code), line = write_line(d, refs, &code.place);
    uint32_t parent = node->parent == SAMPLES_NONE ? OTF2_UNDEFINED_CALLING_CONTEXT : node->parent;
    archive_check(d->archive, OTF2_GlobalDefWriter_WriteCallingContext(d->writer, (uint32_t)i, function, line, parent));
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
  struct sample_refs refs = {0};
  if (d.writer == NULL)
    return EIO;
  for (uint32_t i = 0; i < converted->location_count; i++)
    if (converted->locations[i].facts.any)
      samples_end_location(samples, i);
  describer_clock(&d);
  OTF2_StringRef name = describer_string(&d, NAME_SAMPLING);
  archive_check(d.archive, OTF2_GlobalDefWriter_WriteParadigm(d.writer, OTF2_PARADIGM_SAMPLING, name,
                                                              OTF2_PARADIGM_CLASS_PROCESS));
  archive_check(d.archive,
                OTF2_GlobalDefWriter_WriteInterruptGenerator(d.writer, 0, name, OTF2_INTERRUPT_GENERATOR_MODE_TIME,
                                                             OTF2_BASE_DECIMAL, -9, samples->period));
  describe_machine(&d, trace_fd);
  write_nodes(&d, &refs);
  texts_free(&refs.functions);
  texts_free(&refs.lines);
  describer_end(&d);
  archive_close_beside(&samples->archive, samples->beside);
  return d.error;
}
