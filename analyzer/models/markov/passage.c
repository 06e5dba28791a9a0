/* Mean first-passage times. */
#include "analyzer/models/markov/chain.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Marks what leads to a marked state, not through `barrier`. `in` has the transitions the other way round. */
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
