#include "analyzer/analyses/intervals/source.h"

#include "analyzer/trace/attributes.h"
#include "analyzer/trace/definitions.h"
#include "base/vector.h"
#include "common/raw/archive_names.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* True if the name of a region is the specification's, with its place or without it. */
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

#define LANE_DEPTH_MOST 65536 /* regions and teams that are open at a time; more is taken for damage */

void interval_lane_begin(struct interval_lane *lane, const struct source *source, const struct pass_location *location,
                         struct error *error)
{
  lane->source = source;
  lane->location = location->number;
  lane->error = error;
  lane->queue =
      (struct item_queue){.size = sizeof(struct lane_item) + source->spec->slot_count * sizeof(struct spec_value),
                          .time_at = offsetof(struct lane_item, time)};
}

void interval_lane_close(void *context, void *opened)
{
  (void)context;
  struct interval_lane *lane = opened;
  vector_free(&lane->regions);
  vector_free(&lane->teams);
  item_queue_free(&lane->queue);
}

struct item_queue *interval_lane_queue(void *lane)
{
  return &((struct interval_lane *)lane)->queue;
}

uint64_t interval_lane_reached(void *lane)
{
  return ((const struct interval_lane *)lane)->reached;
}

static struct spec_value integer(int64_t number)
{
  return (struct spec_value){.type = SPEC_INTEGER, .integer = number};
}

static struct spec_value text(const char *words)
{
  return (struct spec_value){.type = *words ? SPEC_TEXT : SPEC_ANY, .text = words};
}

static struct spec_value lane_nothing(void)
{
  return (struct spec_value){.type = SPEC_ANY};
}

static struct spec_value of_region(const struct interval_lane *lane, enum intrinsic intrinsic)
{
  if (lane->regions.count == 0)
    return lane_nothing();
  const struct trace_region *region = &lane->source->trace->regions[lane->regions.items[lane->regions.count - 1]];
  switch (intrinsic) {
  case INTRINSIC_CONSTRUCT:
    return text(region->name);
  case INTRINSIC_FILE:
    return text(region->file);
  case INTRINSIC_FUNCTION:
    return text(region->function);
  default:
    return region->line ? integer(region->line) : lane_nothing();
  }
}

static struct spec_value member(const struct interval_lane *lane)
{
  if (lane->teams.count == 0)
    return lane_nothing();
  const struct trace *trace = lane->source->trace;
  uint32_t rank = trace_team_rank(&trace->teams[lane->teams.items[lane->teams.count - 1]], lane->location);
  return rank == TRACE_NONE ? lane_nothing() : integer(rank);
}

/* The thread that an event is about, by the number that `thread` has. */
static struct spec_value target(const struct interval_lane *lane, const struct trace_event *event)
{
  const struct source *source = lane->source;
  uint64_t id = trace_attribute(event, source->trace->thread, 0);
  uint64_t process = source->trace->locations[lane->location].process;
  uint32_t location = thread_ids_find(&source->java, process, id);
  if (location == TRACE_NONE)
    location = thread_ids_find(&source->kernel, process, id);
  return location == TRACE_NONE ? lane_nothing() : integer(location);
}

static struct spec_value intrinsic_value(const struct interval_lane *lane, const struct trace_event *event,
                                         enum intrinsic which)
{
  const struct trace *trace = lane->source->trace;
  uint32_t process = trace->locations[lane->location].process;
  bool task = event->kind == TRACE_ThreadTaskCreate || event->kind == TRACE_ThreadTaskSwitch ||
              event->kind == TRACE_ThreadTaskComplete;
  bool lock = event->kind == TRACE_ThreadAcquireLock || event->kind == TRACE_ThreadReleaseLock ||
              event->kind == TRACE_OmpAcquireLock || event->kind == TRACE_OmpReleaseLock;
  switch (which) {
  case INTRINSIC_THREAD:
    return integer(lane->location);
  case INTRINSIC_TIME:
    return (struct spec_value){.type = SPEC_TIME,
                               .real = ((double)event->time - (double)trace->first_tick) *
                                       (trace->ticks_per_second ? 1e9 / (double)trace->ticks_per_second : 1)};
  case INTRINSIC_PROCESS:
    return process == TRACE_NONE ? lane_nothing() : integer(process);
  case INTRINSIC_MEMBER:
    return member(lane);
  case INTRINSIC_THREAD_NAME:
    return text(trace->locations[lane->location].name);
  case INTRINSIC_TARGET:
    return target(lane, event);
  case INTRINSIC_LOCK:
    return lock ? integer(event->index) : lane_nothing();
  case INTRINSIC_TASK:
    return task ? integer((int64_t)((uint64_t)event->creator << 32 | event->generation)) : lane_nothing();
  default:
    return of_region(lane, which);
  }
}

/* Numbers that are none, and larger ones than the language has, are no values or come close. */
static struct spec_value recorded_value(const struct trace_value *value)
{
  switch (value->type) {
  case TRACE_INTEGER:
    return integer(value->integer);
  case TRACE_NATURAL:
    return value->natural <= INT64_MAX ? integer((int64_t)value->natural)
                                       : (struct spec_value){.type = SPEC_REAL, .real = (double)value->natural};
  case TRACE_REAL:
    return isfinite(value->real) ? (struct spec_value){.type = SPEC_REAL, .real = value->real} : lane_nothing();
  default:
    return (struct spec_value){.type = SPEC_TEXT, .text = value->text};
  }
}

static bool put(struct interval_lane *lane, const struct trace_event *event, uint32_t class)
{
  const struct source *source = lane->source;
  struct lane_item *item = item_queue_add(&lane->queue);
  if (!item)
    return false;
  item->time = event->time;
  item->class = class;
  for (uint32_t i = 0; i < source->spec->slot_count; i++)
    item->values[i] = source->intrinsic_of[i] == INTRINSICS
                          ? lane_nothing()
                          : intrinsic_value(lane, event, (enum intrinsic)source->intrinsic_of[i]);
  uint32_t count = event->attributes ? trace_value_count(event) : 0;
  struct trace_value value;
  for (uint32_t i = 0; i < count; i++)
    if (trace_value_at(source->trace, event, i, &value) && source->slot_of[value.attribute] != SPEC_NONE)
      item->values[source->slot_of[value.attribute]] = recorded_value(&value);
  return true;
}

static bool fail_deep(const struct interval_lane *lane)
{
  const struct trace *trace = lane->source->trace;
  return error_set(lane->error, "%s: %s has more than %d open regions: the archive is damaged", trace->anchor,
                   trace->locations[lane->location].name, LANE_DEPTH_MOST);
}

/* A user's event is in no construct of its own: what is open around it counts. */
static bool follow_regions(struct interval_lane *lane, const struct trace_event *event, bool before)
{
  const struct trace *trace = lane->source->trace;
  if (event->index == TRACE_NONE || trace_region_is_user_event(&trace->regions[event->index]))
    return true;
  if (event->kind == TRACE_Enter && before) {
    if (lane->regions.count == LANE_DEPTH_MOST)
      return fail_deep(lane);
    return vector_push(&lane->regions, event->index);
  }
  if (event->kind == TRACE_Leave && !before && lane->regions.count > 0)
    lane->regions.count--;
  return true;
}

static bool follow_teams(struct interval_lane *lane, const struct trace_event *event)
{
  if (event->kind == TRACE_ThreadTeamBegin && event->index != TRACE_NONE)
    return lane->teams.count == LANE_DEPTH_MOST ? fail_deep(lane) : vector_push(&lane->teams, event->index);
  if (event->kind == TRACE_ThreadTeamEnd && event->index != TRACE_NONE && lane->teams.count > 0)
    lane->teams.count--;
  return true;
}

bool interval_lane_event(void *opened, const struct trace_event *event)
{
  struct interval_lane *lane = opened;
  const struct source *source = lane->source;
  bool region = source->follows_regions && (event->kind == TRACE_Enter || event->kind == TRACE_Leave);
  lane->reached = event->time;
  if ((region && !follow_regions(lane, event, true)) || (source->follows_teams && !follow_teams(lane, event)))
    return false;
  uint32_t class = source_class_of(source, event);
  if (class > 0 && source->classes[class].use_count > 0 && !put(lane, event, class))
    return false;
  return !region || follow_regions(lane, event, false);
}
