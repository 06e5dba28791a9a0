#include "analyzer/models/sequences/state_vector.h"

#include "analyzer/trace/states/state.h"
#include "base/vector.h"
#include "common/raw/archive_names.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VALUE_MASK_BITS = 64 };

static bool value_is_count(const struct pes_trace_options *options)
{
  return pes_follows_threads(options->component) && options->vector == PES_COUNTS;
}

static bool value_is_mask(const struct pes_trace_options *options)
{
  return pes_follows_threads(options->component) && options->vector == PES_ROLES;
}

/* ROLES: the bit of a thread's activity in a mask. There are few states. */
static unsigned value_bit(uint64_t key)
{
  return key < LANE_FIRST_VALUE ? (unsigned)key : LANE_FIRST_VALUE + lane_key_state(key);
}

static const char *construct_name(const struct trace *trace, uint64_t key)
{
  uint32_t construct = lane_key_construct(key);
  return construct < trace->region_count ? trace->regions[construct].name : "outside";
}

/* Names of a thread's activity, long and short: the code of a state is one capital letter. */
static char *key_name(const struct trace *trace, enum pes_component_kind kind, uint64_t key)
{
  char *name = NULL;
  if (key < LANE_FIRST_VALUE)
    return strdup(key == LANE_UNDEF ? "Undef" : "Finis");
  if (kind == PES_OF_CONSTRUCT)
    return strdup(construct_name(trace, key));
  const char *state = state_name((enum state)lane_key_state(key));
  if (kind == PES_OF_STATE)
    return strdup(state);
  return asprintf(&name, "%s in %s", state, construct_name(trace, key)) < 0 ? NULL : name;
}

static char *key_code(const struct trace *trace, enum pes_component_kind kind, uint64_t key)
{
  char *code = NULL;
  if (key < LANE_FIRST_VALUE)
    return strdup(key == LANE_UNDEF ? "U" : "X");
  /* `!$omp for @lu.c:42` is for@lu.c:42: shorter, and without a space. */
  const char *construct = construct_name(trace, key);
  if (strncmp(construct, NAME_OMP, sizeof NAME_OMP - 1) == 0 && construct[sizeof NAME_OMP - 1] == ' ')
    construct += sizeof NAME_OMP;
  char letter = kind == PES_OF_CONSTRUCT ? '\0' : state_letter((enum state)lane_key_state(key));
  if (kind == PES_OF_STATE)
    return asprintf(&code, "%c", letter) < 0 ? NULL : code;
  if ((letter ? asprintf(&code, "%c:%s", letter, construct) : asprintf(&code, "%s", construct)) < 0)
    return NULL;
  char *to = code;
  for (const char *from = code; *from; from++)
    if (*from != ' ')
      *to++ = *from == ',' ? ';' : *from; /* commas stand between codes */
  *to = '\0';
  return code;
}

static uint64_t key_of_bit(unsigned bit)
{
  return bit < LANE_FIRST_VALUE ? bit : lane_key(bit - LANE_FIRST_VALUE, 0);
}

/* The names of all states in a mask: RUN+IDLE, (RI); a single state: R. */
static char *mask_text(const struct trace *trace, uint64_t mask, bool code)
{
  char *text = NULL;
  size_t size;
  FILE *file = open_memstream(&text, &size);
  if (!file)
    return NULL;
  bool several = code && (mask & (mask - 1)) != 0;
  if (several)
    fputc('(', file);
  for (unsigned bit = 0; bit < VALUE_MASK_BITS; bit++) {
    if (!(mask >> bit & 1))
      continue;
    char *one = (code ? key_code : key_name)(trace, PES_OF_STATE, key_of_bit(bit));
    fprintf(file, "%s%s", !code && ftell(file) > 0 ? "+" : "", one ? one : "");
    free(one);
  }
  if (several)
    fputc(')', file);
  return fclose(file) == 0 ? text : NULL;
}

/* COUNTS: "3", and R3; of constructs 3*for@lu.c:42. Nobody in it: nothing. */
static char *count_text(const struct trace *trace, enum pes_component_kind kind, uint64_t key, uint64_t count,
                        bool code)
{
  char *text = NULL;
  if (!code)
    return asprintf(&text, "%" PRIu64, count) < 0 ? NULL : text;
  if (count == 0)
    return strdup("");
  char *of = key_code(trace, kind, key);
  if (!of)
    return NULL;
  const char *format = kind == PES_OF_STATE ? "%2$s%1$" PRIu64 : "%1$" PRIu64 "*%2$s";
  int length = asprintf(&text, format, count, of);
  free(of);
  return length < 0 ? NULL : text;
}

static char *holder_text(const struct trace *trace, uint64_t holder, bool code)
{
  char *text = NULL;
  if (holder == 0)
    return strdup(code ? "F" : "free");
  if (!code)
    return strdup(trace->locations[holder - 1].name);
  return asprintf(&text, "T%" PRIu64, holder - 1) < 0 ? NULL : text;
}

/* Values without end are its limits. */
static uint64_t value_of_counter(double measured, double step)
{
  const double limit = 0x1p52;
  double steps = floor(measured / step);
  int64_t whole = isnan(steps) ? 0 : (int64_t)(steps < -limit ? -limit : steps > limit ? limit : steps);
  return 1 + (whole < 0 ? 2 * (uint64_t)-whole - 1 : 2 * (uint64_t)whole);
}

static char *counter_text(double step, uint64_t value, bool code)
{
  char *text = NULL;
  if (value == 0)
    return strdup(code ? "?" : "unknown");
  uint64_t zigzag = value - 1;
  double steps = zigzag % 2 ? -(double)(zigzag / 2 + 1) : (double)(zigzag / 2);
  return asprintf(&text, "%.15g", steps * step) < 0 ? NULL : text;
}

/*
 * Returns the name of a value, or its code. `key`: the activity, lock or counter of the component. The caller frees it.
 * NULL: out of memory.
 */
static char *value_text(const struct trace *trace, const struct pes_trace_options *options, uint64_t key,
                        uint64_t value, bool code)
{
  if (options->component == PES_OF_LOCKS)
    return holder_text(trace, value, code);
  if (options->component == PES_OF_COUNTERS)
    return counter_text(options->step, value, code);
  if (value_is_count(options))
    return count_text(trace, options->component, key, value, code);
  if (value_is_mask(options))
    return mask_text(trace, value, code);
  return (code ? key_code : key_name)(trace, options->component, value);
}

/* Returns the name of the component of a key. The caller frees it. NULL: out of memory. */
static char *value_component_name(const struct trace *trace, enum pes_component_kind kind, uint64_t key)
{
  char *name = NULL;
  if (kind == PES_OF_LOCKS)
    return asprintf(&name, "lock %" PRIu64, key - LANE_FIRST_VALUE) < 0 ? NULL : name;
  if (kind != PES_OF_COUNTERS)
    return key_name(trace, kind, key);
  const char *metric = trace->metrics[lane_counter_metric(trace, key)];
  const char *location = trace->locations[lane_counter_location(trace, key)].name;
  return asprintf(&name, "%s of %s", metric, location) < 0 ? NULL : name;
}

enum { TYPES = TRACE_THREAD_OTHER + 1, FIRST_WIDTH = 8 };

struct component {
  uint64_t key;    /* what the component counts or is */
  uint64_t amount; /* COUNTS: threads in it; locks: the holder + 1; ROLES: what threads do, as a mask */
  uint32_t depth;  /* locks: acquisitions without their releases */
};

struct state_vector {
  const struct trace *trace;
  const struct pes_trace_options *options;
  struct pes_program *program;
  uint32_t *component_of; /* a location's; PES_NONE: not followed */
  struct ref_map by_key;  /* COUNTS: what threads do -> component; locks: number, counters: which -> component */
  uint64_t *now;          /* a location: what it does */

  /* All have the width of the vector. */
  VECTOR(struct component) components;
  VECTOR(struct ref_map) values;        /* values of a set; there are no more: meaning of a value -> its index */
  VECTOR(uint32_t) indices;             /* the vector */
  uint64_t (*members)[VALUE_MASK_BITS]; /* ROLES: how many threads of a type do what */
};

bool state_vector_grows(const struct pes_trace_options *options)
{
  return !pes_follows_threads(options->component) || value_is_count(options);
}

/* The index of a value in its component's set, which it joins if it is new. PES_NONE: out of memory. */
static uint32_t add_value(struct state_vector *vector, uint32_t component, uint64_t value)
{
  uint32_t set = vector->program->components[component].set, index = PES_NONE;
  char *name = value_text(vector->trace, vector->options, vector->components.items[component].key, value, false);
  char *code = value_text(vector->trace, vector->options, vector->components.items[component].key, value, true);
  if (name && code)
    index = pes_program_add_value(vector->program, set, vector->program->sets[set].count, name, code);
  free(name);
  free(code);
  return index != PES_NONE && ref_map_set(&vector->values.items[set], value, index) ? index : PES_NONE;
}

static bool set_component(struct state_vector *vector, uint32_t component, uint64_t value)
{
  uint32_t index = ref_map_get(&vector->values.items[vector->program->components[component].set], value);
  vector->indices.items[component] = index != REF_MAP_NONE ? index : add_value(vector, component, value);
  return vector->indices.items[component] != PES_NONE;
}

/* Room for components up to that many. The vector seldom gets wider, because its states do, too. */
static bool state_vector_make_room(struct state_vector *vector, uint32_t count)
{
  uint32_t width = vector->indices.count > 0 ? (uint32_t)vector->indices.count : FIRST_WIDTH;
  while (width < count)
    width *= 2;
  return vector_resize(&vector->components, width) && vector_resize(&vector->values, width) &&
         vector_resize(&vector->indices, width);
}

/* The component of a key, which is added if it is new. PES_NONE: out of memory. */
static uint32_t component_of(struct state_vector *vector, uint64_t key)
{
  struct pes_program *program = vector->program;
  uint32_t component = ref_map_get(&vector->by_key, key);
  if (component != REF_MAP_NONE)
    return component;
  if (!state_vector_make_room(vector, program->component_count + 1))
    return PES_NONE;
  char *name = value_component_name(vector->trace, vector->options->component, key);
  bool shared = vector->options->component == PES_OF_LOCKS && program->set_count > 0;
  uint32_t set = shared ? 0 : pes_program_add_set(program);
  component = name && set != PES_NONE ? pes_program_add_component(program, name, set) : PES_NONE;
  free(name);
  if (component == PES_NONE || !ref_map_set(&vector->by_key, key, component))
    return PES_NONE;
  vector->components.items[component].key = key;
  return set_component(vector, component, 0) ? component : PES_NONE;
}

static bool change_lock(struct state_vector *vector, uint32_t location, const struct lane_change *change)
{
  uint32_t component = component_of(vector, change->key);
  if (component == PES_NONE)
    return false;
  uint32_t *depth = &vector->components.items[component].depth;
  *depth = change->taken ? *depth + 1 : *depth > 0 ? *depth - 1 : 0;
  vector->components.items[component].amount = *depth > 0 ? location + 1 : 0;
  return set_component(vector, component, vector->components.items[component].amount);
}

static bool change_counter(struct state_vector *vector, const struct lane_change *change)
{
  uint32_t component = component_of(vector, change->key);
  return component != PES_NONE &&
         set_component(vector, component, value_of_counter(change->value, vector->options->step));
}

static bool change_count(struct state_vector *vector, uint64_t key, bool more)
{
  if (key < LANE_FIRST_VALUE)
    return true;
  uint32_t component = component_of(vector, key);
  if (component == PES_NONE)
    return false;
  vector->components.items[component].amount += more ? 1 : UINT64_MAX;
  return set_component(vector, component, vector->components.items[component].amount);
}

/* Threads that have not begun or have ended count only as long as there are no others. */
static bool change_role(struct state_vector *vector, uint32_t component, uint64_t from, uint64_t to)
{
  const uint64_t outside = (UINT64_C(1) << LANE_FIRST_VALUE) - 1;
  uint64_t *members = vector->members[component], *mask = &vector->components.items[component].amount;
  if (--members[value_bit(from)] == 0)
    *mask &= ~(UINT64_C(1) << value_bit(from));
  members[value_bit(to)]++;
  *mask |= UINT64_C(1) << value_bit(to);
  if (*mask & ~outside)
    return set_component(vector, component, *mask & ~outside);
  return set_component(vector, component, UINT64_C(1) << (members[LANE_FINIS] > 0 ? LANE_FINIS : LANE_UNDEF));
}

bool state_vector_change(struct state_vector *vector, uint32_t location, const struct lane_change *change)
{
  if (vector->options->component == PES_OF_LOCKS)
    return change_lock(vector, location, change);
  if (vector->options->component == PES_OF_COUNTERS)
    return change_counter(vector, change);
  uint64_t before = vector->now[location];
  uint32_t component = vector->component_of[location];
  vector->now[location] = change->key;
  if (value_is_count(vector->options))
    return change_count(vector, before, false) && change_count(vector, change->key, true);
  if (component == PES_NONE)
    return true;
  return value_is_mask(vector->options) ? change_role(vector, component, before, change->key)
                                        : set_component(vector, component, change->key);
}

const uint32_t *state_vector_values(const struct state_vector *vector)
{
  return vector->indices.items;
}

uint32_t state_vector_width(const struct state_vector *vector)
{
  return state_vector_grows(vector->options) ? (uint32_t)vector->indices.count : vector->program->component_count;
}

void state_vector_reset(struct state_vector *vector)
{
  memset(vector->now, 0, vector->trace->location_count * sizeof *vector->now);
  for (size_t i = 0; i < vector->components.count; i++) {
    vector->components.items[i].amount = 0;
    vector->components.items[i].depth = 0;
    vector->indices.items[i] = 0;
  }
  if (!vector->members)
    return;
  memset(vector->members, 0, vector->program->component_count * sizeof *vector->members);
  for (uint32_t i = 0; i < vector->trace->location_count; i++) {
    uint32_t component = vector->component_of[i];
    if (component == PES_NONE)
      continue;
    vector->members[component][LANE_UNDEF]++;
    vector->components.items[component].amount = UINT64_C(1) << LANE_UNDEF;
  }
}

static bool is_followed(const struct trace *trace, uint32_t location)
{
  return trace->locations[location].events > 0 && !trace->locations[location].excluded &&
         !trace_is_processor(trace, location);
}

static bool is_selected(const struct pes_trace_options *options, uint32_t location)
{
  if (options->vector != PES_SELECT)
    return true;
  for (uint32_t i = 0; i < options->selected_count; i++)
    if (options->selected[i] == location)
      return true;
  return false;
}

/* A component a location that is followed, all of one set. */
static bool follow_threads(struct state_vector *vector)
{
  const struct trace *trace = vector->trace;
  if (pes_program_add_set(vector->program) == PES_NONE)
    return false;
  for (uint32_t i = 0; i < trace->location_count; i++) {
    if (!is_followed(trace, i) || !is_selected(vector->options, i))
      continue;
    vector->component_of[i] = pes_program_add_component(vector->program, trace->locations[i].name, 0);
    if (vector->component_of[i] == PES_NONE)
      return false;
  }
  return true;
}

static bool follow_types(struct state_vector *vector)
{
  static const char *const names[TYPES] = {
      [TRACE_THREAD_UNKNOWN] = "threads",    [TRACE_THREAD_INITIAL] = "initial thread",
      [TRACE_THREAD_WORKER] = "workers",     [TRACE_THREAD_JVM] = "the JVM's threads",
      [TRACE_THREAD_JAVA] = "Java threads",  [TRACE_THREAD_VIRTUAL] = "virtual threads",
      [TRACE_THREAD_OTHER] = "other threads"};
  uint32_t components[TYPES];
  memset(components, 0xff, sizeof components);
  for (uint32_t i = 0; i < vector->trace->location_count; i++) {
    enum trace_thread_type type = vector->trace->locations[i].type;
    if (!is_followed(vector->trace, i))
      continue;
    if (components[type] == PES_NONE) {
      uint32_t set = pes_program_add_set(vector->program);
      components[type] = set == PES_NONE ? PES_NONE : pes_program_add_component(vector->program, names[type], set);
      if (components[type] == PES_NONE)
        return false;
    }
    vector->component_of[i] = components[type];
  }
  vector->members = calloc(vector->program->component_count + 1, sizeof *vector->members);
  return vector->members;
}

/* The value of each component before anything happened has the index 0. */
static bool make_first_values(struct state_vector *vector)
{
  uint32_t count = vector->program->component_count;
  if (!state_vector_make_room(vector, count))
    return false;
  for (uint32_t i = 0; i < count; i++)
    if (!set_component(vector, i, vector->members ? UINT64_C(1) << LANE_UNDEF : 0))
      return false;
  state_vector_reset(vector);
  return true;
}

static bool state_vector_prepare(struct state_vector *vector)
{
  uint32_t locations = vector->trace->location_count;
  vector->component_of = malloc((locations + 1) * sizeof *vector->component_of);
  vector->now = calloc(locations + 1, sizeof *vector->now);
  if (!vector->component_of || !vector->now)
    return false;
  memset(vector->component_of, 0xff, locations * sizeof *vector->component_of);
  return (state_vector_grows(vector->options) ||
          (value_is_mask(vector->options) ? follow_types(vector) : follow_threads(vector))) &&
         make_first_values(vector);
}

struct state_vector *state_vector_create(const struct trace *trace, const struct pes_trace_options *options,
                                         struct pes_program *program)
{
  struct state_vector *vector = calloc(1, sizeof *vector);
  if (!vector)
    return NULL;
  *vector = (struct state_vector){.trace = trace, .options = options, .program = program};
  if (state_vector_prepare(vector))
    return vector;
  state_vector_free(vector);
  return NULL;
}

void state_vector_free(struct state_vector *vector)
{
  if (!vector)
    return;
  for (size_t i = 0; i < vector->values.count; i++)
    ref_map_free(&vector->values.items[i]);
  vector_free(&vector->values);
  ref_map_free(&vector->by_key);
  vector_free(&vector->components);
  vector_free(&vector->indices);
  free(vector->component_of);
  free(vector->now);
  free(vector->members);
  free(vector);
}

static int compare_keys(const void *a, const void *b, void *context)
{
  const struct component *components = context;
  uint64_t left = components[*(const uint32_t *)a].key, right = components[*(const uint32_t *)b].key;
  return (left > right) - (left < right);
}

bool state_vector_arrange(struct state_vector *vector, uint32_t *from)
{
  uint32_t count = vector->program->component_count;
  for (uint32_t i = 0; i < count; i++)
    from[i] = i;
  if (!state_vector_grows(vector->options) || count == 0)
    return true;
  qsort_r(from, count, sizeof *from, compare_keys, vector->components.items);
  return pes_program_arrange(vector->program, from);
}
