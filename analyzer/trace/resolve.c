#include "analyzer/trace/definitions.h"
#include "analyzer/trace/loader.h"
#include "base/count_of.h"
#include "common/raw/archive_names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *resolve_text_of(const struct loader *loader, OTF2_StringRef ref)
{
  uint32_t index = ref == OTF2_UNDEFINED_STRING ? REF_MAP_NONE : ref_map_get(&loader->string_of, ref);
  return index == REF_MAP_NONE ? "" : loader->strings.items[index];
}

static bool resolve_regions(struct loader *loader)
{
  struct trace *trace = loader->trace;
  trace->regions = calloc(loader->regions.count + 1, sizeof *trace->regions);
  if (!trace->regions)
    return false;
  for (uint32_t i = 0; i < loader->regions.count; i++) {
    const struct raw_region *raw = &loader->regions.items[i];
    trace->regions[i] = (struct trace_region){resolve_text_of(loader, raw->name),
                                              resolve_text_of(loader, raw->function),
                                              resolve_text_of(loader, raw->description),
                                              resolve_text_of(loader, raw->file),
                                              raw->line,
                                              raw->role,
                                              raw->paradigm};
    if (!ref_map_set(&trace->region_of, raw->ref, i))
      return false;
  }
  trace->region_count = (uint32_t)loader->regions.count;
  return true;
}

/* False: no memory. */
static bool say_number(struct trace_location *thread)
{
  if (!*thread->name || thread->name[strspn(thread->name, "0123456789")] != '\0')
    return true;
  return asprintf(&thread->said, "thread \"%s\"", thread->name) >= 0 || (thread->said = NULL);
}

static bool resolve_locations(struct loader *loader)
{
  struct trace *trace = loader->trace;
  trace->processes = calloc(loader->processes.count + 1, sizeof *trace->processes);
  trace->locations = calloc(loader->locations.count + 1, sizeof *trace->locations);
  if (!trace->processes || !trace->locations)
    return false;
  trace->process_count = (uint32_t)loader->processes.count;
  for (uint32_t i = 0; i < trace->process_count; i++)
    trace->processes[i].name = resolve_text_of(loader, loader->processes.items[i].name);
  trace->location_count = (uint32_t)loader->locations.count;
  for (uint32_t i = 0; i < trace->location_count; i++) {
    const struct raw_location *raw = &loader->locations.items[i];
    trace->locations[i] = (struct trace_location){.ref = raw->ref,
                                                  .name = resolve_text_of(loader, raw->name),
                                                  .events = raw->events,
                                                  .process = ref_map_get(&loader->process_of, raw->process),
                                                  .kind = raw->kind};
    if (!say_number(&trace->locations[i]) || !ref_map_set(&trace->location_of, raw->ref, i))
      return false;
  }
  return true;
}

/*
 * The members of a COMM_GROUP are places in the COMM_LOCATIONS group of the same paradigm. OTF2 specifies one such
 * group an archive; archives with more (one a process) mean the last one before the COMM_GROUP.
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

/* Omits members that are not locations of the archive. */
static bool resolve_team(const struct loader *loader, const struct raw_comm *comm, struct trace_team *team)
{
  uint32_t at = ref_map_get(&loader->group_of, comm->group);
  if (at == REF_MAP_NONE)
    return true;
  const struct raw_group *group = &loader->groups.items[at];
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
  trace->team_count = (uint32_t)loader->comms.count;
  for (uint32_t i = 0; i < trace->team_count; i++) {
    const struct raw_comm *comm = &loader->comms.items[i];
    if (!resolve_team(loader, comm, &trace->teams[i]) || !ref_map_set(&trace->team_of, comm->ref, i))
      return false;
  }
  return true;
}

static void note_thread_type(struct trace *trace, const struct trace_property *property)
{
  if (property->owner != TRACE_OF_LOCATION || strcmp(property->name, LOCATION_THREAD_TYPE) != 0)
    return;
  enum trace_thread_type type =
      strcmp(property->value, VALUE_THREAD_WORKER) == 0         ? TRACE_THREAD_WORKER
      : strcmp(property->value, VALUE_THREAD_INITIAL) == 0      ? TRACE_THREAD_INITIAL
      : strcmp(property->value, VALUE_THREAD_JVM) == 0          ? TRACE_THREAD_JVM
      : strcmp(property->value, VALUE_THREAD_JAVA_VIRTUAL) == 0 ? TRACE_THREAD_VIRTUAL
      : strcmp(property->value, VALUE_THREAD_JAVA) == 0 || strcmp(property->value, VALUE_THREAD_JAVA_DAEMON) == 0
          ? TRACE_THREAD_JAVA
          : TRACE_THREAD_OTHER;
  trace->locations[property->index].type = type;
}

/* A text that the trace owns: the loader's, if it has one, or a copy of a string. */
static char *take_text(const struct loader *loader, char **own, OTF2_StringRef ref)
{
  char *text = *own ? *own : strdup(resolve_text_of(loader, ref));
  *own = NULL;
  return text;
}

/* Names of locks are found by the lock's number alone: there may be many. False: no memory. */
static bool note_lock_name(struct trace *trace, uint32_t number)
{
  const char *name = trace->properties[number].name + strlen(NAME_LOCK);
  return ref_map_set(&trace->lock_names, strtoull(name, NULL, 10), number);
}

static bool names_lock(const struct trace_property *property)
{
  return property->owner == TRACE_OF_PROCESS && strncmp(property->name, NAME_LOCK, strlen(NAME_LOCK)) == 0;
}

/* Owners find their properties, in the order of the archive. */
static bool chain_properties(struct trace *trace)
{
  for (uint32_t i = trace->property_count; i-- > 0;) {
    struct trace_property *property = &trace->properties[i];
    uint64_t key = trace_owner_key(property->owner, property->index);
    if (names_lock(property)) {
      property->next = TRACE_NONE;
      if (!note_lock_name(trace, i))
        return false;
      continue;
    }
    property->next = ref_map_get(&trace->first_property, key);
    if (!ref_map_set(&trace->first_property, key, i))
      return false;
  }
  return true;
}

static bool resolve_properties(struct loader *loader)
{
  struct trace *trace = loader->trace;
  trace->properties = calloc(loader->properties.count + 1, sizeof *trace->properties);
  if (!trace->properties)
    return false;
  for (uint32_t i = 0; i < loader->properties.count; i++) {
    struct raw_property *raw = &loader->properties.items[i];
    uint32_t index = raw->owner == TRACE_OF_PROCESS    ? ref_map_get(&loader->process_of, raw->ref)
                     : raw->owner == TRACE_OF_LOCATION ? ref_map_get(&trace->location_of, raw->ref)
                                                       : 0;
    if (index == REF_MAP_NONE)
      continue;
    struct trace_property *property = &trace->properties[trace->property_count++];
    *property = (struct trace_property){.owner = raw->owner, .index = index};
    property->name = take_text(loader, &raw->name, raw->name_ref);
    property->value = take_text(loader, &raw->value, raw->value_ref);
    if (!property->name || !property->value)
      return false;
    note_thread_type(trace, property);
  }
  return chain_properties(trace);
}

static bool resolve_metric_class(const struct loader *loader, const struct raw_metric_class *raw,
                                 struct trace_metric_class *class)
{
  class->metrics = calloc((size_t)raw->count + 1, sizeof *class->metrics);
  if (!class->metrics)
    return false;
  class->count = raw->count;
  for (uint32_t i = 0; i < raw->count; i++) {
    uint32_t metric = ref_map_get(&loader->metric_of, raw->metrics[i]);
    class->metrics[i] = metric == REF_MAP_NONE ? TRACE_NONE : metric;
  }
  return true;
}

/* The reference of an instance means its class, which is defined before it. */
static bool resolve_metrics(struct loader *loader)
{
  struct trace *trace = loader->trace;
  uint32_t count = (uint32_t)loader->metric_classes.count;
  trace->metrics = calloc(loader->metrics.count + 1, sizeof *trace->metrics);
  trace->metric_classes = calloc((size_t)count + 1, sizeof *trace->metric_classes);
  trace->metric_counts = calloc(loader->metrics.count + 1, sizeof *trace->metric_counts);
  trace->metric_units = calloc(loader->metrics.count + 1, sizeof *trace->metric_units);
  if (!trace->metrics || !trace->metric_classes || !trace->metric_counts || !trace->metric_units)
    return false;
  trace->metric_count = (uint32_t)loader->metrics.count;
  for (uint32_t i = 0; i < trace->metric_count; i++) {
    trace->metrics[i] = resolve_text_of(loader, loader->metrics.items[i].name);
    trace->metric_counts[i] = loader->metrics.items[i].counts;
    trace->metric_units[i].name = resolve_text_of(loader, loader->metrics.items[i].unit);
    trace->metric_units[i].exponent = loader->metrics.items[i].exponent;
  }
  trace->metric_class_count = count;
  for (uint32_t i = 0; i < count; i++) {
    const struct raw_metric_class *raw = &loader->metric_classes.items[i];
    uint32_t class = raw->metrics ? i : ref_map_get(&trace->metric_class_of, raw->class);
    if (class == REF_MAP_NONE)
      continue;
    if (!ref_map_set(&trace->metric_class_of, raw->ref, class) ||
        (raw->metrics && !resolve_metric_class(loader, raw, &trace->metric_classes[i])))
      return false;
  }
  return true;
}

/* True if the attribute belongs to the program's own events. Their names may be any, also names that analyses use. */
static bool is_of_user(const struct loader *loader, const struct raw_attribute *attribute)
{
  return strcmp(resolve_text_of(loader, attribute->description), DESCRIPTION_USER_ATTRIBUTE) == 0;
}

static int compare_attributes(const void *left, const void *right, void *context)
{
  const struct trace_attribute_name *names = context;
  uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
  int order = strcmp(names[a].name, names[b].name);
  if (order == 0)
    order = names[a].of_user - names[b].of_user;
  return order ? order : (a > b) - (a < b);
}

/* Attributes of one name get the index of the first one. False: out of memory. */
static bool resolve_attribute_names(struct loader *loader)
{
  struct trace *trace = loader->trace;
  uint32_t count = (uint32_t)loader->attributes.count, first = 0;
  struct trace_attribute_name *names = calloc(count + 1, sizeof *names);
  uint32_t *order = calloc(count + 1, sizeof *order);
  bool good = names && order;
  for (uint32_t i = 0; good && i < count; i++) {
    const struct raw_attribute *raw = &loader->attributes.items[i];
    names[i] = (struct trace_attribute_name){resolve_text_of(loader, raw->name), is_of_user(loader, raw)};
    order[i] = i;
  }
  if (good)
    qsort_r(order, count, sizeof *order, compare_attributes, names);
  for (uint32_t i = 0; good && i < count; i++) {
    const struct trace_attribute_name *name = &names[order[i]], *known = &names[order[first]];
    if (strcmp(name->name, known->name) != 0 || name->of_user != known->of_user)
      first = i;
    good = ref_map_set(&trace->attribute_of, loader->attributes.items[order[i]].ref, order[first]);
  }
  free(order);
  trace->attributes = names;
  trace->attribute_count = names ? count : 0;
  return good;
}

static void resolve_attributes(struct loader *loader)
{
  struct trace *trace = loader->trace;
  const struct {
    const char *name;
    OTF2_AttributeRef *ref;
  } wanted[] = {{NAME_OF_FIRST, &trace->first_iteration},
                {NAME_OF_ITERATIONS, &trace->iterations},
                {NAME_OF_CHUNKS, &trace->chunks},
                {NAME_OF_DERIVED, &trace->derived},
                {NAME_OF_CONSTRUCT, &trace->omitted_construct},
                {NAME_OF_INSTANCES, &trace->instances},
                {NAME_OF_JOINED, &trace->joined},
                {NAME_OF_INSIDE, &trace->inside},
                {NAME_OF_TIME, &trace->time},
                {NAME_OF_OBJECT_CLASS, &trace->object_class},
                {NAME_OF_TIMED_OUT, &trace->timed_out},
                {NAME_OF_INTERRUPTED, &trace->interrupted},
                {NAME_OF_ENDED, &trace->ended},
                {NAME_OF_OBJECT, &trace->object},
                {NAME_OF_OWNER, &trace->owner},
                {NAME_OF_OWNER_PLACE, &trace->owner_place},
                {NAME_OF_PINNED, &trace->pinned},
                {NAME_OF_THREAD, &trace->thread},
                {NAME_OF_VIRTUAL_THREAD, &trace->virtual_thread},
                {NAME_OF_CLOSED, &trace->closed},
                {NAME_OF_UNCONTENDED, &trace->uncontended},
                {NAME_OF_TRIED, &trace->tried},
                {NAME_OF_LOCK, &trace->lock},
                {NAME_OF_CALLERS, &trace->callers},
                {NAME_OF_ROW, &trace->row},
                {NAME_OF_SELF, &trace->self},
                {NAME_OF_LONGEST, &trace->longest},
                {NAME_OF_CONTENDED, &trace->contended},
                {NAME_OF_WAITING, &trace->waiting},
                {NAME_OF_SINCE_BEGIN, &trace->since_begin},
                {NAME_OF_METRIC, &trace->metric},
                {NAME_OF_NUMBER, &trace->number},
                {NAME_OF_ABOUT, &trace->about},
                {NAME_OF_VALUE_OF, &trace->value_of},
                {NAME_OF_AROUND, &trace->around},
                {NAME_OF_HELD, &trace->held},
                {NAME_OF_SUM, &trace->sum},
                {NAME_OF_LAST, &trace->last},
                {NAME_OF_REAL_SUM, &trace->real_sum},
                {NAME_OF_REAL_LAST, &trace->real_last},
                {NAME_OF_WEIGHT, &trace->weight}};
  for (size_t k = 0; k < COUNT_OF(wanted); k++) {
    *wanted[k].ref = OTF2_UNDEFINED_ATTRIBUTE;
    for (uint32_t i = 0; i < loader->attributes.count; i++) {
      const struct raw_attribute *attribute = &loader->attributes.items[i];
      if (strcmp(resolve_text_of(loader, attribute->name), wanted[k].name) == 0 && !is_of_user(loader, attribute))
        *wanted[k].ref = attribute->ref;
    }
  }
}

/* The attributes `shorter than 2^<k>`. */
static void resolve_durations(struct loader *loader)
{
  const size_t length = strlen(NAME_DURATION);
  for (size_t k = 0; k < COUNT_OF(loader->trace->durations); k++)
    loader->trace->durations[k] = OTF2_UNDEFINED_ATTRIBUTE;
  for (uint32_t i = 0; i < loader->attributes.count; i++) {
    const struct raw_attribute *attribute = &loader->attributes.items[i];
    const char *name = resolve_text_of(loader, attribute->name);
    unsigned long power = strncmp(name, NAME_DURATION, length) == 0 ? strtoul(name + length, NULL, 10) : 0;
    if (power > 0 && power < COUNT_OF(loader->trace->durations) && !is_of_user(loader, attribute))
      loader->trace->durations[power] = attribute->ref;
  }
}

/* The attributes `depend <kind> <n>`. False: out of memory. */
static bool resolve_dependences(struct loader *loader)
{
  const size_t length = strlen(NAME_DEPEND);
  bool good = true;
  for (uint32_t i = 0; good && i < loader->attributes.count; i++) {
    const struct raw_attribute *attribute = &loader->attributes.items[i];
    const char *name = resolve_text_of(loader, attribute->name);
    if (strncmp(name, NAME_DEPEND, length) == 0 && name[length] == ' ' && !is_of_user(loader, attribute))
      good = ref_map_set(&loader->trace->dependences, attribute->ref, 0);
  }
  return good;
}

bool loader_resolve(struct loader *loader)
{
  struct trace *trace = loader->trace;
  if (trace->ticks_per_second == 0) { /* no clock definition: OTF2 says that 1 tick is 1 ns */
    trace->ticks_per_second = 1000000000;
    trace->realtime_ns = OTF2_UNDEFINED_TIMESTAMP;
  }
  bool good = resolve_regions(loader) && resolve_locations(loader) && resolve_teams(loader);
  good = good && resolve_properties(loader) && resolve_metrics(loader) && resolve_dependences(loader) &&
         resolve_attribute_names(loader);
  resolve_attributes(loader);
  resolve_durations(loader);
  const char *omitted = good ? trace_property(trace, TRACE_OF_ARCHIVE, 0, ARCHIVE_LEFT_OUT) : NULL;
  if (omitted && strcmp(omitted, "0") == 0) /* the attribute is defined, but no event has it */
    trace->weight = OTF2_UNDEFINED_ATTRIBUTE;
  trace->machine = "";
  for (uint32_t i = 0; i < loader->nodes.count; i++) {
    const struct raw_node *node = &loader->nodes.items[i];
    if (node->parent == OTF2_UNDEFINED_SYSTEM_TREE_NODE) {
      trace->machine = resolve_text_of(loader, node->name);
      break;
    }
  }
  trace->strings = loader->strings.items;
  trace->string_count = (uint32_t)loader->strings.count;
  loader->strings.items = NULL; /* they are the trace's now */
  loader->strings.count = 0;
  trace->string_of = loader->string_of;
  loader->string_of = (struct ref_map){0};
  return good;
}
