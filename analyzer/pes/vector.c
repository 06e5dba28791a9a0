#include "analyzer/pes/vector.h"

#include "analyzer/pes/merge.h"
#include "analyzer/pes/value_names.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TYPES = TRACE_THREAD_OTHER + 1, MASK_BITS = 64 };

struct vector {
  const struct trace *trace;
  const struct pes_trace_options *options;
  struct pes_program *program;
  struct ref_map *values; /* a set: what a value stands for -> its index */
  uint32_t *component_of; /* a location's; PES_NONE: not followed */
  struct ref_map by_key;  /* COUNTS: what threads do -> component; locks: number, counters: which -> component */
  uint64_t *keys;         /* what each component counts or is */
  uint64_t *now;          /* a location: what it does */
  uint64_t *amounts;      /* COUNTS: threads in it; locks: who has it + 1 */
  uint32_t *depths;       /* locks: how often it was taken */
  uint64_t (*members)[MASK_BITS]; /* ROLES: how many threads of a type do what */
  uint32_t *indices;              /* the vector */
};

static bool is_locks(const struct vector *vector)
{
  return vector->options->component == PES_OF_LOCKS;
}

static bool is_counters(const struct vector *vector)
{
  return vector->options->component == PES_OF_COUNTERS;
}

static bool counts(const struct vector *vector)
{
  return pes_follows_threads(vector->options->component) && vector->options->vector == PES_COUNTS;
}

static bool has_roles(const struct vector *vector)
{
  return pes_follows_threads(vector->options->component) && vector->options->vector == PES_ROLES;
}

/* ROLES: what a thread does as a bit. States are few. */
static unsigned bit_of(uint64_t key)
{
  return key < LANE_FIRST_VALUE ? (unsigned)key : LANE_FIRST_VALUE + lane_key_state(key);
}

static uint64_t key_of_bit(unsigned bit)
{
  return bit < LANE_FIRST_VALUE ? bit : lane_key(bit - LANE_FIRST_VALUE, 0);
}

/* The names of all that is in a mask: RUN+IDLE, (RI); of one alone, R. */
static char *mask_text(const struct vector *vector, uint64_t mask, bool code)
{
  char *text = NULL;
  size_t size;
  FILE *file = open_memstream(&text, &size);
  if (!file)
    return NULL;
  bool several = code && (mask & (mask - 1)) != 0;
  if (several)
    fputc('(', file);
  for (unsigned bit = 0; bit < MASK_BITS; bit++) {
    if (!(mask >> bit & 1))
      continue;
    char *one = (code ? value_code : value_name)(vector->trace, PES_OF_STATE, key_of_bit(bit));
    fprintf(file, "%s%s", !code && ftell(file) > 0 ? "+" : "", one ? one : "");
    free(one);
  }
  if (several)
    fputc(')', file);
  return fclose(file) == 0 ? text : NULL;
}

/* COUNTS: "3", and R3; of constructs 3*for@lu.c:42. Nobody in it: nothing. */
static char *count_text(const struct vector *vector, uint32_t component, uint64_t count, bool code)
{
  char *text = NULL;
  if (!code)
    return asprintf(&text, "%" PRIu64, count) < 0 ? NULL : text;
  if (count == 0)
    return strdup("");
  char *of = value_code(vector->trace, vector->options->component, vector->keys[component]);
  if (!of)
    return NULL;
  const char *format = vector->options->component == PES_OF_STATE ? "%2$s%1$" PRIu64 : "%1$" PRIu64 "*%2$s";
  int length = asprintf(&text, format, count, of);
  free(of);
  return length < 0 ? NULL : text;
}

static char *holder_text(const struct vector *vector, uint64_t holder, bool code)
{
  char *text = NULL;
  if (holder == 0)
    return strdup(code ? "F" : "free");
  if (!code)
    return strdup(vector->trace->locations[holder - 1].name);
  return asprintf(&text, "T%" PRIu64, holder - 1) < 0 ? NULL : text;
}

/* What a counter's value is as a component's: 0 before there is one. Values without end are its limits. */
static uint64_t meaning_of(const struct vector *vector, double value)
{
  const double limit = 0x1p52;
  double steps = floor(value / vector->options->step);
  int64_t whole = isnan(steps) ? 0 : (int64_t)(steps < -limit ? -limit : steps > limit ? limit : steps);
  return 1 + (whole < 0 ? 2 * (uint64_t)-whole - 1 : 2 * (uint64_t)whole);
}

static char *counter_text(const struct vector *vector, uint64_t meaning, bool code)
{
  char *text = NULL;
  if (meaning == 0)
    return strdup(code ? "?" : "unknown");
  uint64_t zigzag = meaning - 1;
  double steps = zigzag % 2 ? -(double)(zigzag / 2 + 1) : (double)(zigzag / 2);
  return asprintf(&text, "%.15g", steps * vector->options->step) < 0 ? NULL : text;
}

static char *text_of(const struct vector *vector, uint32_t component, uint64_t meaning, bool code)
{
  if (is_locks(vector))
    return holder_text(vector, meaning, code);
  if (is_counters(vector))
    return counter_text(vector, meaning, code);
  if (counts(vector))
    return count_text(vector, component, meaning, code);
  if (has_roles(vector))
    return mask_text(vector, meaning, code);
  return (code ? value_code : value_name)(vector->trace, vector->options->component, meaning);
}

/* The index of a value in its component's set, which it joins if it is new. PES_NONE: no memory. */
static uint32_t index_of(struct vector *vector, uint32_t component, uint64_t meaning)
{
  uint32_t set = vector->program->components[component].set;
  uint32_t index = ref_map_get(&vector->values[set], meaning);
  if (index != REF_MAP_NONE)
    return index;
  char *name = text_of(vector, component, meaning, false), *code = text_of(vector, component, meaning, true);
  index = PES_NONE;
  if (name && code)
    index = pes_program_add_value(vector->program, set, vector->program->sets[set].count, name, code);
  free(name);
  free(code);
  return index != PES_NONE && ref_map_set(&vector->values[set], meaning, index) ? index : PES_NONE;
}

static bool set_component(struct vector *vector, uint32_t component, uint64_t meaning)
{
  vector->indices[component] = index_of(vector, component, meaning);
  return vector->indices[component] != PES_NONE;
}

static bool change_lock(struct vector *vector, uint32_t location, const struct lane_change *change)
{
  uint32_t component = ref_map_get(&vector->by_key, change->key);
  if (component == REF_MAP_NONE)
    return true;
  uint32_t *depth = &vector->depths[component];
  *depth = change->taken ? *depth + 1 : *depth > 0 ? *depth - 1 : 0;
  vector->amounts[component] = *depth > 0 ? location + 1 : 0;
  return set_component(vector, component, vector->amounts[component]);
}

static bool change_counter(struct vector *vector, const struct lane_change *change)
{
  uint32_t component = ref_map_get(&vector->by_key, change->key);
  return component == REF_MAP_NONE || set_component(vector, component, meaning_of(vector, change->value));
}

static bool change_count(struct vector *vector, uint64_t key, bool more)
{
  uint32_t component = key < LANE_FIRST_VALUE ? REF_MAP_NONE : ref_map_get(&vector->by_key, key);
  if (component == REF_MAP_NONE)
    return true;
  vector->amounts[component] += more ? 1 : UINT64_MAX;
  return set_component(vector, component, vector->amounts[component]);
}

/* Threads that have not begun or have ended count only as long as there are no others. */
static bool change_role(struct vector *vector, uint32_t component, uint64_t from, uint64_t to)
{
  uint64_t mask = 0, *members = vector->members[component];
  members[bit_of(from)]--;
  members[bit_of(to)]++;
  for (unsigned bit = LANE_FIRST_VALUE; bit < MASK_BITS; bit++)
    mask |= (uint64_t)(members[bit] > 0) << bit;
  if (mask == 0)
    mask = UINT64_C(1) << (members[LANE_FINIS] > 0 ? LANE_FINIS : LANE_UNDEF);
  return set_component(vector, component, mask);
}

bool vector_change(struct vector *vector, uint32_t location, const struct lane_change *change)
{
  if (is_locks(vector))
    return change_lock(vector, location, change);
  if (is_counters(vector))
    return change_counter(vector, change);
  uint64_t before = vector->now[location];
  uint32_t component = vector->component_of[location];
  vector->now[location] = change->key;
  if (counts(vector))
    return change_count(vector, before, false) && change_count(vector, change->key, true);
  if (component == PES_NONE)
    return true;
  return has_roles(vector) ? change_role(vector, component, before, change->key)
                           : set_component(vector, component, change->key);
}

const uint32_t *vector_values(struct vector *vector)
{
  return vector->indices;
}

void vector_reset(struct vector *vector)
{
  uint32_t components = vector->program->component_count;
  memset(vector->now, 0, vector->trace->location_count * sizeof *vector->now);
  memset(vector->amounts, 0, components * sizeof *vector->amounts);
  memset(vector->depths, 0, components * sizeof *vector->depths);
  memset(vector->indices, 0, components * sizeof *vector->indices);
  if (!has_roles(vector))
    return;
  memset(vector->members, 0, components * sizeof *vector->members);
  for (uint32_t i = 0; i < vector->trace->location_count; i++)
    if (vector->component_of[i] != PES_NONE)
      vector->members[vector->component_of[i]][LANE_UNDEF]++;
}

static int compare_keys(const void *a, const void *b)
{
  uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
  return (left > right) - (left < right);
}

/* The caller frees it. NULL: no memory. */
static char *component_name(const struct vector *vector, uint64_t key)
{
  const struct trace *trace = vector->trace;
  char *name = NULL;
  if (is_locks(vector))
    return asprintf(&name, "lock %" PRIu64, key - LANE_FIRST_VALUE) < 0 ? NULL : name;
  if (!is_counters(vector))
    return value_name(trace, vector->options->component, key);
  const char *metric = trace->metrics[lane_counter_metric(trace, key)];
  const char *location = trace->locations[lane_counter_location(trace, key)].name;
  return asprintf(&name, "%s of %s", metric, location) < 0 ? NULL : name;
}

/* Reads the archive for what will be components: what threads do, locks, or counters. Their order does not depend on
 * the run. */
static bool find_keys(struct vector *vector, struct trace_error *error)
{
  struct merge *merge = merge_open(vector->trace, vector->options->component, error);
  if (!merge)
    return false;
  const struct lane_change *change;
  uint32_t location, count = 0;
  bool good = true;
  while (good && (change = merge_peek(merge, &location))) {
    if (change->key >= LANE_FIRST_VALUE && ref_map_get(&vector->by_key, change->key) == REF_MAP_NONE) {
      uint64_t *more = reallocarray(vector->keys, count + 1, sizeof *more);
      good = more && ref_map_set(&vector->by_key, change->key, count);
      vector->keys = more ? more : vector->keys;
      if (!good)
        trace_fail(error, "%s: out of memory", vector->trace->anchor);
      else
        vector->keys[count++] = change->key;
    }
    good = good && merge_advance(merge);
  }
  merge_close(merge);
  if (count > 0)
    qsort(vector->keys, count, sizeof *vector->keys, compare_keys);
  for (uint32_t i = 0; good && i < count; i++) {
    ref_map_set(&vector->by_key, vector->keys[i], i); /* it is in the map, so no memory is needed */
    char *name = component_name(vector, vector->keys[i]);
    uint32_t set = i > 0 && is_locks(vector) ? 0 : pes_program_add_set(vector->program);
    good = name && set != PES_NONE && pes_program_add_component(vector->program, name, set) != PES_NONE;
    if (!good)
      trace_fail(error, "%s: out of memory", vector->trace->anchor);
    free(name);
  }
  return good;
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

/* A component a location that has events, all of one set. */
static bool follow_threads(struct vector *vector)
{
  const struct trace *trace = vector->trace;
  if (pes_program_add_set(vector->program) == PES_NONE)
    return false;
  for (uint32_t i = 0; i < trace->location_count; i++) {
    if (trace->locations[i].events == 0 || !is_selected(vector->options, i))
      continue;
    vector->component_of[i] = pes_program_add_component(vector->program, trace->locations[i].name, 0);
    if (vector->component_of[i] == PES_NONE)
      return false;
  }
  return true;
}

static bool follow_types(struct vector *vector)
{
  static const char *const names[TYPES] = {[TRACE_THREAD_UNKNOWN] = "threads",
                                           [TRACE_THREAD_INITIAL] = "initial thread",
                                           [TRACE_THREAD_WORKER] = "workers",
                                           [TRACE_THREAD_JVM] = "the JVM's threads",
                                           [TRACE_THREAD_OTHER] = "other threads"};
  uint32_t components[TYPES];
  memset(components, 0xff, sizeof components);
  for (uint32_t i = 0; i < vector->trace->location_count; i++) {
    enum trace_thread_type type = vector->trace->locations[i].type;
    if (vector->trace->locations[i].events == 0)
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
static bool make_first_values(struct vector *vector)
{
  uint32_t count = vector->program->component_count;
  vector->values = calloc(vector->program->set_count + 1, sizeof *vector->values);
  vector->amounts = calloc(count + 1, sizeof *vector->amounts);
  vector->depths = calloc(count + 1, sizeof *vector->depths);
  vector->indices = calloc(count + 1, sizeof *vector->indices);
  if (!vector->values || !vector->amounts || !vector->depths || !vector->indices)
    return false;
  for (uint32_t i = 0; i < count; i++)
    if (index_of(vector, i, has_roles(vector) ? UINT64_C(1) << LANE_UNDEF : 0) == PES_NONE)
      return false;
  vector_reset(vector);
  return true;
}

struct vector *vector_create(const struct trace *trace, const struct pes_trace_options *options,
                             struct pes_program *program, struct trace_error *error)
{
  struct vector *vector = calloc(1, sizeof *vector);
  bool good = vector;
  if (good) {
    *vector = (struct vector){.trace = trace, .options = options, .program = program};
    vector->component_of = malloc((trace->location_count + 1) * sizeof *vector->component_of);
    vector->now = calloc(trace->location_count + 1, sizeof *vector->now);
    good = vector->component_of && vector->now;
  }
  if (good) {
    memset(vector->component_of, 0xff, trace->location_count * sizeof *vector->component_of);
    if (!pes_follows_threads(options->component) || counts(vector)) {
      if (!find_keys(vector, error)) {
        vector_free(vector);
        return NULL;
      }
    } else {
      good = has_roles(vector) ? follow_types(vector) : follow_threads(vector);
    }
  }
  if (good && make_first_values(vector))
    return vector;
  trace_fail(error, "%s: out of memory", trace->anchor);
  vector_free(vector);
  return NULL;
}

void vector_free(struct vector *vector)
{
  if (!vector)
    return;
  for (uint32_t i = 0; vector->values && i < vector->program->set_count; i++)
    ref_map_free(&vector->values[i]);
  ref_map_free(&vector->by_key);
  free(vector->values);
  free(vector->component_of);
  free(vector->keys);
  free(vector->now);
  free(vector->amounts);
  free(vector->depths);
  free(vector->members);
  free(vector->indices);
  free(vector);
}
