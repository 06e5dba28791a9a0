#include "analyzer/models/markov/chain.h"

#include "analyzer/models/markov/solve.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool restarts(const struct markov_model *model, uint32_t state)
{
  return model->options.ends == MARKOV_RESTART && model->list[state].left == 0 && markov_state_is_used(model, state);
}

static void chain_put(struct markov_matrix *p, uint32_t row, uint32_t column, double value)
{
  p->column[p->row[row + 1]] = column;
  p->value[p->row[row + 1]++] = value;
}

static bool make_matrix(struct markov_chain *chain)
{
  const struct markov_model *model = chain->model;
  uint64_t starts = markov_model_starts(model);
  size_t starters = 0;
  for (uint32_t i = 0; i < model->count; i++) {
    starters += model->list[i].starts > 0;
    chain->restarts += restarts(model, i);
  }
  if (!markov_matrix_create(&chain->p, model->count, model->edge_count + chain->restarts * starters))
    return false;
  for (uint32_t i = 0; i < model->count; i++) {
    const struct markov_state *state = &model->list[i];
    chain->p.row[i + 1] = chain->p.row[i];
    for (uint32_t k = 0; k < state->edge_count; k++)
      chain_put(&chain->p, i, state->edges[k].to, (double)state->edges[k].count / (double)state->left);
    for (uint32_t to = 0; restarts(model, i) && to < model->count; to++) {
      if (model->list[to].starts > 0)
        chain_put(&chain->p, i, to, (double)model->list[to].starts / (double)starts);
    }
  }
  return true;
}

/* Numbers the recurrent classes: the classes that nothing leaves. */
static bool find_recurrent(struct markov_chain *chain, const bool *used)
{
  const struct markov_matrix *p = &chain->p;
  uint32_t all = markov_classes(p, used, chain->class_of);
  if (all == UINT32_MAX)
    return false;
  bool *left = calloc((size_t)all + 1, sizeof *left);
  uint32_t *number = calloc((size_t)all + 1, sizeof *number);
  chain->classes = calloc((size_t)all + 1, sizeof *chain->classes);
  bool good = left && number && chain->classes;
  for (uint32_t i = 0; good && i < p->n; i++) {
    for (size_t k = p->row[i]; k < p->row[i + 1]; k++)
      left[chain->class_of[i]] |= chain->class_of[p->column[k]] != chain->class_of[i];
  }
  for (uint32_t i = 0; good && i < all; i++)
    number[i] = left[i] ? UINT32_MAX : chain->class_count++;
  for (uint32_t i = 0; good && i < p->n; i++) {
    if (chain->class_of[i] == UINT32_MAX)
      continue;
    chain->used++;
    chain->class_of[i] = number[chain->class_of[i]];
    if (chain->class_of[i] == UINT32_MAX)
      chain->transient++;
    else
      chain->classes[chain->class_of[i]].states++;
  }
  free(left);
  free(number);
  return good;
}

/* Index of each state among the states of its class, or with UINT32_MAX among the transient ones. */
static uint32_t make_ranks(const struct markov_chain *chain, const bool *used, uint32_t of_class, uint32_t *rank)
{
  uint32_t n = 0;
  for (uint32_t i = 0; i < chain->p.n; i++)
    rank[i] = used[i] && chain->class_of[i] == of_class ? n++ : UINT32_MAX;
  return n;
}

/* Visits to transient states, v = starts + v Q, and from them where runs end up. */
static bool solve_transient(struct markov_chain *chain, const bool *used, uint32_t *rank, double *x)
{
  const struct markov_matrix *p = &chain->p;
  uint32_t n = make_ranks(chain, used, UINT32_MAX, rank);
  double starts = (double)markov_model_starts(chain->model);
  struct markov_matrix part = {0}, in = {0};
  double *b = calloc((size_t)n + 1, sizeof *b);
  bool good = b && markov_matrix_part(&part, p, rank, n) && markov_matrix_transpose(&in, &part);
  for (uint32_t i = 0; good && i < p->n; i++) {
    if (rank[i] != UINT32_MAX)
      b[rank[i]] = (double)chain->model->list[i].starts / starts;
    else if (used[i])
      chain->classes[chain->class_of[i]].probability += (double)chain->model->list[i].starts / starts;
  }
  good = good && (n == 0 || markov_linear(&in, b, x, &chain->effort));
  for (uint32_t i = 0; good && i < p->n; i++) {
    if (rank[i] == UINT32_MAX)
      continue;
    chain->visits[i] = x[rank[i]];
    chain->lead += x[rank[i]] * chain->mean[i];
    for (size_t k = p->row[i]; k < p->row[i + 1]; k++) {
      uint32_t to = chain->class_of[p->column[k]];
      if (to != UINT32_MAX)
        chain->classes[to].probability += x[rank[i]] * p->value[k];
    }
  }
  free(b);
  markov_matrix_free(&part);
  markov_matrix_free(&in);
  return good;
}

/* Returns the reference state of a class: the state with the most time; if no time passes, with the most visits. */
static uint32_t find_reference(const struct markov_chain *chain, const uint32_t *rank, bool by_time)
{
  uint32_t best = UINT32_MAX;
  double most = 0;
  for (uint32_t i = 0; i < chain->p.n; i++) {
    double weight = chain->stationary[i] * (by_time ? chain->mean[i] : 1);
    if (rank[i] != UINT32_MAX &&
        (best == UINT32_MAX || weight > most * (1 + 1e-9))) { /* equal ones differ by rounding */
      best = i;
      most = weight;
    }
  }
  return best;
}

static bool solve_class(struct markov_chain *chain, uint32_t number, const bool *used, uint32_t *rank, double *x)
{
  struct markov_class *class = &chain->classes[number];
  struct markov_matrix part = {0};
  uint32_t n = make_ranks(chain, used, number, rank);
  bool good = markov_matrix_part(&part, &chain->p, rank, n) && markov_stationary(&part, x, &chain->effort);
  markov_matrix_free(&part);
  if (!good)
    return false;
  double total = 0;
  for (uint32_t i = 0; i < chain->p.n; i++) {
    if (rank[i] == UINT32_MAX)
      continue;
    chain->stationary[i] = x[rank[i]];
    total += x[rank[i]] * chain->mean[i];
  }
  class->reference = find_reference(chain, rank, total > 0);
  class->period = markov_period(&chain->p, chain->class_of, class->reference);
  return class->period != UINT32_MAX;
}

/*
 * Computes long-run parts and cycle times of the classes for other mean occupancies, with the same transition
 * probabilities. `cycles` has chain->class_count elements, each for the reference state of its class.
 */
static void chain_times(const struct markov_chain *chain, const double *mean, double *longrun, double *cycles)
{
  for (uint32_t c = 0; c < chain->class_count; c++)
    cycles[c] = 0;
  for (uint32_t i = 0; i < chain->p.n; i++) {
    uint32_t class = chain->class_of[i];
    longrun[i] = class == UINT32_MAX ? 0 : chain->stationary[i] * mean[i];
    if (class != UINT32_MAX)
      cycles[class] += longrun[i];
  }
  for (uint32_t i = 0; i < chain->p.n; i++) {
    uint32_t class = chain->class_of[i];
    if (class != UINT32_MAX && cycles[class] > 0)
      longrun[i] *= chain->classes[class].probability / cycles[class];
  }
  for (uint32_t c = 0; c < chain->class_count; c++)
    cycles[c] /= chain->stationary[chain->classes[c].reference];
}

static void finish(struct markov_chain *chain, double *cycles)
{
  for (uint32_t c = 0; c < chain->class_count; c++) {
    if (chain->classes[c].probability > chain->classes[chain->main_class].probability * (1 + 1e-9))
      chain->main_class = c;
  }
  chain_times(chain, chain->mean, chain->longrun, cycles);
  for (uint32_t c = 0; c < chain->class_count; c++)
    chain->classes[c].cycle = cycles[c];
  for (uint32_t i = 0; i < chain->p.n; i++) {
    uint32_t class = chain->class_of[i];
    chain->recurrence[i] =
        class == UINT32_MAX
            ? INFINITY
            : chain->classes[class].cycle * chain->stationary[chain->classes[class].reference] / chain->stationary[i];
  }
}

static bool chain_solve(struct markov_chain *chain, bool *used, uint32_t *rank, double *x)
{
  for (uint32_t i = 0; i < chain->model->count; i++) {
    used[i] = markov_state_is_used(chain->model, i);
    chain->mean[i] = markov_distribution_mean(&chain->model->list[i].occupancy);
  }
  bool good = make_matrix(chain) && find_recurrent(chain, used) && solve_transient(chain, used, rank, x);
  for (uint32_t c = 0; good && c < chain->class_count; c++)
    good = solve_class(chain, c, used, rank, x);
  if (good)
    finish(chain, x);
  return good;
}

struct markov_chain *markov_chain_solve(const struct markov_model *model)
{
  size_t n = (size_t)model->count + 1;
  struct markov_chain *chain = calloc(1, sizeof *chain);
  if (!chain)
    return NULL;
  chain->model = model;
  chain->mean = calloc(n, sizeof *chain->mean);
  chain->class_of = calloc(n, sizeof *chain->class_of);
  chain->stationary = calloc(n, sizeof *chain->stationary);
  chain->longrun = calloc(n, sizeof *chain->longrun);
  chain->recurrence = calloc(n, sizeof *chain->recurrence);
  chain->visits = calloc(n, sizeof *chain->visits);
  bool *used = calloc(n, sizeof *used);
  uint32_t *rank = calloc(n, sizeof *rank);
  double *x = calloc(n, sizeof *x);
  bool good = chain->mean && chain->class_of && chain->stationary && chain->longrun && chain->recurrence &&
              chain->visits && used && rank && x && chain_solve(chain, used, rank, x);
  free(used);
  free(rank);
  free(x);
  if (good)
    return chain;
  markov_chain_free(chain);
  return NULL;
}

void markov_chain_free(struct markov_chain *chain)
{
  if (!chain)
    return;
  markov_matrix_free(&chain->p);
  free(chain->mean);
  free(chain->class_of);
  free(chain->classes);
  free(chain->stationary);
  free(chain->longrun);
  free(chain->recurrence);
  free(chain->visits);
  free(chain);
}

/* Mean first-passage times. */

/* Marks states that lead to a marked state, not through `barrier`. `in` has the transposed transitions. */
static bool mark_sources(const struct markov_matrix *in, uint32_t barrier, bool *mark)
{
  uint32_t *queue = malloc(((size_t)in->n + 1) * sizeof *queue), tail = 0;
  if (!queue)
    return false;
  for (uint32_t i = 0; i < in->n; i++) {
    if (mark[i])
      queue[tail++] = i;
  }
  for (uint32_t head = 0; head < tail; head++) {
    for (size_t k = in->row[queue[head]]; k < in->row[queue[head] + 1]; k++) {
      uint32_t from = in->column[k];
      if (mark[from] || from == barrier)
        continue;
      mark[from] = true;
      queue[tail++] = from;
    }
  }
  free(queue);
  return true;
}

/* certain[i]: from i the target is entered sooner or later, for sure. */
static bool find_certain(const struct markov_chain *chain, uint32_t target, bool *certain)
{
  struct markov_matrix in = {0};
  size_t n = chain->p.n;
  bool *reaches = calloc(n + 1, sizeof *reaches);
  bool good = reaches && markov_matrix_transpose(&in, &chain->p);
  if (good) {
    reaches[target] = true;
    good = mark_sources(&in, UINT32_MAX, reaches);
  }
  for (size_t i = 0; good && i < n; i++)
    certain[i] = !reaches[i]; /* for the moment: where the target is lost, and what may lead there */
  good = good && mark_sources(&in, target, certain);
  for (size_t i = 0; good && i < n; i++)
    certain[i] = !certain[i];
  free(reaches);
  markov_matrix_free(&in);
  return good;
}

/* h_i = m_i + sum over j other than the target of p_ij h_j. */
static bool solve_passage(const struct markov_chain *chain, uint32_t target, const bool *certain, double *ticks,
                          struct markov_effort *effort)
{
  const struct markov_matrix *p = &chain->p;
  uint32_t n = 0, *rank = malloc(((size_t)p->n + 1) * sizeof *rank);
  double *b = calloc(2 * (size_t)p->n + 2, sizeof *b), *x = b ? b + p->n + 1 : NULL;
  struct markov_matrix part = {0};
  bool good = rank && b;
  for (uint32_t i = 0; good && i < p->n; i++) {
    rank[i] = certain[i] && i != target && markov_state_is_used(chain->model, i) ? n++ : UINT32_MAX;
    if (rank[i] != UINT32_MAX)
      b[rank[i]] = chain->mean[i];
  }
  good = good && markov_matrix_part(&part, p, rank, n) && (n == 0 || markov_linear(&part, b, x, effort));
  for (uint32_t i = 0; good && i < p->n; i++)
    ticks[i] = rank[i] != UINT32_MAX ? x[rank[i]] : markov_state_is_used(chain->model, i) ? INFINITY : NAN;
  if (good) {
    ticks[target] = chain->mean[target];
    double rest = 0;
    for (size_t k = p->row[target]; k < p->row[target + 1]; k++)
      rest += p->column[k] == target ? 0 : p->value[k] * ticks[p->column[k]];
    bool returns = p->row[target] < p->row[target + 1];
    ticks[target] = returns ? ticks[target] + rest : INFINITY;
  }
  free(rank);
  free(b);
  markov_matrix_free(&part);
  return good;
}

bool markov_chain_passage(const struct markov_chain *chain, uint32_t target, double *ticks,
                          struct markov_effort *effort)
{
  bool *certain = calloc((size_t)chain->p.n + 1, sizeof *certain);
  bool good = certain && find_certain(chain, target, certain) && solve_passage(chain, target, certain, ticks, effort);
  free(certain);
  return good;
}

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
  chain_times(chain, mean, whatif->longrun, whatif->cycles);
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
 * The cycle is the sum of its states' times, so halving one of them saves half of its part. No new solution is
 * necessary for each state.
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
