#include "analyzer/models/spectrum/samples.h"

#include "analyzer/models/spectrum/signal.h"
#include "analyzer/models/spectrum/size.h"
#include "base/vector.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { TIME_SAMPLES = 4096, LEAST = 4 };

/* The results of the first reading. */
struct survey {
  uint64_t records, begin, end;
  VECTOR(uint32_t) rank; /* of each state, in order of first appearance; PES_NONE: it has not appeared */
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
  samples->unseen += *taken == before;
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
        samples->unseen++;
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
