#include "analyzer/models/sequences/stretches.h"

#include "analyzer/models/sequences/record_store.h"
#include "analyzer/models/sequences/sequence.h"
#include "analyzer/trace/restriction.h"

#include <stdio.h>
#include <stdlib.h>

/* As that of other sequences: 1 GiB of vectors. */
#define STRETCHES_VECTORS_LIMIT (UINT64_C(1) << 28)

/* One more is open on a component, or one less. */
struct step {
  uint64_t time;
  uint32_t component;
  int32_t by;
};

struct maker {
  const struct trace *trace;
  struct step *steps;
  size_t count;
  struct pes_program *program;
  struct pes_states *states;
  struct record_store *store;
  uint32_t *open; /* by component */
  uint32_t most;  /* open at a time */
};

static int by_time(const void *a, const void *b)
{
  const struct step *x = a, *y = b;
  return (x->time > y->time) - (x->time < y->time);
}

/* Stretches that take no time have no steps. False: out of memory. */
static bool make_steps(struct maker *maker, const struct pes_stretch *list, size_t count, const char *total)
{
  uint32_t locations = maker->trace->location_count;
  uint32_t *component_of = calloc(locations + 1, sizeof *component_of);
  maker->steps = calloc(2 * count + 1, sizeof *maker->steps);
  bool good = component_of && maker->steps;
  for (size_t i = 0; good && i < count; i++)
    component_of[list[i].location] = 1;
  if (good && total)
    good = pes_program_add_component(maker->program, total, 0) != PES_NONE;
  for (uint32_t i = 0; good && i < locations; i++) {
    uint32_t component = 0;
    if (!total && component_of[i])
      good = (component = pes_program_add_component(maker->program, maker->trace->locations[i].name, 0)) != PES_NONE;
    component_of[i] = component;
  }
  for (size_t i = 0; good && i < count; i++) {
    if (list[i].end == list[i].begin)
      continue;
    uint32_t component = component_of[list[i].location];
    maker->steps[maker->count++] = (struct step){list[i].begin, component, 1};
    maker->steps[maker->count++] = (struct step){list[i].end, component, -1};
  }
  free(component_of);
  if (good)
    qsort(maker->steps, maker->count, sizeof *maker->steps, by_time);
  return good;
}

/* All steps of one time. Returns the next one. */
static size_t take_moment(struct maker *maker, size_t at)
{
  uint64_t time = maker->steps[at].time;
  for (; at < maker->count && maker->steps[at].time == time; at++)
    maker->open[maker->steps[at].component] += (uint32_t)maker->steps[at].by;
  return at;
}

/* The values are the numbers of open ones. False: out of memory. */
static bool add_values(struct maker *maker)
{
  for (size_t i = 0; i < maker->count;) {
    size_t next = take_moment(maker, i);
    for (; i < next; i++) {
      uint32_t open = maker->open[maker->steps[i].component];
      maker->most = open > maker->most ? open : maker->most;
    }
  }
  for (uint32_t i = 0; i <= maker->most; i++) {
    char name[32], code[32];
    snprintf(name, sizeof name, i == 1 ? "open" : "%u open", i);
    snprintf(code, sizeof code, i == 0 ? "N" : i == 1 ? "O" : "O%u", i);
    if (pes_program_add_value(maker->program, 0, i, name, code) == PES_NONE)
      return false;
  }
  return true;
}

static bool stretches_intern(struct maker *maker, uint32_t *state, struct error *error)
{
  uint32_t components = maker->program->component_count;
  *state = pes_states_intern(maker->states, maker->open);
  if (*state == PES_NONE)
    return error_set(error, "out of memory");
  return (uint64_t)pes_states_count(maker->states) * components <= STRETCHES_VECTORS_LIMIT ||
         error_set(error, "%s: more than %u different vectors of %u components: follow fewer (--vector counts)",
                   maker->trace->anchor, pes_states_count(maker->states), components);
}

/* From `begin` on; *end is not before the last one. */
static bool make_records(struct maker *maker, uint64_t begin, uint64_t *end, struct error *error)
{
  struct pes_record held = {.entry = begin};
  if (!stretches_intern(maker, &held.state, error))
    return false;
  for (size_t i = 0; i < maker->count;) {
    uint64_t time = maker->steps[i].time;
    struct pes_record record = {.entry = time > begin ? time : begin};
    i = take_moment(maker, i);
    if (!stretches_intern(maker, &record.state, error))
      return false;
    if (record.state == held.state)
      continue;
    if (held.entry < record.entry && !record_store_add(maker->store, &held, error))
      return false;
    held = record;
  }
  *end = held.entry > *end ? held.entry : *end;
  return record_store_add(maker->store, &held, error);
}

static void free_maker(struct maker *maker)
{
  free(maker->steps);
  free(maker->open);
  pes_program_free(maker->program);
  pes_states_free(maker->states);
  if (maker->store)
    record_store_destroy(maker->store);
}

struct pes_stream *pes_from_stretches(const struct trace *trace, const struct pes_stretch *list, size_t count,
                                      const char *total, struct error *error)
{
  struct maker maker = {.trace = trace, .program = sequence_program(trace), .store = record_store_create()};
  uint64_t begin = trace_time_from(trace, trace->first_tick);
  uint64_t end = trace_time_to(trace, trace->first_tick + trace->length);
  bool good = maker.program && maker.store && pes_program_add_set(maker.program) != PES_NONE &&
              make_steps(&maker, list, count, total);
  if (good) {
    maker.open = calloc(maker.program->component_count + 1, sizeof *maker.open);
    maker.states = pes_states_create(maker.program->component_count);
    good = maker.open && maker.states && add_values(&maker);
  }
  if (!good)
    error_set(error, "out of memory");
  struct pes_stream *stream = NULL;
  if (good && make_records(&maker, begin, &end, error)) {
    stream = record_store_stream(maker.store, maker.program, maker.states, (struct pes_end){end, PES_NONE});
    maker.store = NULL;
    maker.program = NULL;
    maker.states = NULL;
    if (!stream)
      error_set(error, "out of memory");
  }
  free_maker(&maker);
  return stream;
}
