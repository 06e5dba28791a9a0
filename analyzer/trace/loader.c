#include "analyzer/trace/loader.h"

#include "analyzer/trace/trace.h"

#include <dirent.h>
#include <endian.h>
#include <errno.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A callback without memory stops the reading; loader->out_of_memory says why. */
static OTF2_CallbackCode loader_result_of(struct loader *loader, bool good)
{
  loader->out_of_memory |= !good;
  return good ? OTF2_CALLBACK_SUCCESS : OTF2_CALLBACK_INTERRUPT;
}

static OTF2_CallbackCode on_clock(void *user, uint64_t resolution, uint64_t offset, uint64_t length, uint64_t realtime)
{
  struct trace *trace = ((struct loader *)user)->trace;
  trace->ticks_per_second = resolution;
  trace->first_tick = offset;
  trace->length = length;
  trace->realtime_ns = realtime;
  return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode loader_on_string(void *user, OTF2_StringRef self, const char *text)
{
  struct loader *loader = user;
  loader->text_bytes += text ? strlen(text) : 0;
  if (loader->text_bytes > loader->bytes)
    return OTF2_CALLBACK_INTERRUPT; /* damaged */
  char *copy = strdup(text ? text : "");
  if (!copy || !vector_push(&loader->strings, copy)) {
    free(copy);
    return loader_result_of(loader, false);
  }
  return loader_result_of(loader, ref_map_set(&loader->string_of, self, (uint32_t)loader->strings.count - 1));
}

static OTF2_CallbackCode loader_on_region(void *user, OTF2_RegionRef self, OTF2_StringRef name,
                                          OTF2_StringRef canonical, OTF2_StringRef description, OTF2_RegionRole role,
                                          OTF2_Paradigm paradigm, OTF2_RegionFlag flags, OTF2_StringRef file,
                                          uint32_t begin_line, uint32_t end_line)
{
  (void)flags;
  (void)end_line;
  struct loader *loader = user;
  return loader_result_of(
      loader, vector_push(&loader->regions,
                          ((struct raw_region){self, name, canonical, description, file, begin_line, role, paradigm})));
}

static OTF2_CallbackCode loader_on_location(void *user, OTF2_LocationRef self, OTF2_StringRef name,
                                            OTF2_LocationType kind, uint64_t events, OTF2_LocationGroupRef group)
{
  struct loader *loader = user;
  return loader_result_of(loader,
                          vector_push(&loader->locations, ((struct raw_location){self, name, group, kind, events})));
}

static OTF2_CallbackCode on_process(void *user, OTF2_LocationGroupRef self, OTF2_StringRef name,
                                    OTF2_LocationGroupType type, OTF2_SystemTreeNodeRef node,
                                    OTF2_LocationGroupRef creator)
{
  (void)node;
  struct loader *loader = user;
  if (type == OTF2_LOCATION_GROUP_TYPE_ACCELERATOR) { /* is none itself */
    uint32_t of = creator == OTF2_UNDEFINED_LOCATION_GROUP ? TRACE_NONE : ref_map_get(&loader->process_of, creator);
    return loader_result_of(loader, of == TRACE_NONE || ref_map_set(&loader->process_of, self, of));
  }
  uint32_t index = (uint32_t)loader->processes.count;
  return loader_result_of(loader, vector_push(&loader->processes, ((struct raw_process){self, name})) &&
                                      ref_map_set(&loader->process_of, self, index));
}

static OTF2_CallbackCode on_group(void *user, OTF2_GroupRef self, OTF2_StringRef name, OTF2_GroupType type,
                                  OTF2_Paradigm paradigm, OTF2_GroupFlag flags, uint32_t count, const uint64_t *members)
{
  (void)name;
  struct loader *loader = user;
  struct raw_group group = {self, type, paradigm, flags, count, malloc((count ? count : 1) * sizeof *members)};
  if (!group.members || !vector_push(&loader->groups, group)) {
    free(group.members);
    return loader_result_of(loader, false);
  }
  if (count)
    memcpy(group.members, members, count * sizeof *members);
  return loader_result_of(loader, ref_map_set(&loader->group_of, self, (uint32_t)loader->groups.count - 1));
}

static OTF2_CallbackCode on_comm(void *user, OTF2_CommRef self, OTF2_StringRef name, OTF2_GroupRef group,
                                 OTF2_CommRef parent, OTF2_CommFlag flags)
{
  (void)name;
  (void)parent;
  (void)flags;
  struct loader *loader = user;
  return loader_result_of(loader, vector_push(&loader->comms, ((struct raw_comm){self, group})));
}

static OTF2_CallbackCode loader_on_attribute(void *user, OTF2_AttributeRef self, OTF2_StringRef name,
                                             OTF2_StringRef description, OTF2_Type type)
{
  (void)type;
  struct loader *loader = user;
  return loader_result_of(loader, vector_push(&loader->attributes, ((struct raw_attribute){self, name, description})));
}

static OTF2_CallbackCode on_node(void *user, OTF2_SystemTreeNodeRef self, OTF2_StringRef name,
                                 OTF2_StringRef class_name, OTF2_SystemTreeNodeRef parent)
{
  (void)self;
  (void)class_name;
  struct loader *loader = user;
  return loader_result_of(loader, vector_push(&loader->nodes, ((struct raw_node){name, parent})));
}

static OTF2_CallbackCode on_metric(void *user, OTF2_MetricMemberRef self, OTF2_StringRef name,
                                   OTF2_StringRef description, OTF2_MetricType type, OTF2_MetricMode mode,
                                   OTF2_Type value_type, OTF2_Base base, int64_t exponent, OTF2_StringRef unit)
{
  (void)description;
  (void)type;
  (void)value_type;
  bool power = base == OTF2_BASE_DECIMAL && exponent >= -18 && exponent <= 18;
  struct raw_metric metric = {self, name, unit, power ? (int8_t)exponent : 0, mode == OTF2_METRIC_ACCUMULATED_START};
  struct loader *loader = user;
  uint32_t index = (uint32_t)loader->metrics.count;
  return loader_result_of(loader,
                          vector_push(&loader->metrics, metric) && ref_map_set(&loader->metric_of, self, index));
}

static OTF2_CallbackCode on_metric_class(void *user, OTF2_MetricRef self, uint8_t count,
                                         const OTF2_MetricMemberRef *members, OTF2_MetricOccurrence occurrence,
                                         OTF2_RecorderKind recorder)
{
  (void)occurrence;
  (void)recorder;
  struct loader *loader = user;
  struct raw_metric_class class = {self, self, count, malloc((size_t)(count + 1) * sizeof *members)};
  if (!class.metrics || !vector_push(&loader->metric_classes, class)) {
    free(class.metrics);
    return loader_result_of(loader, false);
  }
  memcpy(class.metrics, members, count * sizeof *members);
  return loader_result_of(loader, true);
}

static OTF2_CallbackCode on_metric_instance(void *user, OTF2_MetricRef self, OTF2_MetricRef of,
                                            OTF2_LocationRef recorder, OTF2_MetricScope scope, uint64_t of_scope)
{
  (void)recorder;
  (void)scope;
  (void)of_scope;
  struct loader *loader = user;
  return loader_result_of(loader,
                          vector_push(&loader->metric_classes, ((struct raw_metric_class){.ref = self, .class = of})));
}

/* The value as text; the caller frees it. NULL: no memory. */
static char *text_of_value(OTF2_Type type, OTF2_AttributeValue value)
{
  uint64_t number = 0;
  int64_t negative = 0;
  char *text = NULL;
  int length;
  if (value_unsigned(type, value, &number))
    length = asprintf(&text, "%" PRIu64, number);
  else if (value_signed(type, value, &negative))
    length = asprintf(&text, "%" PRId64, negative);
  else if (type == OTF2_TYPE_DOUBLE)
    length = asprintf(&text, "%g", value.float64);
  else
    length = asprintf(&text, "?");
  return length < 0 ? NULL : text;
}

static OTF2_CallbackCode add_typed_property(struct loader *loader, enum trace_owner owner, uint64_t ref,
                                            OTF2_StringRef name, OTF2_Type type, OTF2_AttributeValue value)
{
  struct raw_property property = {.owner = owner, .ref = ref, .name_ref = name};
  if (type == OTF2_TYPE_STRING)
    property.value_ref = value.stringRef;
  else if (!(property.value = text_of_value(type, value)))
    return loader_result_of(loader, false);
  bool good = vector_push(&loader->properties, property);
  if (!good)
    free(property.value);
  return loader_result_of(loader, good);
}

static OTF2_CallbackCode on_process_property(void *user, OTF2_LocationGroupRef process, OTF2_StringRef name,
                                             OTF2_Type type, OTF2_AttributeValue value)
{
  return add_typed_property(user, TRACE_OF_PROCESS, process, name, type, value);
}

static OTF2_CallbackCode on_location_property(void *user, OTF2_LocationRef location, OTF2_StringRef name,
                                              OTF2_Type type, OTF2_AttributeValue value)
{
  return add_typed_property(user, TRACE_OF_LOCATION, location, name, type, value);
}

OTF2_GlobalDefReaderCallbacks *loader_callbacks(void)
{
  OTF2_GlobalDefReaderCallbacks *callbacks = OTF2_GlobalDefReaderCallbacks_New();
  if (!callbacks)
    return NULL;
  OTF2_GlobalDefReaderCallbacks_SetClockPropertiesCallback(callbacks, on_clock);
  OTF2_GlobalDefReaderCallbacks_SetStringCallback(callbacks, loader_on_string);
  OTF2_GlobalDefReaderCallbacks_SetRegionCallback(callbacks, loader_on_region);
  OTF2_GlobalDefReaderCallbacks_SetLocationCallback(callbacks, loader_on_location);
  OTF2_GlobalDefReaderCallbacks_SetLocationGroupCallback(callbacks, on_process);
  OTF2_GlobalDefReaderCallbacks_SetGroupCallback(callbacks, on_group);
  OTF2_GlobalDefReaderCallbacks_SetCommCallback(callbacks, on_comm);
  OTF2_GlobalDefReaderCallbacks_SetAttributeCallback(callbacks, loader_on_attribute);
  OTF2_GlobalDefReaderCallbacks_SetSystemTreeNodeCallback(callbacks, on_node);
  OTF2_GlobalDefReaderCallbacks_SetLocationGroupPropertyCallback(callbacks, on_process_property);
  OTF2_GlobalDefReaderCallbacks_SetLocationPropertyCallback(callbacks, on_location_property);
  OTF2_GlobalDefReaderCallbacks_SetMetricMemberCallback(callbacks, on_metric);
  OTF2_GlobalDefReaderCallbacks_SetMetricClassCallback(callbacks, on_metric_class);
  OTF2_GlobalDefReaderCallbacks_SetMetricInstanceCallback(callbacks, on_metric_instance);
  return callbacks;
}

bool loader_add_property(struct loader *loader, enum trace_owner owner, uint64_t ref, const char *name,
                         const char *value)
{
  struct raw_property property = {.owner = owner, .ref = ref, .name = strdup(name), .value = strdup(value)};
  if (property.name && property.value && vector_push(&loader->properties, property))
    return true;
  free(property.name);
  free(property.value);
  return false;
}

void loader_free(struct loader *loader)
{
  for (size_t i = 0; i < loader->groups.count; i++)
    free(loader->groups.items[i].members);
  for (size_t i = 0; i < loader->metric_classes.count; i++)
    free(loader->metric_classes.items[i].metrics);
  for (size_t i = 0; i < loader->properties.count; i++) {
    free(loader->properties.items[i].name);
    free(loader->properties.items[i].value);
  }
  for (size_t i = 0; i < loader->strings.count; i++)
    free(loader->strings.items[i]);
  vector_free(&loader->strings);
  vector_free(&loader->regions);
  vector_free(&loader->locations);
  vector_free(&loader->processes);
  vector_free(&loader->groups);
  vector_free(&loader->comms);
  vector_free(&loader->attributes);
  vector_free(&loader->nodes);
  vector_free(&loader->properties);
  vector_free(&loader->metrics);
  vector_free(&loader->metric_classes);
  ref_map_free(&loader->string_of);
  ref_map_free(&loader->process_of);
  ref_map_free(&loader->group_of);
  ref_map_free(&loader->metric_of);
}

/* The number of *.otf2 files in a directory, and the path of one of them. -1: see errno. */
static int find_anchors(const char *directory, char **found)
{
  DIR *entries = opendir(directory);
  if (!entries)
    return -1;
  int count = 0;
  for (struct dirent *entry; (entry = readdir(entries));) {
    size_t length = strlen(entry->d_name);
    if (length < 6 || strcmp(entry->d_name + length - 5, ".otf2") != 0)
      continue;
    if (++count == 1 && asprintf(found, "%s/%s", directory, entry->d_name) < 0)
      *found = NULL;
  }
  closedir(entries);
  return count;
}

/* Says why a directory has no archive to read. */
static void fail_without_anchor(const char *directory, int anchors, struct error *error)
{
  char *raw = NULL;
  if (anchors < 0)
    error_set(error, "%s: %s", directory, strerror(errno));
  else if (anchors > 1)
    error_set(error, "%s: holds several archives; name one of its .otf2 files", directory);
  else if (asprintf(&raw, "%s/raw", directory) > 0 && access(raw, F_OK) == 0)
    error_set(error, "%s: holds a raw trace, not an archive; run `heddle convert %s`", directory, directory);
  else
    error_set(error, "%s: holds no OTF2 archive (traces.otf2)", directory);
  free(raw);
}

static char *anchor_in(const char *directory, struct error *error)
{
  char *anchor = NULL;
  if (asprintf(&anchor, "%s/traces.otf2", directory) < 0) {
    error_set(error, "%s: out of memory", directory);
    return NULL;
  }
  if (access(anchor, F_OK) == 0)
    return anchor;
  free(anchor);
  anchor = NULL;
  int count = find_anchors(directory, &anchor);
  if (count == 1 && anchor)
    return anchor;
  free(anchor);
  fail_without_anchor(directory, count, error);
  return NULL;
}

char *anchor_find(const char *path, struct error *error)
{
  struct stat status;
  if (stat(path, &status) != 0) {
    error_set(error, "%s: %s", *path ? path : "the archive's name is empty", strerror(errno));
    return NULL;
  }
  char *name = strdup(path);
  if (!name) {
    error_set(error, "%s: out of memory", path);
    return NULL;
  }
  if (!S_ISDIR(status.st_mode))
    return name;
  for (size_t length = strlen(name); length > 1 && name[length - 1] == '/'; length--)
    name[length - 1] = '\0';
  char *anchor = anchor_in(name, error);
  free(name);
  return anchor;
}

uint64_t anchor_definition_bytes(const char *anchor)
{
  char *path = NULL;
  struct stat status;
  uint64_t bytes = UINT64_MAX;
  size_t length = strlen(anchor);
  if (length > 5 && asprintf(&path, "%.*s.def", (int)length - 5, anchor) > 0 && stat(path, &status) == 0)
    bytes = (uint64_t)status.st_size;
  free(path);
  return bytes;
}

/*
 * The beginning of an anchor file: a byte, the byte order of numbers, the string "OTF2", then FIXED bytes of numbers.
 * The first number is the version of the anchor format. The strings machine, creator and description follow. Since
 * version 2, the number of properties and twice as many strings follow. Strings end in a zero byte.
 */
#define ORDER_AT     1
#define ORDER_LITTLE 0x42 /* else big endian; the library refuses other values */
#define MAGIC_AT     2
#define FIXED        39
#define STRINGS      3
#define HEAD_MAX     65536 /* bytes; an anchor with a longer head is not checked */

/* The offset of the number of properties; 0: the head is not as expected. */
static size_t find_property_count(const unsigned char *head, size_t length)
{
  size_t at = MAGIC_AT + sizeof "OTF2";
  if (length < at + FIXED || memcmp(head + MAGIC_AT, "OTF2", sizeof "OTF2") != 0 || head[at] < 2)
    return 0;
  at += FIXED;
  for (int i = 0; i < STRINGS; i++) {
    const unsigned char *end = memchr(head + at, 0, length - at);
    if (!end)
      return 0;
    at = (size_t)(end - head) + 1;
  }
  return at + sizeof(uint32_t) <= length ? at : 0;
}

bool anchor_check(const char *anchor, struct error *error)
{
  unsigned char head[HEAD_MAX];
  FILE *file = fopen(anchor, "rb");
  struct stat status;
  if (!file || fstat(fileno(file), &status) != 0) {
    if (file)
      fclose(file);
    return error_set(error, "%s: %s", anchor, strerror(errno));
  }
  size_t length = fread(head, 1, sizeof head, file);
  fclose(file);
  size_t at = find_property_count(head, length);
  if (at == 0)
    return true;
  uint32_t count;
  memcpy(&count, head + at, sizeof count);
  count = head[ORDER_AT] == ORDER_LITTLE ? le32toh(count) : be32toh(count);
  if (count <= (uint64_t)status.st_size / 2)
    return true;
  return error_set(error, "%s: damaged: its number of properties exceeds its size", anchor);
}
