#include "analyzer/models/markov/run_sums.h"

#include <math.h>
#include <stdlib.h>

enum { STRETCH = 64, STRETCHES = MARKOV_BLOCKS_MOST / STRETCH, RARE = 10, QUARTILES = MARKOV_CLASSES - 1 };

/* The columns: time, visits and departures of the states, their visits beyond each quartile, transitions, time. */
static uint32_t column(const struct markov_ratio_table *table, unsigned group, uint32_t at)
{
  return group * table->chosen.states + at;
}

enum { TIME, VISITS, DEPARTURES, LONG, EDGES = LONG + QUARTILES };

static uint32_t time_column(const struct markov_ratio_table *table)
{
  return table->columns - 1;
}

static void add_ratio(struct markov_ratio_table *table, struct markov_ratio ratio)
{
  table->ratios[table->count++] = ratio;
}

static void add_durations(struct markov_ratio_table *table, uint32_t state, uint32_t at)
{
  const struct markov_distribution *occupancy = &table->model->list[state].occupancy;
  const uint64_t *quartiles = &table->durations.quartiles[(size_t)state * QUARTILES];
  uint32_t by = column(table, VISITS, at);
  if (occupancy->min == occupancy->max || occupancy->count < RARE)
    return;
  add_ratio(table, (struct markov_ratio){MARKOV_LASTS, state, 0, 0, column(table, TIME, at), by});
  for (uint32_t k = 0; k < QUARTILES; k++) {
    if (quartiles[k] < occupancy->max && (k == 0 || quartiles[k] > quartiles[k - 1]))
      add_ratio(table, (struct markov_ratio){MARKOV_LONGER, state, 0, quartiles[k], column(table, LONG + k, at), by});
  }
}

/* Adds the ratios that can differ, without the ratios of rare or certain transitions. */
static void add_ratios(struct markov_ratio_table *table)
{
  const struct markov_model *model = table->model;
  for (uint32_t i = 0; i < model->count; i++) {
    uint32_t at = table->chosen.state_at[i];
    if (at == UINT32_MAX)
      continue;
    add_ratio(table, (struct markov_ratio){MARKOV_TIME_IN, i, 0, 0, column(table, TIME, at), time_column(table)});
    add_durations(table, i, at);
    for (uint32_t k = 0; k < model->list[i].edge_count; k++) {
      const struct markov_edge *edge = &model->list[i].edges[k];
      uint32_t place = table->chosen.edge_at[edge - model->edges];
      if (place != UINT32_MAX && edge->count >= RARE && model->list[i].left - edge->count >= RARE)
        add_ratio(table, (struct markov_ratio){MARKOV_GOES_TO, i, edge->to, 0, column(table, EDGES, 0) + place,
                                               column(table, DEPARTURES, at)});
    }
  }
}

bool markov_ratio_table_begin(struct markov_ratio_table *table, const struct markov_model *model)
{
  *table = (struct markov_ratio_table){.model = model};
  if (!markov_blocks_begin(&table->chosen, model) || !markov_durations_begin(&table->durations, model))
    return false;
  table->columns = column(table, EDGES, 0) + table->chosen.edges + 1;
  table->ratios = calloc(table->columns, sizeof *table->ratios);
  if (table->ratios)
    add_ratios(table);
  return table->ratios;
}

void markov_ratio_table_free(struct markov_ratio_table *table)
{
  markov_blocks_free(&table->chosen);
  markov_durations_free(&table->durations);
  free(table->ratios);
}

/* Returns the index of a block's sums; SIZE_MAX: not kept. A run with too many blocks keeps evenly spaced stretches. */
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

static void count_record(const struct markov_ratio_table *table, double *sums, uint32_t state, uint64_t ticks,
                         uint32_t next)
{
  uint32_t at = table->chosen.state_at[state];
  size_t edge = next == PES_NONE ? SIZE_MAX : markov_edge_index(table->model, state, next);
  sums[time_column(table)] += (double)ticks;
  if (at == UINT32_MAX)
    return;
  unsigned class = markov_duration_class(&table->durations, state, ticks);
  sums[column(table, TIME, at)] += (double)ticks;
  sums[column(table, VISITS, at)]++;
  sums[column(table, DEPARTURES, at)] += next != PES_NONE;
  for (uint32_t k = 0; k < class; k++)
    sums[column(table, LONG + k, at)]++;
  if (edge != SIZE_MAX && table->chosen.edge_at[edge] != UINT32_MAX)
    sums[column(table, EDGES, 0) + table->chosen.edge_at[edge]]++;
}

struct sums_reading {
  const struct markov_ratio_table *table;
  const struct markov_compared_run *run;
  struct markov_sums *sums;
  uint64_t blocks, number; /* number: of the record */
};

static void sums_take(struct sums_reading *reading, const struct pes_record *record, uint64_t until, uint32_t next)
{
  const struct markov_compared_run *run = reading->run;
  uint64_t ticks = until - record->entry;
  if (run->num != run->den)
    ticks = (uint64_t)((unsigned __int128)ticks * run->num / run->den);
  size_t place = place_of(reading->number++ / reading->sums->length, reading->blocks);
  if (place != SIZE_MAX)
    count_record(reading->table, &reading->sums->blocks[place * reading->table->columns], record->state, ticks, next);
  count_record(reading->table, reading->sums->all, record->state, ticks, next);
}

static bool read_run(struct sums_reading *reading, struct error *error)
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
        sums_take(reading, &last, record.entry, record.state);
      last = record;
    }
  }
  if (good && last.state != PES_NONE)
    sums_take(reading, &last, stream->end.time, PES_NONE);
  free(records);
  return good;
}

bool markov_sums_read(const struct markov_ratio_table *table, const struct markov_compared_run *run, uint64_t length,
                      struct markov_sums *sums, struct error *error)
{
  uint64_t blocks = run->records / length;
  *sums = (struct markov_sums){.length = length,
                               .count = (uint32_t)(blocks < MARKOV_BLOCKS_MOST ? blocks : MARKOV_BLOCKS_MOST)};
  sums->blocks = calloc((size_t)sums->count * table->columns + 1, sizeof *sums->blocks);
  sums->all = calloc(table->columns, sizeof *sums->all);
  if (!sums->blocks || !sums->all)
    return error_set(error, "out of memory");
  struct sums_reading reading = {.table = table, .run = run, .sums = sums, .blocks = blocks};
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

uint32_t markov_residuals(const struct markov_ratio_table *table, const struct markov_sums *sums, uint32_t joined,
                          const struct markov_ratio *ratio, double expected, double *values)
{
  uint32_t blocks = sums->count / joined;
  for (uint32_t i = 0; i < blocks; i++) {
    values[i] = 0;
    for (uint32_t k = 0; k < joined; k++) {
      const double *own = &sums->blocks[((size_t)i * joined + k) * table->columns];
      values[i] += own[ratio->of] - expected * own[ratio->by];
    }
  }
  return blocks;
}
