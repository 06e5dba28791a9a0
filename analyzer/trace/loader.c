#include "analyzer/trace/loader.h"

#include "analyzer/trace/value.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A zeroed new last item, or NULL when there is no memory. */
static void *append(struct loader *loader, struct loader_list *list, size_t size)
{
  if (list->count == list->capacity) {
    uint32_t capacity = list->capacity ? 2 * list->capacity : 64;
    void *items = capacity > list->capacity ? reallocarray(list->items, capacity, size) : NULL;
    if (!items) {
      loader->out_of_memory = true;
      return NULL;
    }
    list->items = items;
    list->capacity = capacity;
  }
  void *item = (char *)list->items + list->count++ * size;
  memset(item, 0, size);
  return item;
}

/* A callback that had no memory stops the reading; loader->out_of_memory says why. */
static OTF2_CallbackCode result_of(const struct loader *loader)
{
  return loader->out_of_memory ? OTF2_CALLBACK_INTERRUPT : OTF2_CALLBACK_SUCCESS;
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

static OTF2_CallbackCode on_string(void *user, OTF2_StringRef self, const char *text)
{
  struct loader *loader = user;
  uint32_t index = loader->strings.count;
  char **string = append(loader, &loader->strings, sizeof *string);
  if (string && (!(*string = strdup(text ? text : "")) || !ref_map_set(&loader->string_of, self, index)))
    loader->out_of_memory = true;
  return result_of(loader);
}

static OTF2_CallbackCode on_region(void *user, OTF2_RegionRef self, OTF2_StringRef name, OTF2_StringRef canonical,
                                   OTF2_StringRef description, OTF2_RegionRole role, OTF2_Paradigm paradigm,
                                   OTF2_RegionFlag flags, OTF2_StringRef file, uint32_t begin_line, uint32_t end_line)
{
  (void)flags;
  (void)end_line;
  struct loader *loader = user;
  struct raw_region *region = append(loader, &loader->regions, sizeof *region);
  if (region)
    *region = (struct raw_region){self, name, canonical, description, file, begin_line, role, paradigm};
  return result_of(loader);
}

static OTF2_CallbackCode on_location(void *user, OTF2_LocationRef self, OTF2_StringRef name, OTF2_LocationType kind,
                                     uint64_t events, OTF2_LocationGroupRef group)
{
  struct loader *loader = user;
  struct raw_location *location = append(loader, &loader->locations, sizeof *location);
  if (location)
    *location = (struct raw_location){self, name, group, kind, events};
  return result_of(loader);
}

static OTF2_CallbackCode on_process(void *user, OTF2_LocationGroupRef self, OTF2_StringRef name,
                                    OTF2_LocationGroupType type, OTF2_SystemTreeNodeRef node,
                                    OTF2_LocationGroupRef creator)
{
  (void)type;
  (void)node;
  (void)creator;
  struct loader *loader = user;
  uint32_t index = loader->processes.count;
  struct raw_process *process = append(loader, &loader->processes, sizeof *process);
  if (process) {
    *process = (struct raw_process){self, name};
    if (!ref_map_set(&loader->process_of, self, index))
      loader->out_of_memory = true;
  }
  return result_of(loader);
}

static OTF2_CallbackCode on_group(void *user, OTF2_GroupRef self, OTF2_StringRef name, OTF2_GroupType type,
                                  OTF2_Paradigm paradigm, OTF2_GroupFlag flags, uint32_t count, const uint64_t *members)
{
  (void)name;
  struct loader *loader = user;
  uint32_t index = loader->groups.count;
  struct raw_group *group = append(loader, &loader->groups, sizeof *group);
  if (!group)
    return result_of(loader);
  *group = (struct raw_group){self, type, paradigm, flags, count, NULL};
  group->members = malloc((count ? count : 1) * sizeof *members);
  if (!group->members || !ref_map_set(&loader->group_of, self, index))
    loader->out_of_memory = true;
  else if (count)
    memcpy(group->members, members, count * sizeof *members);
  return result_of(loader);
}

static OTF2_CallbackCode on_comm(void *user, OTF2_CommRef self, OTF2_StringRef name, OTF2_GroupRef group,
                                 OTF2_CommRef parent, OTF2_CommFlag flags)
{
  (void)name;
  (void)parent;
  (void)flags;
  struct loader *loader = user;
  struct raw_comm *comm = append(loader, &loader->comms, sizeof *comm);
  if (comm)
    *comm = (struct raw_comm){self, group};
  return result_of(loader);
}

static OTF2_CallbackCode on_attribute(void *user, OTF2_AttributeRef self, OTF2_StringRef name,
                                      OTF2_StringRef description, OTF2_Type type)
{
  (void)description;
  (void)type;
  struct loader *loader = user;
  struct raw_attribute *attribute = append(loader, &loader->attributes, sizeof *attribute);
  if (attribute)
    *attribute = (struct raw_attribute){self, name};
  return result_of(loader);
}

static OTF2_CallbackCode on_node(void *user, OTF2_SystemTreeNodeRef self, OTF2_StringRef name,
                                 OTF2_StringRef class_name, OTF2_SystemTreeNodeRef parent)
{
  (void)self;
  (void)class_name;
  struct loader *loader = user;
  struct raw_node *node = append(loader, &loader->nodes, sizeof *node);
  if (node)
    *node = (struct raw_node){name, parent};
  return result_of(loader);
}

static OTF2_CallbackCode on_metric(void *user, OTF2_MetricMemberRef self, OTF2_StringRef name,
                                   OTF2_StringRef description, OTF2_MetricType type, OTF2_MetricMode mode,
                                   OTF2_Type value_type, OTF2_Base base, int64_t exponent, OTF2_StringRef unit)
{
  (void)description;
  (void)type;
  (void)mode;
  (void)value_type;
  (void)base;
  (void)exponent;
  (void)unit;
  struct loader *loader = user;
  uint32_t index = loader->metrics.count;
  struct raw_metric *metric = append(loader, &loader->metrics, sizeof *metric);
  if (metric) {
    *metric = (struct raw_metric){self, name};
    if (!ref_map_set(&loader->metric_of, self, index))
      loader->out_of_memory = true;
  }
  return result_of(loader);
}

static OTF2_CallbackCode on_metric_class(void *user, OTF2_MetricRef self, uint8_t count,
                                         const OTF2_MetricMemberRef *members, OTF2_MetricOccurrence occurrence,
                                         OTF2_RecorderKind recorder)
{
  (void)occurrence;
  (void)recorder;
  struct loader *loader = user;
  struct raw_metric_class *class = append(loader, &loader->metric_classes, sizeof *class);
  if (!class)
    return result_of(loader);
  *class = (struct raw_metric_class){.ref = self, .class = self, .count = count};
  class->metrics = malloc((size_t)(count + 1) * sizeof *members);
  if (class->metrics)
    memcpy(class->metrics, members, count * sizeof *members);
  else
    loader->out_of_memory = true;
  return result_of(loader);
}

static OTF2_CallbackCode on_metric_instance(void *user, OTF2_MetricRef self, OTF2_MetricRef of,
                                            OTF2_LocationRef recorder, OTF2_MetricScope scope, uint64_t of_scope)
{
  (void)recorder;
  (void)scope;
  (void)of_scope;
  struct loader *loader = user;
  struct raw_metric_class *instance = append(loader, &loader->metric_classes, sizeof *instance);
  if (instance)
    *instance = (struct raw_metric_class){.ref = self, .class = of};
  return result_of(loader);
}

static bool add_typed_property(struct loader *loader, enum trace_owner owner, uint64_t ref, OTF2_StringRef name,
                               OTF2_Type type, OTF2_AttributeValue value)
{
  struct raw_property *property = append(loader, &loader->properties, sizeof *property);
  if (!property)
    return false;
  *property = (struct raw_property){.owner = owner, .ref = ref, .name_ref = name};
  if (type == OTF2_TYPE_STRING) {
    property->value_ref = value.stringRef;
    return true;
  }
  uint64_t number = 0;
  int64_t negative = 0;
  int length;
  if (value_unsigned(type, value, &number))
    length = asprintf(&property->value, "%" PRIu64, number);
  else if (value_signed(type, value, &negative))
    length = asprintf(&property->value, "%" PRId64, negative);
  else if (type == OTF2_TYPE_DOUBLE)
    length = asprintf(&property->value, "%g", value.float64);
  else
    length = asprintf(&property->value, "?");
  if (length < 0) {
    property->value = NULL;
    loader->out_of_memory = true;
  }
  return !loader->out_of_memory;
}

static OTF2_CallbackCode on_process_property(void *user, OTF2_LocationGroupRef process, OTF2_StringRef name,
                                             OTF2_Type type, OTF2_AttributeValue value)
{
  add_typed_property(user, TRACE_OF_PROCESS, process, name, type, value);
  return result_of(user);
}

static OTF2_CallbackCode on_location_property(void *user, OTF2_LocationRef location, OTF2_StringRef name,
                                              OTF2_Type type, OTF2_AttributeValue value)
{
  add_typed_property(user, TRACE_OF_LOCATION, location, name, type, value);
  return result_of(user);
}

OTF2_GlobalDefReaderCallbacks *loader_callbacks(void)
{
  OTF2_GlobalDefReaderCallbacks *callbacks = OTF2_GlobalDefReaderCallbacks_New();
  if (!callbacks)
    return NULL;
  OTF2_GlobalDefReaderCallbacks_SetClockPropertiesCallback(callbacks, on_clock);
  OTF2_GlobalDefReaderCallbacks_SetStringCallback(callbacks, on_string);
  OTF2_GlobalDefReaderCallbacks_SetRegionCallback(callbacks, on_region);
  OTF2_GlobalDefReaderCallbacks_SetLocationCallback(callbacks, on_location);
  OTF2_GlobalDefReaderCallbacks_SetLocationGroupCallback(callbacks, on_process);
  OTF2_GlobalDefReaderCallbacks_SetGroupCallback(callbacks, on_group);
  OTF2_GlobalDefReaderCallbacks_SetCommCallback(callbacks, on_comm);
  OTF2_GlobalDefReaderCallbacks_SetAttributeCallback(callbacks, on_attribute);
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
  struct raw_property *property = append(loader, &loader->properties, sizeof *property);
  if (!property)
    return false;
  *property = (struct raw_property){.owner = owner, .ref = ref, .name = strdup(name), .value = strdup(value)};
  return property->name && property->value;
}

void loader_free(struct loader *loader)
{
  for (uint32_t i = 0; i < loader->groups.count; i++)
    free(((struct raw_group *)loader->groups.items)[i].members);
  for (uint32_t i = 0; i < loader->metric_classes.count; i++)
    free(((struct raw_metric_class *)loader->metric_classes.items)[i].metrics);
  for (uint32_t i = 0; i < loader->properties.count; i++) {
    free(((struct raw_property *)loader->properties.items)[i].name);
    free(((struct raw_property *)loader->properties.items)[i].value);
  }
  for (uint32_t i = 0; i < loader->strings.count; i++)
    free(((char **)loader->strings.items)[i]);
  struct loader_list *lists[] = {&loader->strings,    &loader->regions, &loader->locations,     &loader->processes,
                                 &loader->groups,     &loader->comms,   &loader->attributes,    &loader->nodes,
                                 &loader->properties, &loader->metrics, &loader->metric_classes};
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
    free(lists[i]->items);
  ref_map_free(&loader->string_of);
  ref_map_free(&loader->process_of);
  ref_map_free(&loader->group_of);
  ref_map_free(&loader->metric_of);
}
