#include "analyzer/trace/definitions.h"

#include "analyzer/trace/anchor.h"
#include "analyzer/trace/loader.h"
#include "common/raw/archive_names.h"

#include <stdlib.h>
#include <string.h>

static bool read_archive_properties(struct loader *loader, OTF2_Reader *reader)
{
  uint32_t count = 0;
  char **names = NULL;
  if (OTF2_Reader_GetPropertyNames(reader, &count, &names) != OTF2_SUCCESS)
    return true; /* an archive may have none */
  bool good = true;
  for (uint32_t i = 0; good && i < count; i++) {
    char *value = NULL;
    if (OTF2_Reader_GetProperty(reader, names[i], &value) == OTF2_SUCCESS)
      good = loader_add_property(loader, TRACE_OF_ARCHIVE, 0, names[i], value);
    free(value);
  }
  free(names); /* one block with the names in it */
  return good;
}

static bool definitions_read_definitions(struct loader *loader, OTF2_Reader *reader, const char *path,
                                         struct error *error)
{
  OTF2_GlobalDefReader *definitions = OTF2_Reader_GetGlobalDefReader(reader);
  if (!definitions)
    return error_set(error, "%s: cannot open the archive's definitions (the .def file)", path);
  OTF2_GlobalDefReaderCallbacks *callbacks = loader_callbacks();
  if (!callbacks)
    return error_set(error, "%s: out of memory", path);
  uint64_t read = 0;
  OTF2_ErrorCode code = OTF2_Reader_RegisterGlobalDefCallbacks(reader, definitions, callbacks, loader);
  OTF2_GlobalDefReaderCallbacks_Delete(callbacks);
  if (code == OTF2_SUCCESS)
    code = OTF2_Reader_ReadGlobalDefinitions(reader, definitions, loader->bytes, &read);
  OTF2_Reader_CloseGlobalDefReader(reader, definitions);
  if (loader->out_of_memory)
    return error_set(error, "%s: out of memory", path);
  if (code == OTF2_SUCCESS && read == loader->bytes)
    return error_set(error, "%s: the archive's definitions are damaged (they have no end)", path);
  if (code != OTF2_SUCCESS)
    return error_set(error, "%s: the archive's definitions are damaged (%s)", path, OTF2_Error_GetDescription(code));
  return true;
}

static bool definitions_load(struct trace *trace, struct error *error)
{
  if (!anchor_check(trace->anchor, error))
    return false;
  OTF2_Reader *reader = OTF2_Reader_Open(trace->anchor);
  if (!reader)
    return error_set(error, "%s: not an OTF2 archive, or damaged", trace->anchor);
  struct loader loader = {.trace = trace, .bytes = anchor_definition_bytes(trace->anchor)};
  bool good = OTF2_Reader_SetSerialCollectiveCallbacks(reader) == OTF2_SUCCESS;
  if (!good)
    error_set(error, "%s: cannot read the archive: the OTF2 library refuses it", trace->anchor);
  good = good && definitions_read_definitions(&loader, reader, trace->anchor, error);
  if (good && !(read_archive_properties(&loader, reader) && loader_resolve(&loader)))
    good = error_set(error, "%s: out of memory", trace->anchor);
  if (good && OTF2_Reader_GetCreator(reader, &trace->creator) != OTF2_SUCCESS)
    trace->creator = NULL;
  loader_free(&loader);
  OTF2_Reader_Close(reader);
  return good;
}

struct trace *trace_open(const char *path, struct error *error)
{
  char *anchor = anchor_find(path, error);
  if (!anchor)
    return NULL;
  struct trace *trace = calloc(1, sizeof *trace);
  if (!trace) {
    error_set(error, "%s: out of memory", path);
    free(anchor);
    return NULL;
  }
  trace->anchor = anchor;
  if (!definitions_load(trace, error)) {
    trace_close(trace);
    return NULL;
  }
  return trace;
}

void trace_close(struct trace *trace)
{
  if (!trace)
    return;
  for (uint32_t i = 0; i < trace->string_count; i++)
    free(trace->strings[i]);
  for (uint32_t i = 0; i < trace->team_count; i++)
    free(trace->teams[i].members);
  for (uint32_t i = 0; i < trace->property_count; i++) {
    free(trace->properties[i].name);
    free(trace->properties[i].value);
  }
  for (uint32_t i = 0; trace->locations && i < trace->location_count; i++)
    free(trace->locations[i].said);
  free(trace->strings);
  free(trace->regions);
  free(trace->locations);
  free(trace->processes);
  free(trace->teams);
  free(trace->properties);
  free(trace->creator);
  free(trace->anchor);
  ref_map_free(&trace->string_of);
  ref_map_free(&trace->region_of);
  ref_map_free(&trace->location_of);
  ref_map_free(&trace->team_of);
  ref_map_free(&trace->metric_class_of);
  ref_map_free(&trace->attribute_of);
  ref_map_free(&trace->first_property);
  ref_map_free(&trace->dependences);
  ref_map_free(&trace->lock_names);
  for (uint32_t i = 0; trace->metric_classes && i < trace->metric_class_count; i++)
    free(trace->metric_classes[i].metrics);
  free(trace->metric_classes);
  free(trace->attributes);
  free(trace->metrics);
  free(trace->metric_counts);
  free(trace);
}

bool trace_is_processor(const struct trace *trace, uint32_t location)
{
  const struct trace_location *of = &trace->locations[location];
  size_t length = sizeof NAME_PROCESSOR - 1;
  return of->kind == OTF2_LOCATION_TYPE_ACCELERATOR_STREAM && of->process == TRACE_NONE &&
         strncmp(of->name, NAME_PROCESSOR, length) == 0 && of->name[length] == ' ';
}

uint32_t trace_team_rank(const struct trace_team *team, uint32_t location)
{
  uint32_t low = 0;
  uint32_t high = team->size;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (team->members[middle] < location)
      low = middle + 1;
    else
      high = middle;
  }
  return low < team->size && team->members[low] == location ? low : TRACE_NONE;
}

bool trace_has_pthreads(const struct trace *trace)
{
  return trace_property(trace, TRACE_OF_ARCHIVE, 0, ARCHIVE_PTHREADS) != NULL;
}

uint64_t trace_processors(const struct trace *trace, uint32_t process)
{
  const char *text = trace_property(trace, TRACE_OF_PROCESS, process, PROCESS_PROCESSORS);
  return text ? strtoull(text, NULL, 10) : 0;
}

bool trace_may_have_callers(const struct trace *trace)
{
  for (uint32_t i = 0; trace->callers != OTF2_UNDEFINED_ATTRIBUTE && i < trace->location_count; i++)
    if (trace->locations[i].type == TRACE_THREAD_JAVA)
      return true;
  return false;
}

bool trace_is_of_java(const struct trace *trace)
{
  bool java = false;
  for (uint32_t i = 0; i < trace->location_count; i++) {
    enum trace_thread_type type = trace->locations[i].type;
    if (!trace_is_thread(trace, i))
      continue;
    java |= type == TRACE_THREAD_JAVA;
    if (type != TRACE_THREAD_JAVA && type != TRACE_THREAD_JVM && type != TRACE_THREAD_WORKER &&
        type != TRACE_THREAD_VIRTUAL)
      return false;
  }
  return java;
}

const char *trace_property(const struct trace *trace, enum trace_owner owner, uint32_t index, const char *name)
{
  uint32_t i = ref_map_get(&trace->first_property, trace_owner_key(owner, index));
  for (; i != TRACE_NONE; i = trace->properties[i].next)
    if (strcmp(trace->properties[i].name, name) == 0)
      return trace->properties[i].value;
  return NULL;
}

const char *trace_lock_name(const struct trace *trace, uint64_t number)
{
  uint32_t i = ref_map_get(&trace->lock_names, number);
  return i == REF_MAP_NONE ? NULL : trace->properties[i].value;
}
