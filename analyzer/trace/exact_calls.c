#include "analyzer/trace/exact_calls.h"

#include "analyzer/trace/anchor.h"
#include "analyzer/trace/exact_calls_refs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ANCHOR "calls.otf2"

struct raw_function {
  OTF2_StringRef name, module, file;
  uint32_t line;
};

struct raw_line {
  OTF2_StringRef file;
  uint32_t line;
};

struct raw_context {
  OTF2_CallingContextRef ref, parent;
  OTF2_RegionRef function;
  OTF2_SourceCodeLocationRef line;
};

struct raw_attribute {
  OTF2_AttributeRef ref;
  OTF2_StringRef name;
};

/* What the archive defines, until all of it is known. */
struct collector {
  struct exact_calls *calls;
  bool out_of_memory;
  VECTOR(char *) strings;
  VECTOR(struct raw_function) functions;
  VECTOR(struct raw_line) lines;
  VECTOR(struct raw_context) contexts;
  VECTOR(struct raw_attribute) attributes;
  struct ref_map string_of, function_of;
};

static OTF2_CallbackCode result_of(struct collector *collector, bool good)
{
  collector->out_of_memory |= !good;
  return good ? OTF2_CALLBACK_SUCCESS : OTF2_CALLBACK_INTERRUPT;
}

static OTF2_CallbackCode on_string(void *user, OTF2_StringRef self, const char *text)
{
  struct collector *collector = user;
  char *copy = strdup(text ? text : "");
  if (!copy || !vector_push(&collector->strings, copy)) {
    free(copy);
    return result_of(collector, false);
  }
  return result_of(collector, ref_map_set(&collector->string_of, self, (uint32_t)collector->strings.count - 1));
}

static OTF2_CallbackCode on_region(void *user, OTF2_RegionRef self, OTF2_StringRef name, OTF2_StringRef canonical,
                                   OTF2_StringRef description, OTF2_RegionRole role, OTF2_Paradigm paradigm,
                                   OTF2_RegionFlag flags, OTF2_StringRef file, uint32_t begin_line, uint32_t end_line)
{
  (void)canonical;
  (void)role;
  (void)paradigm;
  (void)flags;
  (void)end_line;
  struct collector *collector = user;
  struct raw_function function = {.name = name, .module = description, .file = file, .line = begin_line};
  return result_of(collector, vector_push(&collector->functions, function) &&
                                  ref_map_set(&collector->function_of, self, (uint32_t)collector->functions.count - 1));
}

static OTF2_CallbackCode on_line(void *user, OTF2_SourceCodeLocationRef self, OTF2_StringRef file, uint32_t line)
{
  struct collector *collector = user;
  return result_of(collector,
                   vector_push(&collector->lines, ((struct raw_line){file, line})) &&
                       ref_map_set(&collector->calls->refs->line_of, self, (uint32_t)collector->lines.count - 1));
}

static OTF2_CallbackCode on_context(void *user, OTF2_CallingContextRef self, OTF2_RegionRef function,
                                    OTF2_SourceCodeLocationRef line, OTF2_CallingContextRef parent)
{
  struct collector *collector = user;
  return result_of(collector, vector_push(&collector->contexts, ((struct raw_context){self, parent, function, line})));
}

static OTF2_CallbackCode on_attribute(void *user, OTF2_AttributeRef self, OTF2_StringRef name,
                                      OTF2_StringRef description, OTF2_Type type)
{
  (void)description;
  (void)type;
  struct collector *collector = user;
  return result_of(collector, vector_push(&collector->attributes, ((struct raw_attribute){self, name})));
}

static const char *text_of(const struct collector *collector, OTF2_StringRef ref)
{
  uint32_t index = ref_map_get(&collector->string_of, ref);
  return index == REF_MAP_NONE ? "" : collector->strings.items[index];
}

/* REF_MAP_NONE: it is none of ours. */
static uint32_t attribute_named(const char *name)
{
  static const char *const names[] = {
#define X(constant, name, ...) [EXACT_##constant] = name,
      CALL_ATTRIBUTES(X)
#undef X
  };
  for (uint32_t i = 0; i < EXACT_DURATION; i++)
    if (strcmp(name, names[i]) == 0)
      return i;
  if (strncmp(name, NAME_DURATION, strlen(NAME_DURATION)) != 0)
    return REF_MAP_NONE;
  unsigned long power = strtoul(name + strlen(NAME_DURATION), NULL, 10);
  return power < EXACT_CALLS_DURATIONS ? EXACT_DURATION + (uint32_t)power : REF_MAP_NONE;
}

static bool resolve_attributes(struct collector *collector)
{
  for (size_t i = 0; i < collector->attributes.count; i++) {
    uint32_t attribute = attribute_named(text_of(collector, collector->attributes.items[i].name));
    if (attribute != REF_MAP_NONE &&
        !ref_map_set(&collector->calls->refs->attribute_of, collector->attributes.items[i].ref, attribute))
      return false;
  }
  return true;
}

/* Parents come first, so that no way is a circle; others are taken for none. */
static bool resolve_contexts(struct collector *collector)
{
  struct exact_calls *calls = collector->calls;
  for (size_t i = 0; i < collector->contexts.count; i++) {
    const struct raw_context *raw = &collector->contexts.items[i];
    uint32_t line = ref_map_get(&calls->refs->line_of, raw->line);
    calls->contexts[i] = (struct samples_context){.function = ref_map_get(&collector->function_of, raw->function),
                                                  .parent = ref_map_get(&calls->refs->context_of, raw->parent),
                                                  .file = line != REF_MAP_NONE ? calls->lines[line].file : "",
                                                  .line = line != REF_MAP_NONE ? calls->lines[line].line : 0};
    if (!ref_map_set(&calls->refs->context_of, raw->ref, (uint32_t)i))
      return false;
    calls->context_count++;
  }
  return true;
}

static bool resolve(struct collector *collector)
{
  struct exact_calls *calls = collector->calls;
  calls->functions = calloc(collector->functions.count + 1, sizeof *calls->functions);
  calls->contexts = calloc(collector->contexts.count + 1, sizeof *calls->contexts);
  calls->lines = calloc(collector->lines.count + 1, sizeof *calls->lines);
  if (!calls->functions || !calls->contexts || !calls->lines)
    return false;
  for (size_t i = 0; i < collector->functions.count; i++) {
    const struct raw_function *raw = &collector->functions.items[i];
    calls->functions[calls->function_count++] = (struct samples_function){.name = text_of(collector, raw->name),
                                                                          .file = text_of(collector, raw->file),
                                                                          .module = text_of(collector, raw->module),
                                                                          .line = raw->line};
  }
  for (size_t i = 0; i < collector->lines.count; i++)
    calls->lines[calls->line_count++] = (struct exact_calls_line){
        .file = text_of(collector, collector->lines.items[i].file), .line = collector->lines.items[i].line};
  bool good = resolve_contexts(collector) && resolve_attributes(collector);
  calls->refs->strings = collector->strings.items;
  calls->refs->string_count = (uint32_t)collector->strings.count;
  collector->strings.items = NULL;
  collector->strings.count = 0;
  return good;
}

static void collector_free(struct collector *collector)
{
  for (size_t i = 0; i < collector->strings.count; i++)
    free(collector->strings.items[i]);
  vector_free(&collector->strings);
  vector_free(&collector->functions);
  vector_free(&collector->lines);
  vector_free(&collector->contexts);
  vector_free(&collector->attributes);
  ref_map_free(&collector->string_of);
  ref_map_free(&collector->function_of);
}

static OTF2_ErrorCode read_definitions(struct collector *collector, OTF2_Reader *reader)
{
  OTF2_GlobalDefReader *definitions = OTF2_Reader_GetGlobalDefReader(reader);
  OTF2_GlobalDefReaderCallbacks *callbacks = OTF2_GlobalDefReaderCallbacks_New();
  OTF2_ErrorCode code = definitions && callbacks ? OTF2_SUCCESS : OTF2_ERROR_INVALID;
  uint64_t read = 0;
  if (code == OTF2_SUCCESS) {
    OTF2_GlobalDefReaderCallbacks_SetStringCallback(callbacks, on_string);
    OTF2_GlobalDefReaderCallbacks_SetRegionCallback(callbacks, on_region);
    OTF2_GlobalDefReaderCallbacks_SetSourceCodeLocationCallback(callbacks, on_line);
    OTF2_GlobalDefReaderCallbacks_SetCallingContextCallback(callbacks, on_context);
    OTF2_GlobalDefReaderCallbacks_SetAttributeCallback(callbacks, on_attribute);
    code = OTF2_Reader_RegisterGlobalDefCallbacks(reader, definitions, callbacks, collector);
  }
  if (code == OTF2_SUCCESS)
    code = OTF2_Reader_ReadAllGlobalDefinitions(reader, definitions, &read);
  if (callbacks)
    OTF2_GlobalDefReaderCallbacks_Delete(callbacks);
  if (definitions)
    OTF2_Reader_CloseGlobalDefReader(reader, definitions);
  return code;
}

static bool load(struct exact_calls *calls, struct error *error)
{
  struct collector collector = {.calls = calls};
  if (!anchor_check(calls->anchor, error))
    return false;
  OTF2_Reader *reader = OTF2_Reader_Open(calls->anchor);
  bool good = reader && OTF2_Reader_SetSerialCollectiveCallbacks(reader) == OTF2_SUCCESS;
  good = good && read_definitions(&collector, reader) == OTF2_SUCCESS;
  if (good)
    collector.out_of_memory = !resolve(&collector);
  if (collector.out_of_memory)
    good = error_set(error, "%s: out of memory", calls->anchor);
  else if (!good)
    error_set(error, "%s: not an OTF2 archive, or damaged", calls->anchor);
  collector_free(&collector);
  if (reader)
    OTF2_Reader_Close(reader);
  return good;
}

static uint64_t count_of(const struct trace *trace, const char *name)
{
  const char *value = trace_property(trace, TRACE_OF_ARCHIVE, 0, name);
  return value ? strtoull(value, NULL, 10) : 0;
}

static struct exact_calls *make(const struct trace *trace)
{
  const char *slash = strrchr(trace->anchor, '/');
  struct exact_calls *calls = calloc(1, sizeof *calls);
  if (calls && (calls->refs = calloc(1, sizeof *calls->refs)) &&
      asprintf(&calls->anchor, "%.*s" ANCHOR, slash ? (int)(slash - trace->anchor) + 1 : 0, trace->anchor) >= 0) {
    calls->full = count_of(trace, ARCHIVE_CALLS_FULL);
    calls->deep = count_of(trace, ARCHIVE_CALLS_DEEP);
    calls->skipped = count_of(trace, ARCHIVE_CALLS_SKIPPED);
    calls->left = count_of(trace, ARCHIVE_CALLS_LEFT);
    calls->unmatched = count_of(trace, ARCHIVE_CALLS_UNMATCHED);
    calls->damaged = count_of(trace, ARCHIVE_CALLS_DAMAGED);
    return calls;
  }
  if (calls)
    free(calls->refs);
  free(calls);
  return NULL;
}

struct exact_calls *exact_calls_open(const struct trace *trace, bool *none, struct error *error)
{
  *none = trace_property(trace, TRACE_OF_ARCHIVE, 0, ARCHIVE_CALLS) == NULL;
  if (*none)
    return NULL;
  struct exact_calls *calls = make(trace);
  if (!calls)
    error_set(error, "%s: out of memory", trace->anchor);
  else if (access(calls->anchor, F_OK) != 0)
    error_set(error, "%s: the run's calls are not there: copy them with the trace, calls* of its directory",
              calls->anchor);
  else if (load(calls, error))
    return calls;
  exact_calls_close(calls);
  return NULL;
}

void exact_calls_close(struct exact_calls *calls)
{
  if (!calls)
    return;
  for (uint32_t i = 0; i < calls->refs->string_count; i++)
    free(calls->refs->strings[i]);
  free(calls->refs->strings);
  ref_map_free(&calls->refs->context_of);
  ref_map_free(&calls->refs->line_of);
  ref_map_free(&calls->refs->attribute_of);
  free(calls->refs);
  free(calls->functions);
  free(calls->contexts);
  free(calls->lines);
  free(calls->anchor);
  free(calls);
}
