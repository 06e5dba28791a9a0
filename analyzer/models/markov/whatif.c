#include "analyzer/models/markov/whatif.h"

#include <stdlib.h>

struct markov_whatif *markov_whatif(const struct markov_chain *chain, const double *factor)
{
  size_t n = (size_t)chain->p.n + 1;
  struct markov_whatif *whatif = calloc(1, sizeof *whatif);
  double *mean = calloc(n, sizeof *mean);
  if (whatif) {
    whatif->longrun = calloc(n, sizeof *whatif->longrun);
    whatif->cycles = calloc((size_t)chain->class_count + 1, sizeof *whatif->cycles);
  }
  if (!whatif || !mean || !whatif->longrun || !whatif->cycles) {
    free(mean);
    markov_whatif_free(whatif);
    return NULL;
  }
  for (uint32_t i = 0; i < chain->p.n; i++) {
    mean[i] = chain->mean[i] * factor[i];
    whatif->lead += chain->visits[i] * mean[i];
  }
  markov_chain_times(chain, mean, whatif->longrun, whatif->cycles);
  free(mean);
  return whatif;
}

void markov_whatif_free(struct markov_whatif *whatif)
{
  if (!whatif)
    return;
  free(whatif->longrun);
  free(whatif->cycles);
  free(whatif);
}

static int compare_bottlenecks(const void *left, const void *right)
{
  const struct markov_bottleneck *a = left, *b = right;
  if (a->saved != b->saved)
    return a->saved < b->saved ? 1 : -1;
  return (a->state > b->state) - (a->state < b->state);
}

/*
 * The cycle is the sum of its states' times, so halving one of them saves half of its part: no need to solve anything
 * again for each state.
 */
struct markov_bottleneck *markov_bottlenecks(const struct markov_chain *chain, uint32_t *count)
{
  struct markov_bottleneck *list = calloc((size_t)chain->p.n + 1, sizeof *list);
  *count = 0;
  if (!list)
    return NULL;
  const struct markov_class *class = &chain->classes[chain->main_class];
  for (uint32_t i = 0; i < chain->p.n; i++) {
    if (chain->class_of[i] != chain->main_class)
      continue;
    double in_cycle = chain->stationary[i] / chain->stationary[class->reference] * chain->mean[i];
    double saved = class->cycle > 0 ? in_cycle / 2 / class->cycle : 0;
    list[(*count)++] = (struct markov_bottleneck){.state = i,
                                                  .saved = saved,
                                                  .cycle = class->cycle - in_cycle / 2,
                                                  .longrun = saved < 1 ? saved / (1 - saved) : 0};
  }
  qsort(list, *count, sizeof *list, compare_bottlenecks);
  return list;
}
