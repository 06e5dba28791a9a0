#include "analyzer/trace/definitions.h"

#include "analyzer/trace/loader.h"
#include "common/raw/archive_names.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

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

enum {
  JOB_TURN_MS = 50,
  JOB_ENDING_MS = 20000 /* longer than a rank waits for those to come: analyzer/record/job.c */
};

/* True: nobody works on the archive any more. `recording`: ranks have the lock together, none of them alone. */
static bool job_has_ended(int directory, int job, bool *recording)
{
  *recording = false;
  /* Ranks look who is the last with the directory locked: they never see this process as one of them. */
  if (flock(directory, LOCK_EX | LOCK_NB) != 0)
    return errno != EWOULDBLOCK && errno != EINTR;
  bool ended = flock(job, LOCK_EX | LOCK_NB) == 0;
  *recording = !ended && flock(job, LOCK_SH | LOCK_NB) == 0;
  flock(job, LOCK_UN);
  flock(directory, LOCK_UN);
  return ended;
}

/* The ranks of a job end before their trace is converted: waits for that, but not for ranks that still run. */
static bool wait_for_job(const char *path, struct error *error)
{
  int directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  int job = directory < 0 ? -1 : openat(directory, ARCHIVE_JOB, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  struct timespec turn = {0, JOB_TURN_MS * 1000000};
  bool recording = false;
  for (unsigned turns = 0;
       job >= 0 && turns < JOB_ENDING_MS / JOB_TURN_MS && !job_has_ended(directory, job, &recording);
       turns += recording)
    nanosleep(&turn, NULL);
  if (job >= 0)
    close(job);
  if (directory >= 0)
    close(directory);
  return !recording ||
         error_set(error, "%s: processes of a job still record into it: try again when they have ended", path);
}

struct trace *trace_open(const char *path, struct error *error)
{
  char *anchor = wait_for_job(path, error) ? anchor_find(path, error) : NULL;
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
  free(trace->metric_units);
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

static bool begins(const char *text, const char *begin)
{
  return strncmp(text, begin, strlen(begin)) == 0;
}

bool trace_region_begins(const struct trace_region *region, const char *begin)
{
  return begins(region->name, begin);
}

bool trace_region_is_directive(const struct trace_region *region, const char *name)
{
  const size_t mark = sizeof NAME_OMP - 1;
  _Static_assert(sizeof NAME_OMP == sizeof NAME_OMP_JAVA, "both marks have the same length");
  return (begins(region->name, NAME_OMP) || begins(region->name, NAME_OMP_JAVA)) &&
         begins(region->name + mark, name + mark);
}

const char *trace_region_fact(const struct trace_region *region, const char *key)
{
  size_t length = strlen(key);
  const char *at = region->description;
  while (at && !(strncmp(at, key, length) == 0 && begins(at + length, ": "))) {
    at = strstr(at, "; ");
    at = at ? at + 2 : NULL;
  }
  return at ? at + length + 2 : NULL;
}

bool trace_region_says(const struct trace_region *region, const char *key, const char *value)
{
  const char *at = trace_region_fact(region, key);
  return at && begins(at, value) && (at[strlen(value)] == '\0' || at[strlen(value)] == ';');
}

static bool is(const char *text, const char *other, size_t size)
{
  return strlen(text) == size && memcmp(text, other, size) == 0;
}

/* Whether a path ends with a file's name. */
static bool is_in_file(const struct trace_region *region, const char *file, size_t size)
{
  size_t length = strlen(region->file);
  return length >= size && memcmp(region->file + length - size, file, size) == 0 &&
         (length == size || region->file[length - size - 1] == '/');
}

static uint64_t take_number(const char **at, const char *end)
{
  uint64_t number = 0;
  for (; *at < end && **at >= '0' && **at <= '9' && number <= UINT32_MAX; (*at)++)
    number = number * 10 + (uint64_t)(**at - '0');
  return number;
}

bool trace_region_is_at(const struct trace_region *region, const char *place, size_t size)
{
  if (is(region->name, place, size) || is(region->function, place, size) || is_in_file(region, place, size))
    return size > 0;
  const char *colon = memrchr(place, ':', size), *at = colon ? colon + 1 : NULL, *end = place + size;
  if (!colon || at == end || *at < '0' || *at > '9')
    return false;
  uint64_t first = take_number(&at, end), last = first;
  if (at < end && *at++ == '-')
    last = take_number(&at, end);
  return at == end && region->line >= first && region->line <= last &&
         is_in_file(region, place, (size_t)(colon - place));
}

bool thread_ids_set(struct hash *threads, uint64_t process, uint64_t id, uint32_t location)
{
  return hash_put(threads, process << 32 | (uint32_t)id, location);
}

bool thread_ids_of_java(struct hash *threads, const struct trace *trace)
{
  for (uint32_t i = 0; i < trace->property_count; i++) {
    const struct trace_property *property = &trace->properties[i];
    if (property->owner != TRACE_OF_LOCATION || strcmp(property->name, LOCATION_JAVA_ID) != 0)
      continue;
    uint64_t process = trace->locations[property->index].process;
    if (!thread_ids_set(threads, process, strtoull(property->value, NULL, 10), property->index))
      return false;
  }
  return true;
}

bool thread_ids_of_kernel(struct hash *threads, const struct trace *trace)
{
  for (uint32_t i = 0; i < trace->property_count; i++) {
    const struct trace_property *property = &trace->properties[i];
    if (property->owner != TRACE_OF_LOCATION || strcmp(property->name, LOCATION_TID) != 0)
      continue;
    uint64_t in = (uint64_t)trace->locations[property->index].process << 32;
    uint64_t key = in | (uint32_t)strtoull(property->value, NULL, 10), *known = hash_find(threads, key);
    if (known)
      *known = TRACE_NONE;
    else if (!hash_add(threads, key, property->index))
      return false;
  }
  return true;
}

bool thread_ids_begin(struct hash *threads, const struct trace *trace, uint32_t location)
{
  const char *id = trace_property(trace, TRACE_OF_LOCATION, location, LOCATION_TID);
  return !id || thread_ids_set(threads, trace->locations[location].process, strtoull(id, NULL, 10), location);
}

uint32_t thread_ids_find(const struct hash *threads, uint64_t process, uint64_t id)
{
  const uint64_t *thread = id == 0 ? NULL : hash_find(threads, process << 32 | (uint32_t)id);
  return thread ? (uint32_t)*thread : TRACE_NONE;
}
