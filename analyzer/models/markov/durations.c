#include "analyzer/models/markov/durations.h"

#include <stdlib.h>

enum { FEW = 160 }; /* transitions, such that sixteen classes would have less than ten each */

/* Thresholds that split the visits as evenly as equal durations allow. */
static bool find_quartiles(const struct markov_distribution *occupancy, uint64_t *quartiles)
{
  size_t count, at = 0;
  uint64_t below = 0;
  struct markov_cell *cells = markov_distribution_cells(occupancy, &count);
  for (unsigned i = 1; cells && i < MARKOV_CLASSES; i++) {
    while (at + 1 < count && (below + cells[at].count) * MARKOV_CLASSES < i * occupancy->count)
      below += cells[at++].count;
    quartiles[i - 1] = cells[at].high;
  }
  bool good = cells || occupancy->count == 0;
  free(cells);
  return good;
}

bool markov_durations_begin(struct markov_durations *durations, const struct markov_model *run)
{
  *durations = (struct markov_durations){.run = run};
  durations->quartiles = calloc((size_t)run->count * (MARKOV_CLASSES - 1) + 1, sizeof *durations->quartiles);
  durations->pairs = calloc(run->edge_count * MARKOV_CLASS_PAIRS + 1, sizeof *durations->pairs);
  bool good = durations->quartiles && durations->pairs;
  for (uint32_t i = 0; good && i < run->count; i++)
    good = find_quartiles(&run->list[i].occupancy, &durations->quartiles[(size_t)i * (MARKOV_CLASSES - 1)]);
  return good;
}

void markov_durations_free(struct markov_durations *durations)
{
  free(durations->quartiles);
  free(durations->pairs);
  *durations = (struct markov_durations){0};
}

static struct markov_table_cell *make_cells(const struct markov_durations *durations)
{
  return calloc(durations->run->edge_count * MARKOV_CLASS_PAIRS + 1, sizeof(struct markov_table_cell));
}

/* The class in a table of so many transitions: halves instead of quarters where quarters would be too few. */
static uint32_t class_among(uint32_t class, uint64_t count)
{
  return count < FEW ? class / 2 : class;
}

bool markov_durations_consecutive(const struct markov_durations *durations, struct markov_independence *result)
{
  const struct markov_model *run = durations->run;
  struct markov_table_cell *cells = make_cells(durations);
  size_t used = 0;
  for (size_t i = 0; cells && i < run->edge_count * MARKOV_CLASS_PAIRS; i++) {
    size_t edge = i / MARKOV_CLASS_PAIRS, pair = i % MARKOV_CLASS_PAIRS;
    uint64_t count = run->edges[edge].count;
    if (durations->pairs[i] > 0)
      cells[used++] = (struct markov_table_cell){.table = (uint32_t)edge,
                                                 .row = class_among((uint32_t)pair / MARKOV_CLASSES, count),
                                                 .column = class_among((uint32_t)pair % MARKOV_CLASSES, count),
                                                 .count = durations->pairs[i]};
  }
  bool good = cells && markov_independence_test(cells, used, MARKOV_CLASSES, result);
  free(cells);
  return good;
}

static uint64_t sum_class(const uint64_t *pairs, uint32_t class)
{
  uint64_t sum = 0;
  for (uint32_t after = 0; after < MARKOV_CLASSES; after++)
    sum += pairs[class * MARKOV_CLASSES + after];
  return sum;
}

bool markov_durations_next(const struct markov_durations *durations, struct markov_independence *result)
{
  const struct markov_model *run = durations->run;
  struct markov_table_cell *cells = make_cells(durations);
  size_t used = 0;
  for (uint32_t state = 0; cells && state < run->count; state++) {
    const struct markov_state *own = &run->list[state];
    for (uint32_t k = 0; k < own->edge_count; k++) {
      const uint64_t *pairs = &durations->pairs[(size_t)(&own->edges[k] - run->edges) * MARKOV_CLASS_PAIRS];
      for (uint32_t class = 0; class < MARKOV_CLASSES; class ++) {
        uint64_t count = sum_class(pairs, class);
        if (count > 0)
          cells[used++] = (struct markov_table_cell){state, class_among(class, own->left), own->edges[k].to, count};
      }
    }
  }
  bool good = cells && markov_independence_test(cells, used, run->count, result);
  free(cells);
  return good;
}
