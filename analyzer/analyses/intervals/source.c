#include "analyzer/analyses/intervals/source.h"

#include "analyzer/trace/attributes.h"
#include "analyzer/trace/definitions.h"
#include "base/vector.h"
#include "common/raw/archive_names.h"

#include <stdlib.h>
#include <string.h>

/* True if the name of a region is that of a specification, with its place or without it. */
static bool is_named(const struct trace_region *region, const char *name)
{
  size_t size = strlen(name);
  return strncmp(region->name, name, size) == 0 &&
         (region->name[size] == 0 || strncmp(region->name + size, NAME_AT, strlen(NAME_AT)) == 0);
}

static bool is_begin_or_end(const struct spec_event *event, const struct trace_region *region, bool begin)
{
  if (event->declared)
    return begin && trace_region_is_user_event(region) && strcmp(region->name, event->name) == 0;
  struct own_event own = event->quoted ? own_event_of_quoted(event->name) : *own_event_find(event->name);
  if (own.kind != (begin ? OWN_BEGIN : OWN_END))
    return false;
  return !own.region || is_named(region, own.region);
}

static bool is_kind(const struct spec_event *event, enum trace_kind kind)
{
  if (event->declared || event->quoted)
    return false;
  switch (own_event_find(event->name)->kind) {
  case OWN_ACQUIRE:
    return kind == TRACE_ThreadAcquireLock || kind == TRACE_OmpAcquireLock;
  case OWN_RELEASE:
    return kind == TRACE_ThreadReleaseLock || kind == TRACE_OmpReleaseLock;
  case OWN_TASK_CREATE:
    return kind == TRACE_ThreadTaskCreate;
  case OWN_TASK_SWITCH:
    return kind == TRACE_ThreadTaskSwitch;
  case OWN_TASK_END:
    return kind == TRACE_ThreadTaskComplete;
  default:
    return false;
  }
}

typedef VECTOR(uint32_t) type_list;

/* The class of events that are of these types; 0 for none. False: out of memory. */
static bool find_class(struct source *source, const type_list *types, uint32_t *class)
{
  *class = 0;
  for (uint32_t i = 0; i < source->class_count; i++) {
    const struct source_class *known = &source->classes[i];
    if (known->type_count == types->count &&
        (types->count == 0 || memcmp(known->types, types->items, types->count * sizeof *known->types) == 0)) {
      *class = i;
      return true;
    }
  }
  if (!array_make_room(source->classes, source->class_count))
    return false;
  struct source_class *made = &source->classes[source->class_count];
  *made = (struct source_class){.types = malloc((types->count + 1) * sizeof *made->types)};
  if (!made->types)
    return false;
  made->type_count = (uint32_t)types->count;
  if (types->count)
    memcpy(made->types, types->items, types->count * sizeof *made->types);
  *class = source->class_count++;
  return true;
}

static bool add_type(const struct source *source, type_list *types, const struct spec_event *event)
{
  source->found[event->index] = true;
  return vector_push(types, event->index);
}

static bool class_of_region(struct source *source, const struct trace_region *region, bool begin, type_list *types,
                            uint32_t *class)
{
  types->count = 0;
  for (const struct spec_event *event = source->spec->events; event; event = event->next)
    if (is_begin_or_end(event, region, begin) && !add_type(source, types, event))
      return false;
  return find_class(source, types, class);
}

static bool make_classes(struct source *source)
{
  const struct trace *trace = source->trace;
  type_list types = {0};
  uint32_t none;
  bool good = find_class(source, &types, &none);
  for (uint32_t i = 0; good && i < trace->region_count; i++)
    good = class_of_region(source, &trace->regions[i], true, &types, &source->begins[i]) &&
           class_of_region(source, &trace->regions[i], false, &types, &source->ends[i]);
  for (unsigned kind = 0; good && kind < TRACE_KINDS; kind++) {
    types.count = 0;
    for (const struct spec_event *event = source->spec->events; good && event; event = event->next)
      if (is_kind(event, (enum trace_kind)kind))
        good = add_type(source, &types, event);
    good = good && find_class(source, &types, &source->kinds[kind]);
  }
  vector_free(&types);
  return good;
}

static bool has_type(const struct source_class *class, const struct spec_end *end)
{
  for (uint32_t i = 0; i < class->type_count; i++)
    if (class->types[i] == end->event->index)
      return true;
  return false;
}

static bool add_use(struct source_class *class, const struct spec_end *end, struct source_use use)
{
  if (!has_type(class, end))
    return true;
  if (!array_make_room(class->uses, class->use_count))
    return false;
  class->uses[class->use_count++] = use;
  return true;
}

static bool make_uses(struct source *source, const struct match_plan *plan)
{
  bool good = true;
  for (uint32_t c = 0; c < source->class_count; c++) {
    struct source_class *class = &source->classes[c];
    for (uint32_t i = 0; good && i < plan->count; i++) {
      const struct spec_interval *interval = plan->intervals[i].interval;
      uint32_t at = 0;
      good = add_use(class, interval->end, (struct source_use){.interval = i, .role = SOURCE_END});
      for (const struct spec_between *between = interval->between; good && between; between = between->next)
        good = add_use(class, &between->end, (struct source_use){.interval = i, .role = SOURCE_BETWEEN, .at = at++});
      good = good && add_use(class, interval->start, (struct source_use){.interval = i, .role = SOURCE_START});
    }
  }
  return good;
}

/* `first_iteration` also finds `first iteration`, and so does `first`. */
bool source_is_attribute(const char *wanted, const char *name)
{
  if (strcmp(wanted, "first") == 0 && strcmp(name, NAME_OF_FIRST) == 0)
    return true;
  while (*wanted && (*wanted == *name || (*wanted == '_' && *name == ' '))) {
    wanted++;
    name++;
  }
  return *wanted == *name;
}

static void find_slots(struct source *source)
{
  const struct spec *spec = source->spec;
  for (uint32_t s = 0; s < spec->slot_count; s++) {
    unsigned i = spec->slots[s].intrinsic ? 0 : INTRINSICS;
    while (i < INTRINSICS && strcmp(intrinsics[i].name, spec->slots[s].name) != 0)
      i++;
    source->intrinsic_of[s] = (uint8_t)i;
    source->follows_regions |=
        i == INTRINSIC_CONSTRUCT || i == INTRINSIC_LINE || i == INTRINSIC_FILE || i == INTRINSIC_FUNCTION;
    source->follows_teams |= i == INTRINSIC_MEMBER;
  }
  for (uint32_t a = 0; a < source->trace->attribute_count; a++) {
    source->slot_of[a] = SPEC_NONE;
    for (uint32_t s = 0; s < spec->slot_count; s++)
      if (!spec->slots[s].intrinsic && source_is_attribute(spec->slots[s].name, source->trace->attributes[a].name))
        source->slot_of[a] = s;
  }
}

struct source *source_create(const struct trace *trace, const struct spec *spec, const struct match_plan *plan)
{
  struct source *source = calloc(1, sizeof *source);
  if (!source)
    return NULL;
  source->trace = trace;
  source->spec = spec;
  source->begins = calloc((size_t)trace->region_count + 1, sizeof *source->begins);
  source->ends = calloc((size_t)trace->region_count + 1, sizeof *source->ends);
  source->slot_of = calloc((size_t)trace->attribute_count + 1, sizeof *source->slot_of);
  source->intrinsic_of = calloc((size_t)spec->slot_count + 1, sizeof *source->intrinsic_of);
  source->found = calloc((size_t)spec->event_count + 1, sizeof *source->found);
  bool good = source->begins && source->ends && source->slot_of && source->intrinsic_of && source->found &&
              thread_ids_of_java(&source->java, trace) && thread_ids_of_kernel(&source->kernel, trace) &&
              make_classes(source) && make_uses(source, plan);
  if (good) {
    find_slots(source);
    return source;
  }
  source_free(source);
  return NULL;
}

void source_free(struct source *source)
{
  if (!source)
    return;
  for (uint32_t i = 0; i < source->class_count; i++) {
    free(source->classes[i].uses);
    free(source->classes[i].types);
  }
  free(source->classes);
  free(source->begins);
  free(source->ends);
  free(source->slot_of);
  free(source->intrinsic_of);
  free(source->found);
  hash_free(&source->java);
  hash_free(&source->kernel);
  free(source);
}
