#include "analyzer/models/markov/run_sums.h"

#include <math.h>
#include <stdlib.h>

enum { STRETCH = 64, STRETCHES = MARKOV_BLOCKS_MOST / STRETCH, RARE = 10, QUARTILES = MARKOV_CLASSES - 1 };

/* The columns: time, visits and departures of the states, their visits beyond each quartile, transitions, time. */
static uint32_t column(const struct markov_tally *tally, unsigned group, uint32_t at)
{
  return group * tally->chosen.states + at;
}

enum { TIME, VISITS, DEPARTURES, LONG, EDGES = LONG + QUARTILES };

static uint32_t time_column(const struct markov_tally *tally)
{
  return tally->columns - 1;
}

static void add_ratio(struct markov_tally *tally, struct markov_ratio ratio)
{
  tally->ratios[tally->count++] = ratio;
}

static void add_durations(struct markov_tally *tally, uint32_t state, uint32_t at)
{
  const struct markov_distribution *occupancy = &tally->model->list[state].occupancy;
  const uint64_t *quartiles = &tally->durations.quartiles[(size_t)state * QUARTILES];
  uint32_t by = column(tally, VISITS, at);
  if (occupancy->min == occupancy->max || occupancy->count < RARE)
    return;
  add_ratio(tally, (struct markov_ratio){MARKOV_LASTS, state, 0, 0, column(tally, TIME, at), by});
  for (uint32_t k = 0; k < QUARTILES; k++) {
    if (quartiles[k] < occupancy->max && (k == 0 || quartiles[k] > quartiles[k - 1]))
      add_ratio(tally, (struct markov_ratio){MARKOV_LONGER, state, 0, quartiles[k], column(tally, LONG + k, at), by});
  }
}

/* What can differ: rare transitions, and those that are sure, cannot. */
static void add_ratios(struct markov_tally *tally)
{
  const struct markov_model *model = tally->model;
  for (uint32_t i = 0; i < model->count; i++) {
    uint32_t at = tally->chosen.state_at[i];
    if (at == UINT32_MAX)
      continue;
    add_ratio(tally, (struct markov_ratio){MARKOV_TIME_IN, i, 0, 0, column(tally, TIME, at), time_column(tally)});
    add_durations(tally, i, at);
    for (uint32_t k = 0; k < model->list[i].edge_count; k++) {
      const struct markov_edge *edge = &model->list[i].edges[k];
      uint32_t place = tally->chosen.edge_at[edge - model->edges];
      if (place != UINT32_MAX && edge->count >= RARE && model->list[i].left - edge->count >= RARE)
        add_ratio(tally, (struct markov_ratio){MARKOV_GOES_TO, i, edge->to, 0, column(tally, EDGES, 0) + place,
                                               column(tally, DEPARTURES, at)});
    }
  }
}

bool markov_tally_begin(struct markov_tally *tally, const struct markov_model *model)
{
  *tally = (struct markov_tally){.model = model};
  if (!markov_blocks_begin(&tally->chosen, model) || !markov_durations_begin(&tally->durations, model))
    return false;
  tally->columns = column(tally, EDGES, 0) + tally->chosen.edges + 1;
  tally->ratios = calloc(tally->columns, sizeof *tally->ratios);
  if (tally->ratios)
    add_ratios(tally);
  return tally->ratios;
}

void markov_tally_free(struct markov_tally *tally)
{
  markov_blocks_free(&tally->chosen);
  markov_durations_free(&tally->durations);
  free(tally->ratios);
}

/* Where a block's sums are. Stretches of a run with too many blocks are chosen evenly. SIZE_MAX: it is not kept. */
static size_t place_of(uint64_t block, uint64_t blocks)
{
  if (block >= blocks)
    return SIZE_MAX;
  if (blocks <= MARKOV_BLOCKS_MOST)
    return (size_t)block;
  uint64_t stretches = blocks / STRETCH, stretch = block / STRETCH;
  uint64_t kept = (stretch * STRETCHES + stretches - 1) / stretches;
  bool is_kept = kept < STRETCHES && kept * stretches / STRETCHES == stretch;
  return is_kept ? (size_t)(kept * STRETCH + block % STRETCH) : SIZE_MAX;
}

static void count_record(const struct markov_tally *tally, double *sums, uint32_t state, uint64_t ticks, uint32_t next)
{
  uint32_t at = tally->chosen.state_at[state];
  size_t edge = next == PES_NONE ? SIZE_MAX : markov_edge_index(tally->model, state, next);
  sums[time_column(tally)] += (double)ticks;
  if (at == UINT32_MAX)
    return;
  unsigned class = markov_duration_class(&tally->durations, state, ticks);
  sums[column(tally, TIME, at)] += (double)ticks;
  sums[column(tally, VISITS, at)]++;
  sums[column(tally, DEPARTURES, at)] += next != PES_NONE;
  for (uint32_t k = 0; k < class; k++)
    sums[column(tally, LONG + k, at)]++;
  if (edge != SIZE_MAX && tally->chosen.edge_at[edge] != UINT32_MAX)
    sums[column(tally, EDGES, 0) + tally->chosen.edge_at[edge]]++;
}

struct tally_reading {
  const struct markov_tally *tally;
  const struct markov_tallied *run;
  struct markov_sums *sums;
  uint64_t blocks, number; /* number: of the record */
};

static void tally_take(struct tally_reading *reading, const struct pes_record *record, uint64_t until, uint32_t next)
{
  const struct markov_tallied *run = reading->run;
  uint64_t ticks = until - record->entry;
  if (run->num != run->den)
    ticks = (uint64_t)((unsigned __int128)ticks * run->num / run->den);
  size_t place = place_of(reading->number++ / reading->sums->length, reading->blocks);
  if (place != SIZE_MAX)
    count_record(reading->tally, &reading->sums->blocks[place * reading->tally->columns], record->state, ticks, next);
  count_record(reading->tally, reading->sums->all, record->state, ticks, next);
}

static bool read_run(struct tally_reading *reading, struct error *error)
{
  struct pes_stream *stream = reading->run->stream;
  struct pes_record *records = malloc(PES_BATCH * sizeof *records), last = {.state = PES_NONE};
  size_t batch = 1;
  bool good = records ? pes_rewind(stream, error) : error_set(error, "out of memory");
  while (good && batch > 0) {
    good = pes_next(stream, records, &batch, error);
    for (size_t i = 0; good && i < batch; i++) {
      struct pes_record record = {records[i].entry, reading->run->map[records[i].state]};
      if (last.state != PES_NONE)
        tally_take(reading, &last, record.entry, record.state);
      last = record;
    }
  }
  if (good && last.state != PES_NONE)
    tally_take(reading, &last, stream->end.time, PES_NONE);
  free(records);
  return good;
}

bool markov_tally_read(const struct markov_tally *tally, const struct markov_tallied *run, uint64_t length,
                       struct markov_sums *sums, struct error *error)
{
  uint64_t blocks = run->records / length;
  *sums = (struct markov_sums){.length = length,
                               .count = (uint32_t)(blocks < MARKOV_BLOCKS_MOST ? blocks : MARKOV_BLOCKS_MOST)};
  sums->blocks = calloc((size_t)sums->count * tally->columns + 1, sizeof *sums->blocks);
  sums->all = calloc(tally->columns, sizeof *sums->all);
  if (!sums->blocks || !sums->all)
    return error_set(error, "out of memory");
  struct tally_reading reading = {.tally = tally, .run = run, .sums = sums, .blocks = blocks};
  return read_run(&reading, error);
}

void markov_sums_free(struct markov_sums *sums)
{
  free(sums->blocks);
  free(sums->all);
  *sums = (struct markov_sums){0};
}

double markov_ratio_of(const struct markov_ratio *ratio, const double *sums)
{
  return sums[ratio->by] > 0 ? sums[ratio->of] / sums[ratio->by] : NAN;
}

uint32_t markov_residuals(const struct markov_tally *tally, const struct markov_sums *sums, uint32_t joined,
                          const struct markov_ratio *ratio, double expected, double *values)
{
  uint32_t blocks = sums->count / joined;
  for (uint32_t i = 0; i < blocks; i++) {
    values[i] = 0;
    for (uint32_t k = 0; k < joined; k++) {
      const double *own = &sums->blocks[((size_t)i * joined + k) * tally->columns];
      values[i] += own[ratio->of] - expected * own[ratio->by];
    }
  }
  return blocks;
}
