#include "analyzer/trace/loader.h"

#include "analyzer/trace/value.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Definitions as they come, with references into definitions that may follow later. */
struct raw_region {
  OTF2_RegionRef ref;
  OTF2_StringRef name, function, description, file;
  uint32_t line;
  OTF2_RegionRole role;
  OTF2_Paradigm paradigm;
};

struct raw_location {
  OTF2_LocationRef ref;
  OTF2_StringRef name;
  OTF2_LocationGroupRef process;
  OTF2_LocationType kind;
  uint64_t events;
};

struct raw_process {
  OTF2_LocationGroupRef ref;
  OTF2_StringRef name;
};

struct raw_group {
  OTF2_GroupRef ref;
  OTF2_GroupType type;
  OTF2_Paradigm paradigm;
  OTF2_GroupFlag flags;
  uint32_t count;
  uint64_t *members;
};

struct raw_comm {
  OTF2_CommRef ref;
  OTF2_GroupRef group;
};

struct raw_attribute {
  OTF2_AttributeRef ref;
  OTF2_StringRef name;
};

struct raw_node {
  OTF2_StringRef name;
  OTF2_SystemTreeNodeRef parent;
};

struct raw_property {
  enum trace_owner owner;
  uint64_t ref;
  OTF2_StringRef name_ref;  /* used when name is NULL */
  OTF2_StringRef value_ref; /* used when value is NULL */
  char *name, *value;
};

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

static const char *text_of(const struct loader *loader, OTF2_StringRef ref)
{
  uint32_t index = ref == OTF2_UNDEFINED_STRING ? REF_MAP_NONE : ref_map_get(&loader->string_of, ref);
  return index == REF_MAP_NONE ? "" : ((char **)loader->strings.items)[index];
}

static bool resolve_regions(struct loader *loader)
{
  struct trace *trace = loader->trace;
  trace->regions = calloc(loader->regions.count + 1, sizeof *trace->regions);
  if (!trace->regions)
    return false;
  for (uint32_t i = 0; i < loader->regions.count; i++) {
    const struct raw_region *raw = (const struct raw_region *)loader->regions.items + i;
    trace->regions[i] = (struct trace_region){text_of(loader, raw->name),
                                              text_of(loader, raw->function),
                                              text_of(loader, raw->description),
                                              text_of(loader, raw->file),
                                              raw->line,
                                              raw->role,
                                              raw->paradigm};
    if (!ref_map_set(&trace->region_of, raw->ref, i))
      return false;
  }
  trace->region_count = loader->regions.count;
  return true;
}

static bool resolve_locations(struct loader *loader)
{
  struct trace *trace = loader->trace;
  trace->processes = calloc(loader->processes.count + 1, sizeof *trace->processes);
  trace->locations = calloc(loader->locations.count + 1, sizeof *trace->locations);
  if (!trace->processes || !trace->locations)
    return false;
  trace->process_count = loader->processes.count;
  for (uint32_t i = 0; i < trace->process_count; i++)
    trace->processes[i].name = text_of(loader, ((const struct raw_process *)loader->processes.items)[i].name);
  trace->location_count = loader->locations.count;
  for (uint32_t i = 0; i < trace->location_count; i++) {
    const struct raw_location *raw = (const struct raw_location *)loader->locations.items + i;
    trace->locations[i] = (struct trace_location){.ref = raw->ref,
                                                  .name = text_of(loader, raw->name),
                                                  .events = raw->events,
                                                  .process = ref_map_get(&loader->process_of, raw->process),
                                                  .kind = raw->kind};
    if (!ref_map_set(&trace->location_of, raw->ref, i))
      return false;
  }
  return true;
}

/*
 * The members of a COMM_GROUP are places in the COMM_LOCATIONS group of the same paradigm. The format knows one of
 * those an archive; where there are more (one a process), the one defined last before the group is meant.
 */
static const struct raw_group *locations_of(const struct loader *loader, uint32_t group)
{
  const struct raw_group *groups = loader->groups.items;
  for (uint32_t i = group; i > 0; i--) {
    if (groups[i - 1].type == OTF2_GROUP_TYPE_COMM_LOCATIONS && groups[i - 1].paradigm == groups[group].paradigm)
      return &groups[i - 1];
  }
  for (uint32_t i = group; i < loader->groups.count; i++) {
    if (groups[i].type == OTF2_GROUP_TYPE_COMM_LOCATIONS && groups[i].paradigm == groups[group].paradigm)
      return &groups[i];
  }
  return NULL;
}

static int compare_members(const void *a, const void *b)
{
  uint32_t left = *(const uint32_t *)a;
  uint32_t right = *(const uint32_t *)b;
  return (left > right) - (left < right);
}

/* Members that are no locations of the archive are left out. */
static bool resolve_team(const struct loader *loader, const struct raw_comm *comm, struct trace_team *team)
{
  uint32_t at = ref_map_get(&loader->group_of, comm->group);
  if (at == REF_MAP_NONE)
    return true;
  const struct raw_group *group = (const struct raw_group *)loader->groups.items + at;
  bool indirect = group->type == OTF2_GROUP_TYPE_COMM_GROUP && !(group->flags & OTF2_GROUP_FLAG_GLOBAL_MEMBERS);
  const struct raw_group *locations = indirect ? locations_of(loader, at) : NULL;
  team->members = malloc((group->count ? group->count : 1) * sizeof *team->members);
  if (!team->members)
    return false;
  for (uint32_t i = 0; i < group->count; i++) {
    uint64_t ref = group->members[i];
    if (indirect) {
      if (!locations || ref >= locations->count)
        continue;
      ref = locations->members[ref];
    }
    uint32_t location = ref_map_get(&loader->trace->location_of, ref);
    if (location != REF_MAP_NONE)
      team->members[team->size++] = location;
  }
  qsort(team->members, team->size, sizeof *team->members, compare_members);
  uint32_t kept = 0;
  for (uint32_t i = 0; i < team->size; i++) {
    if (i == 0 || team->members[i] != team->members[i - 1])
      team->members[kept++] = team->members[i];
  }
  team->size = kept;
  return true;
}

static bool resolve_teams(struct loader *loader)
{
  struct trace *trace = loader->trace;
  trace->teams = calloc(loader->comms.count + 1, sizeof *trace->teams);
  if (!trace->teams)
    return false;
  trace->team_count = loader->comms.count;
  for (uint32_t i = 0; i < trace->team_count; i++) {
    const struct raw_comm *comm = (const struct raw_comm *)loader->comms.items + i;
    if (!resolve_team(loader, comm, &trace->teams[i]) || !ref_map_set(&trace->team_of, comm->ref, i))
      return false;
  }
  return true;
}

static void note_thread_type(struct trace *trace, const struct trace_property *property)
{
  if (property->owner != TRACE_OF_LOCATION || strcmp(property->name, "HEDDLE::THREAD_TYPE") != 0)
    return;
  enum trace_thread_type type = strcmp(property->value, "worker") == 0    ? TRACE_THREAD_WORKER
                                : strcmp(property->value, "initial") == 0 ? TRACE_THREAD_INITIAL
                                                                          : TRACE_THREAD_OTHER;
  trace->locations[property->index].type = type;
}

static bool resolve_properties(struct loader *loader)
{
  struct trace *trace = loader->trace;
  trace->properties = calloc(loader->properties.count + 1, sizeof *trace->properties);
  if (!trace->properties)
    return false;
  for (uint32_t i = 0; i < loader->properties.count; i++) {
    struct raw_property *raw = (struct raw_property *)loader->properties.items + i;
    uint32_t index = raw->owner == TRACE_OF_PROCESS    ? ref_map_get(&loader->process_of, raw->ref)
                     : raw->owner == TRACE_OF_LOCATION ? ref_map_get(&trace->location_of, raw->ref)
                                                       : 0;
    if (index == REF_MAP_NONE)
      continue;
    struct trace_property *property = &trace->properties[trace->property_count];
    *property = (struct trace_property){raw->owner, index, raw->name, raw->value};
    raw->value = NULL;
    if (!raw->name)
      property->name = text_of(loader, raw->name_ref);
    if (!property->value && !(property->value = strdup(text_of(loader, raw->value_ref))))
      return false;
    trace->property_count++;
    note_thread_type(trace, property);
    if (raw->name) { /* the string list keeps what the trace points to */
      char **kept = append(loader, &loader->strings, sizeof *kept);
      if (!kept)
        return false;
      *kept = raw->name;
      raw->name = NULL;
    }
  }
  return true;
}

static void resolve_attributes(struct loader *loader)
{
  struct trace *trace = loader->trace;
  trace->iterations = trace->chunks = trace->derived = OTF2_UNDEFINED_ATTRIBUTE;
  for (uint32_t i = 0; i < loader->attributes.count; i++) {
    const struct raw_attribute *attribute = (const struct raw_attribute *)loader->attributes.items + i;
    const char *name = text_of(loader, attribute->name);
    if (strcmp(name, "iterations") == 0)
      trace->iterations = attribute->ref;
    else if (strcmp(name, "chunks") == 0)
      trace->chunks = attribute->ref;
    else if (strcmp(name, "derived") == 0)
      trace->derived = attribute->ref;
  }
}

bool loader_resolve(struct loader *loader)
{
  struct trace *trace = loader->trace;
  if (trace->ticks_per_second == 0) { /* no clock definition: OTF2 says then 1 tick is 1 ns */
    trace->ticks_per_second = 1000000000;
    trace->realtime_ns = OTF2_UNDEFINED_TIMESTAMP;
  }
  bool good = resolve_regions(loader) && resolve_locations(loader) && resolve_teams(loader);
  good = good && resolve_properties(loader);
  resolve_attributes(loader);
  trace->machine = "";
  for (uint32_t i = 0; i < loader->nodes.count; i++) {
    const struct raw_node *node = (const struct raw_node *)loader->nodes.items + i;
    if (node->parent == OTF2_UNDEFINED_SYSTEM_TREE_NODE) {
      trace->machine = text_of(loader, node->name);
      break;
    }
  }
  trace->strings = loader->strings.items;
  trace->string_count = loader->strings.count;
  loader->strings = (struct loader_list){0};
  return good;
}

void loader_free(struct loader *loader)
{
  for (uint32_t i = 0; i < loader->groups.count; i++)
    free(((struct raw_group *)loader->groups.items)[i].members);
  for (uint32_t i = 0; i < loader->properties.count; i++) {
    free(((struct raw_property *)loader->properties.items)[i].name);
    free(((struct raw_property *)loader->properties.items)[i].value);
  }
  for (uint32_t i = 0; i < loader->strings.count; i++)
    free(((char **)loader->strings.items)[i]);
  struct loader_list *lists[] = {&loader->strings,    &loader->regions, &loader->locations,
                                 &loader->processes,  &loader->groups,  &loader->comms,
                                 &loader->attributes, &loader->nodes,   &loader->properties};
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
    free(lists[i]->items);
  ref_map_free(&loader->string_of);
  ref_map_free(&loader->process_of);
  ref_map_free(&loader->group_of);
}
