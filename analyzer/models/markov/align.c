#include "analyzer/models/markov/align.h"

#include "analyzer/models/markov/durations.h"
#include "analyzer/models/markov/ensemble.h"
#include "analyzer/models/markov/model.h"

#include <math.h>
#include <stdlib.h>

#define ALIGN_PRIOR 0.5 /* added to each count, so that nothing is impossible */

struct place {
  uint64_t record, entry; /* record: UINT64_MAX: nowhere */
};

/* The most probable way to the present record that is in one phase now. */
struct way {
  double likelihood;                       /* its logarithm */
  struct place begins[MARKOV_SERIES_MOST]; /* by phase: its first record */
};

struct aligning {
  const struct markov_series *series;
  const struct markov_model *run;
  const uint32_t *map;
  struct markov_durations durations;
  double *edges, *classes; /* by phase, then the run's edge, or state and class: logarithms of probabilities */
  struct way *ways;        /* by phase */
  double price;            /* of a phase */
  uint64_t num, den;       /* ticks per second of the run and of the models; 0: unknown */
};

static const struct markov_state *align_state_of(const struct markov_model *model, uint32_t state)
{
  static const struct markov_state none;
  return state < model->count ? &model->list[state] : &none;
}

static void fill_edges(struct aligning *aligning, uint32_t phase)
{
  const struct markov_model *run = aligning->run, *model = aligning->series->models[phase];
  double *edges = &aligning->edges[(size_t)phase * run->edge_count];
  for (uint32_t i = 0; i < run->count; i++) {
    uint32_t from = aligning->map[i];
    double all = (double)align_state_of(model, from)->left + ALIGN_PRIOR * (run->list[i].edge_count + 1);
    for (uint32_t k = 0; k < run->list[i].edge_count; k++) {
      size_t edge =
          from < model->count ? markov_edge_index(model, from, aligning->map[run->list[i].edges[k].to]) : SIZE_MAX;
      double count = edge != SIZE_MAX ? (double)model->edges[edge].count : 0;
      edges[&run->list[i].edges[k] - run->edges] = log((count + ALIGN_PRIOR) / all);
    }
  }
}

/* A duration of the models in ticks of the run. */
static uint64_t in_run(const struct aligning *aligning, uint64_t ticks)
{
  bool same = aligning->num == aligning->den || aligning->num == 0 || aligning->den == 0;
  double scaled = (double)ticks * (double)aligning->num / (double)aligning->den;
  return same ? ticks : scaled < 0x1p63 ? (uint64_t)scaled : INT64_MAX;
}

static bool fill_classes(struct aligning *aligning, uint32_t phase)
{
  const struct markov_model *run = aligning->run, *model = aligning->series->models[phase];
  for (uint32_t i = 0; i < run->count; i++) {
    const struct markov_distribution *occupancy = &align_state_of(model, aligning->map[i])->occupancy;
    double *classes = &aligning->classes[((size_t)phase * run->count + i) * MARKOV_CLASSES];
    size_t count = 0;
    struct markov_cell *cells = occupancy->count > 0 ? markov_distribution_cells(occupancy, &count) : NULL;
    if (occupancy->count > 0 && !cells)
      return false;
    for (size_t k = 0; k < count; k++)
      classes[markov_duration_class(&aligning->durations, i, in_run(aligning, cells[k].high))] +=
          (double)cells[k].count;
    for (unsigned k = 0; k < MARKOV_CLASSES; k++)
      classes[k] = log((classes[k] + ALIGN_PRIOR) / ((double)occupancy->count + ALIGN_PRIOR * MARKOV_CLASSES));
    free(cells);
  }
  return true;
}

/* Begins phase `phase` with this record, after the best way of a phase before it. */
static void go_on(struct aligning *aligning, uint32_t before, uint32_t phase, const struct markov_step *step)
{
  struct way *way = &aligning->ways[phase];
  *way = aligning->ways[before];
  way->likelihood -= aligning->price;
  way->begins[phase] = (struct place){step->number, step->entry};
}

static void align_take(void *context, const struct markov_step *step)
{
  struct aligning *aligning = context;
  const struct markov_model *run = aligning->run;
  unsigned class = markov_duration_class(&aligning->durations, step->state, step->ticks);
  uint32_t best[MARKOV_SERIES_MOST] = {0}; /* by phase: the best one up to it */
  for (uint32_t i = 1; i < aligning->series->count; i++)
    best[i] = aligning->ways[i].likelihood > aligning->ways[best[i - 1]].likelihood ? i : best[i - 1];
  for (uint32_t i = aligning->series->count; i-- > 0;) {
    struct way *way = &aligning->ways[i];
    if (best[i] != i && aligning->ways[best[i]].likelihood - aligning->price > way->likelihood)
      go_on(aligning, best[i], i, step);
    way->likelihood += aligning->classes[((size_t)i * run->count + step->state) * MARKOV_CLASSES + class];
    if (step->edge != SIZE_MAX)
      way->likelihood += aligning->edges[(size_t)i * run->edge_count + step->edge];
  }
}

/* A run may begin in any phase. The first one is for nothing. */
static bool begin(struct aligning *aligning)
{
  const struct markov_model *run = aligning->run;
  size_t phases = aligning->series->count;
  aligning->edges = calloc(phases * run->edge_count + 1, sizeof *aligning->edges);
  aligning->classes = calloc(phases * run->count * MARKOV_CLASSES + 1, sizeof *aligning->classes);
  aligning->ways = calloc(phases, sizeof *aligning->ways);
  if (!aligning->edges || !aligning->classes || !aligning->ways || !markov_durations_begin(&aligning->durations, run))
    return false;
  aligning->price = log((double)run->records);
  for (uint32_t i = 0; i < phases; i++) {
    fill_edges(aligning, i);
    if (!fill_classes(aligning, i))
      return false;
    aligning->ways[i].likelihood = i > 0 ? -aligning->price : 0;
    for (uint32_t k = 0; k < phases; k++)
      aligning->ways[i].begins[k].record = UINT64_MAX;
    aligning->ways[i].begins[i].record = 0;
  }
  return true;
}

static void fill_stretches(const struct aligning *aligning, uint64_t begin, uint64_t end,
                           struct markov_comparison *comparison)
{
  const struct way *best = &aligning->ways[0];
  for (uint32_t i = 1; i < aligning->series->count; i++)
    best = aligning->ways[i].likelihood > best->likelihood ? &aligning->ways[i] : best;
  struct place next = {aligning->run->records, end};
  for (uint32_t i = aligning->series->count; i-- > 0;) {
    struct place first = best->begins[i];
    if (first.record == UINT64_MAX)
      continue;
    if (first.record == 0)
      first.entry = begin;
    comparison->list[i] = (struct markov_stretch){.first = first.record,
                                                  .records = next.record - first.record,
                                                  .begin = first.entry - begin,
                                                  .duration = next.entry - first.entry};
    next = first;
  }
}

bool markov_align(const struct markov_series *series, struct pes_stream *run, const uint32_t *map,
                  struct markov_comparison *comparison, struct error *error)
{
  struct markov_options rules = {MARKOV_DROP, MARKOV_RESTART, false};
  struct aligning aligning = {.series = series,
                              .map = map,
                              .num = run->program->ticks_per_second,
                              .den = series->models[0]->program->ticks_per_second};
  struct markov_model *model = markov_model_of(run, &rules, error);
  aligning.run = model;
  bool good = model && (begin(&aligning) || error_set(error, "out of memory")) &&
              markov_steps(run, model, align_take, &aligning, error);
  if (good)
    fill_stretches(&aligning, run->end.time - model->duration, run->end.time, comparison);
  markov_durations_free(&aligning.durations);
  free(aligning.edges);
  free(aligning.classes);
  free(aligning.ways);
  markov_model_free(model);
  return good;
}
