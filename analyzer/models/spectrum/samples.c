#include "analyzer/models/spectrum/samples.h"

#include "base/vector.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define WORK_MAX (UINT64_C(1) << 31)

static uint64_t largest_prime(uint64_t number)
{
  uint64_t largest = 1;
  for (uint64_t factor = 2; factor * factor <= number; factor++) {
    while (number % factor == 0) {
      largest = factor;
      number /= factor;
    }
  }
  return number > 1 ? number : largest;
}

uint64_t spectrum_fast_size(uint64_t most)
{
  uint64_t best = 2;
  for (uint64_t fives = 2; fives <= most; fives *= 5) {
    for (uint64_t threes = fives; threes <= most; threes *= 3) {
      uint64_t twos = threes;
      while (twos <= most / 2)
        twos *= 2;
      best = twos > best ? twos : best;
    }
  }
  return best;
}

bool spectrum_size_is_fair(uint64_t size)
{
  return size * largest_prime(size) <= WORK_MAX;
}

/* Finds a component by its index, or by its name if this is unique. */
static bool find_component(const struct pes_program *program, const char *name, uint32_t *component,
                           struct error *error)
{
  char *end;
  uint32_t count = 0;
  errno = 0;
  unsigned long long index = strtoull(name, &end, 10);
  if (*name >= '0' && *name <= '9' && *end == '\0') {
    *component = (uint32_t)index;
    return (errno == 0 && index < program->component_count) ||
           error_set(error, "there is no component %s: the sequence has %u, numbered from 0", name,
                     program->component_count);
  }
  for (uint32_t i = 0; i < program->component_count; i++) {
    if (strcmp(program->components[i].name, name) != 0)
      continue;
    *component = i;
    count++;
  }
  return count == 1 ||
         error_set(error,
                   count ? "several components are called %s; give a number, from 0" : "no component is called %s",
                   name);
}

static bool is_value(const struct pes_value *value, const char *name)
{
  return strcmp(value->name, name) == 0 || strcmp(value->code, name) == 0;
}

static bool value_exists(const struct pes_program *program, const char *name, struct error *error)
{
  for (uint32_t i = 0; i < program->set_count; i++) {
    for (uint32_t k = 0; k < program->sets[i].count; k++) {
      if (is_value(&program->sets[i].values[k], name))
        return true;
    }
  }
  return error_set(error, "no component has a value called %s", name);
}

/* A vector's number: the id of one component's value, or the number of components with the value of that name. */
static double of_vector(const struct spectrum_signal *signal, const struct pes_program *program, uint32_t component,
                        const uint32_t *vector)
{
  double number = 0;
  for (uint32_t i = 0; i < program->component_count; i++) {
    const struct pes_value *value = &program->sets[program->components[i].set].values[vector[i]];
    if (signal->kind == SPECTRUM_THREADS_IN)
      number += is_value(value, signal->of);
    else if (i == component)
      number = (double)value->id;
  }
  return number;
}

static bool fill_of_vectors(const struct spectrum_signal *signal, const struct pes_stream *stream, const uint32_t *rank,
                            double *values, struct error *error)
{
  uint32_t component = 0;
  if (signal->kind == SPECTRUM_COMPONENT ? !find_component(stream->program, signal->of, &component, error)
                                         : !value_exists(stream->program, signal->of, error))
    return false;
  for (uint32_t i = 0; i < pes_states_count(stream->states); i++) {
    const struct pes_state *state = pes_state(stream->states, i);
    if (rank[i] == PES_NONE)
      continue;
    if (state->kind != PES_BASIC)
      return error_set(error,
                       "state %s is an aggregate, so its components have no value; use the signal `states` or "
                       "`state=NAME`, or the sequence before the transform",
                       state->name);
    values[i] = of_vector(signal, stream->program, component, state->vector);
  }
  return true;
}

static bool fill_of_state(const struct spectrum_signal *signal, const struct pes_stream *stream, const uint32_t *rank,
                          double *values, struct error *error)
{
  uint32_t count;
  uint32_t state = pes_states_find(stream->program, stream->states, signal->of, &count);
  if (state == PES_NONE && count > 1)
    return error_set(error, "several states are called %s; give a number, as #3", signal->of);
  if (state == PES_NONE || rank[state] == PES_NONE)
    return error_set(error, "the sequence has no state %s", signal->of);
  values[state] = 1;
  return true;
}

/*
 * Returns a number for each state of the stream's table, after the stream has been read once. `rank` has each state's
 * number in order of first appearance (PES_NONE: the state does not appear, and its value is unused). The caller frees
 * the array. NULL: an error.
 */
static double *signal_values(const struct spectrum_signal *signal, const struct pes_stream *stream,
                             const uint32_t *rank, struct error *error)
{
  uint32_t count = pes_states_count(stream->states);
  double *values = calloc((size_t)count + 1, sizeof *values);
  bool good = values || error_set(error, "out of memory");
  if (good && signal->kind == SPECTRUM_STATE)
    good = fill_of_state(signal, stream, rank, values, error);
  else if (good && signal->kind != SPECTRUM_STATES)
    good = fill_of_vectors(signal, stream, rank, values, error);
  for (uint32_t i = 0; good && signal->kind == SPECTRUM_STATES && i < count; i++)
    values[i] = rank[i];
  if (good)
    return values;
  free(values);
  return NULL;
}

enum { TIME_SAMPLES = 4096, LEAST = 4 };

/* The results of the first reading. */
struct survey {
  uint64_t records, begin, end;
  VECTOR(uint32_t) rank; /* rank of each state, in order of first appearance; PES_NONE: it has not appeared */
};

/* delta as a fraction, so that the times of samples are exact. */
struct raster {
  uint64_t count, ticks, parts; /* delta is ticks / parts */
};

static bool grow_rank(struct survey *survey, size_t states, struct error *error)
{
  size_t known = survey->rank.count;
  if (states <= known)
    return true;
  if (!vector_resize(&survey->rank, states))
    return error_set(error, "out of memory");
  memset(survey->rank.items + known, 0xff, (states - known) * sizeof *survey->rank.items); /* PES_NONE */
  return true;
}

static bool look(struct survey *survey, struct pes_stream *stream, struct error *error)
{
  struct pes_record records[PES_BATCH];
  uint32_t next = 0;
  size_t count;
  do {
    if (!pes_next(stream, records, &count, error) || !grow_rank(survey, pes_states_count(stream->states), error))
      return false;
    if (survey->records == 0 && count > 0)
      survey->begin = records[0].entry;
    survey->records += count;
    for (size_t i = 0; i < count; i++) {
      if (survey->rank.items[records[i].state] == PES_NONE)
        survey->rank.items[records[i].state] = next++;
    }
  } while (count > 0);
  survey->end = stream->end.time;
  return true;
}

static bool count_is_good(uint64_t count, struct error *error)
{
  if (count < LEAST)
    return error_set(error, "%" PRIu64 " samples: too few for a spectrum; at least %d", count, LEAST);
  if (count > SPECTRUM_SAMPLES_MAX)
    return error_set(error, "%" PRIu64 " samples: too many; at most %d", count, SPECTRUM_SAMPLES_MAX);
  if (count > SPECTRUM_EXACT_MAX && !spectrum_size_is_fair(count))
    return error_set(error,
                     "%" PRIu64
                     " samples: the transform would take too long, because the number has a large prime factor; "
                     "try --samples %" PRIu64,
                     count, spectrum_fast_size(count));
  return true;
}

/* All samples, or the next smaller number that is fast to transform. */
static uint64_t fitting(uint64_t count)
{
  if (count <= SPECTRUM_EXACT_MAX)
    return count;
  return spectrum_fast_size(count < SPECTRUM_SAMPLES_MAX ? count : SPECTRUM_SAMPLES_MAX);
}

static bool plan_events(struct raster *raster, const struct survey *survey, const struct spectrum_options *options,
                        struct error *error)
{
  if (options->samples > survey->records)
    return error_set(error, "--samples %" PRIu64 ": the sequence has only %" PRIu64 " records", options->samples,
                     survey->records);
  *raster = (struct raster){options->samples ? options->samples : fitting(survey->records), 1, 1};
  return count_is_good(raster->count, error);
}

static bool plan_time(struct raster *raster, const struct survey *survey, const struct spectrum_options *options,
                      struct error *error)
{
  uint64_t duration = survey->end - survey->begin;
  uint64_t usual = duration < TIME_SAMPLES ? duration : TIME_SAMPLES;
  if (options->delta == 0)
    *raster = (struct raster){options->samples ? options->samples : usual, duration, 1};
  else
    *raster =
        (struct raster){options->samples ? options->samples : fitting(duration / options->delta), options->delta, 1};
  if (!count_is_good(raster->count, error))
    return false;
  if (options->delta == 0)
    raster->parts = raster->count;
  if (options->delta != 0 && (raster->count - 1) > (duration - 1) / options->delta)
    return error_set(error, "%" PRIu64 " samples every %" PRIu64 " ticks: longer than the sequence, %" PRIu64 " ticks",
                     raster->count, options->delta, duration);
  return true;
}

/* A sample has the state of the last record that does not begin after it. */
static void take_record(struct samples *samples, uint64_t *taken, const struct raster *raster, uint64_t begin,
                        uint64_t next, uint32_t state)
{
  uint64_t before = *taken;
  while (*taken < raster->count && begin + (uint64_t)((unsigned __int128)*taken * raster->ticks / raster->parts) < next)
    samples->state[(*taken)++] = state;
  samples->not_sampled += *taken == before;
}

static bool fill(struct samples *samples, struct pes_stream *stream, const struct survey *survey,
                 const struct raster *raster, enum spectrum_domain domain, struct error *error)
{
  struct pes_record records[PES_BATCH], last = {0, 0};
  uint64_t taken = 0, seen = 0;
  size_t count;
  do {
    if (!pes_next(stream, records, &count, error))
      return false;
    for (size_t i = 0; i < count; i++, seen++) {
      if (records[i].state >= samples->states)
        return error_set(error, "the sequence changed while it was read");
      if (domain == SPECTRUM_EVENT && taken < raster->count)
        samples->state[taken++] = records[i].state;
      else if (domain == SPECTRUM_EVENT)
        samples->not_sampled++;
      else if (seen > 0)
        take_record(samples, &taken, raster, survey->begin, records[i].entry, last.state);
      last = records[i];
    }
  } while (count > 0);
  if (domain == SPECTRUM_TIME)
    take_record(samples, &taken, raster, survey->begin, survey->end, last.state);
  return taken == raster->count || error_set(error, "the sequence changed while it was read");
}

bool samples_take(struct samples *samples, struct pes_stream *stream, const struct spectrum_options *options,
                  struct error *error)
{
  struct survey survey = {0};
  struct raster raster = {0};
  *samples = (struct samples){0};
  bool good = pes_rewind(stream, error) && look(&survey, stream, error);
  if (good && survey.records == 0)
    good = error_set(error, "the sequence has no records");
  if (good && options->domain == SPECTRUM_TIME && survey.end == survey.begin)
    good = error_set(error, "the sequence has no duration; use --domain event");
  good = good && (options->domain == SPECTRUM_EVENT ? plan_events : plan_time)(&raster, &survey, options, error);
  if (good) {
    samples->state = malloc(raster.count * sizeof *samples->state);
    good = samples->state || error_set(error, "out of memory");
  }
  good = good && (samples->value = signal_values(&options->signal, stream, survey.rank.items, error)) != NULL;
  samples->count = raster.count;
  samples->states = pes_states_count(stream->states);
  samples->delta = raster.parts ? (double)raster.ticks / (double)raster.parts : 0;
  samples->records = survey.records;
  good = good && pes_rewind(stream, error) && fill(samples, stream, &survey, &raster, options->domain, error);
  vector_free(&survey.rank);
  return good;
}

void samples_free(struct samples *samples)
{
  free(samples->state);
  free(samples->value);
}
