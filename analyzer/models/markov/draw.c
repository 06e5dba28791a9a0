#include "analyzer/models/markov/draw.h"

#include <stdlib.h>

/* A running sum of counts: what is drawn below `upto` and not below the one before is this one. */
struct choice {
  uint64_t upto;
  uint64_t low, span; /* occupancies: low to low + span */
};

struct draw_table {
  struct choice *choices;
  size_t count;
};

struct markov_drawer {
  const struct markov_model *model;
  struct draw_table *occupancies; /* by state */
  struct draw_table *successors;  /* by state; `low` is the next one */
  struct draw_table starts;
};

static const struct choice *draw(const struct draw_table *table, struct markov_random *random)
{
  if (table->count == 0)
    return NULL;
  uint64_t drawn = markov_random_below(random, table->choices[table->count - 1].upto);
  size_t low = 0, high = table->count - 1;
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (drawn < table->choices[middle].upto)
      high = middle;
    else
      low = middle + 1;
  }
  return &table->choices[low];
}

static void draw_put(struct draw_table *table, uint64_t count, uint64_t low, uint64_t high)
{
  uint64_t before = table->count > 0 ? table->choices[table->count - 1].upto : 0;
  table->choices[table->count++] = (struct choice){before + count, low, high - low};
}

static bool make_occupancies(struct draw_table *table, const struct markov_distribution *occupancy)
{
  size_t count;
  struct markov_cell *cells = markov_distribution_cells(occupancy, &count);
  table->choices = calloc(count + 1, sizeof *table->choices);
  bool good = table->choices && (cells || occupancy->used == 0);
  for (size_t i = 0; good && i < count; i++)
    draw_put(table, cells[i].count, cells[i].low, cells[i].high);
  free(cells);
  return good;
}

static bool make_successors(struct draw_table *table, const struct markov_state *state)
{
  table->choices = calloc((size_t)state->edge_count + 1, sizeof *table->choices);
  for (uint32_t i = 0; table->choices && i < state->edge_count; i++)
    draw_put(table, state->edges[i].count, state->edges[i].to, state->edges[i].to);
  return table->choices;
}

struct markov_drawer *markov_drawer_create(const struct markov_model *model)
{
  size_t n = (size_t)model->count + 1;
  struct markov_drawer *drawer = calloc(1, sizeof *drawer);
  if (!drawer)
    return NULL;
  drawer->model = model;
  drawer->occupancies = calloc(n, sizeof *drawer->occupancies);
  drawer->successors = calloc(n, sizeof *drawer->successors);
  drawer->starts.choices = calloc(n, sizeof *drawer->starts.choices);
  bool good = drawer->occupancies && drawer->successors && drawer->starts.choices;
  for (uint32_t i = 0; good && i < model->count; i++) {
    good = make_occupancies(&drawer->occupancies[i], &model->list[i].occupancy) &&
           make_successors(&drawer->successors[i], &model->list[i]);
    if (model->list[i].starts > 0)
      draw_put(&drawer->starts, model->list[i].starts, i, i);
  }
  if (good)
    return drawer;
  markov_drawer_free(drawer);
  return NULL;
}

void markov_drawer_free(struct markov_drawer *drawer)
{
  if (!drawer)
    return;
  for (uint32_t i = 0; i < drawer->model->count; i++) {
    if (drawer->occupancies)
      free(drawer->occupancies[i].choices);
    if (drawer->successors)
      free(drawer->successors[i].choices);
  }
  free(drawer->occupancies);
  free(drawer->successors);
  free(drawer->starts.choices);
  free(drawer);
}

uint32_t markov_draw_start(const struct markov_drawer *drawer, struct markov_random *random)
{
  const struct choice *choice = draw(&drawer->starts, random);
  return choice ? (uint32_t)choice->low : PES_NONE;
}

uint32_t markov_draw_next(const struct markov_drawer *drawer, uint32_t state, struct markov_random *random)
{
  const struct choice *choice = draw(&drawer->successors[state], random);
  if (choice)
    return (uint32_t)choice->low;
  return drawer->model->options.ends == MARKOV_RESTART ? markov_draw_start(drawer, random) : PES_NONE;
}

uint64_t markov_draw_ticks(const struct markov_drawer *drawer, uint32_t state, struct markov_random *random)
{
  const struct choice *choice = draw(&drawer->occupancies[state], random);
  if (!choice)
    return 0;
  return choice->span == 0 ? choice->low : choice->low + markov_random_below(random, choice->span + 1);
}
