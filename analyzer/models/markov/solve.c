#include "analyzer/models/markov/solve.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TOLERANCE 1e-13
#define DAMPING   0.95 /* below 1, the iteration also converges for periodic chains */

bool markov_matrix_create(struct markov_matrix *matrix, uint32_t n, size_t entries)
{
  matrix->n = n;
  matrix->row = calloc((size_t)n + 1, sizeof *matrix->row);
  matrix->column = malloc((entries + 1) * sizeof *matrix->column);
  matrix->value = malloc((entries + 1) * sizeof *matrix->value);
  return matrix->row && matrix->column && matrix->value;
}

void markov_matrix_free(struct markov_matrix *matrix)
{
  free(matrix->row);
  free(matrix->column);
  free(matrix->value);
  memset(matrix, 0, sizeof *matrix);
}

bool markov_matrix_transpose(struct markov_matrix *to, const struct markov_matrix *from)
{
  size_t entries = from->row[from->n];
  if (!markov_matrix_create(to, from->n, entries))
    return false;
  for (size_t k = 0; k < entries; k++)
    to->row[from->column[k] + 1]++;
  for (uint32_t i = 0; i < to->n; i++)
    to->row[i + 1] += to->row[i];
  for (uint32_t i = 0; i < from->n; i++) {
    for (size_t k = from->row[i]; k < from->row[i + 1]; k++) {
      size_t at = to->row[from->column[k]]++;
      to->column[at] = i;
      to->value[at] = from->value[k];
    }
  }
  for (uint32_t i = to->n; i > 0; i--) /* each had moved to the next one's place */
    to->row[i] = to->row[i - 1];
  to->row[0] = 0;
  return true;
}

bool markov_matrix_part(struct markov_matrix *to, const struct markov_matrix *from, const uint32_t *rank, uint32_t n)
{
  if (!markov_matrix_create(to, n, from->row[from->n]))
    return false;
  uint32_t *origin = malloc(((size_t)n + 1) * sizeof *origin);
  if (!origin)
    return false;
  for (uint32_t i = 0; i < from->n; i++) {
    if (rank[i] != UINT32_MAX)
      origin[rank[i]] = i;
  }
  size_t at = 0;
  for (uint32_t i = 0; i < n; i++) {
    for (size_t k = from->row[origin[i]]; k < from->row[origin[i] + 1]; k++) {
      if (rank[from->column[k]] == UINT32_MAX)
        continue;
      to->column[at] = rank[from->column[k]];
      to->value[at++] = from->value[k];
    }
    to->row[i + 1] = at;
  }
  free(origin);
  return true;
}

static double *make_dense(const struct markov_matrix *matrix)
{
  size_t n = matrix->n;
  double *dense = calloc(n * n, sizeof *dense);
  for (size_t i = 0; dense && i < n; i++) {
    for (size_t k = matrix->row[i]; k < matrix->row[i + 1]; k++)
      dense[i * n + matrix->column[k]] += matrix->value[k];
  }
  return dense;
}

/*
 * State reduction (Grassmann, Taksar, Heyman 1985): states are taken out one after another, the last first, and what
 * went through them goes directly. There is no subtraction, so nothing cancels.
 */
static bool reduce_states(const struct markov_matrix *p, double *x)
{
  size_t n = p->n;
  double *a = make_dense(p);
  if (!a)
    return false;
  for (size_t out = n - 1; out > 0; out--) {
    const double *last = &a[out * n];
    double leaves = 0;
    for (size_t j = 0; j < out; j++)
      leaves += last[j];
    for (size_t i = 0; i < out; i++) {
      double *row = &a[i * n];
      if (row[out] == 0)
        continue;
      row[out] /= leaves;
      for (size_t j = 0; j < out; j++)
        row[j] += row[out] * last[j];
    }
  }
  double sum = x[0] = 1;
  for (size_t j = 1; j < n; j++) {
    x[j] = 0;
    for (size_t i = 0; i < j; i++)
      x[j] += x[i] * a[i * n + j];
    sum += x[j];
  }
  for (size_t i = 0; i < n; i++)
    x[i] /= sum;
  free(a);
  return true;
}

static void note(struct markov_effort *effort, unsigned sweeps, double change)
{
  if (sweeps > effort->sweeps)
    effort->sweeps = sweeps;
  if (change > effort->change)
    effort->change = change;
}

/* One equation x_i = b_i + sum over the row, solved for x_i. Returns the relative change. */
static double relax(const struct markov_matrix *a, uint32_t i, double b, double damping, double *x)
{
  double sum = b, own = 0;
  for (size_t k = a->row[i]; k < a->row[i + 1]; k++) {
    if (a->column[k] == i)
      own += a->value[k];
    else
      sum += a->value[k] * x[a->column[k]];
  }
  double value = own < 1 ? sum / (1 - own) : x[i];
  double change = value - x[i];
  x[i] += damping * change;
  return value == 0 ? fabs(change) : fabs(change / value);
}

/* Forwards and backwards in turn, so that a chain's direction does not matter. */
static double sweep(const struct markov_matrix *a, const double *b, double damping, bool forwards, double *x)
{
  double change = 0;
  for (uint32_t k = 0; k < a->n; k++) {
    uint32_t i = forwards ? k : a->n - 1 - k;
    double own = relax(a, i, b ? b[i] : 0, damping, x);
    change = own > change ? own : change;
  }
  return change;
}

static void normalize(double *x, uint32_t n)
{
  double sum = 0;
  for (uint32_t i = 0; i < n; i++)
    sum += x[i];
  for (uint32_t i = 0; i < n; i++)
    x[i] /= sum;
}

bool markov_stationary(const struct markov_matrix *p, double *x, struct markov_effort *effort)
{
  if (p->n <= MARKOV_DENSE)
    return reduce_states(p, x);
  struct markov_matrix in = {0};
  if (!markov_matrix_transpose(&in, p)) {
    markov_matrix_free(&in);
    return false;
  }
  for (uint32_t i = 0; i < p->n; i++)
    x[i] = 1.0 / p->n;
  unsigned sweeps = 0;
  double change = 1;
  while (change > TOLERANCE && sweeps < MARKOV_SWEEPS_MAX) {
    change = sweep(&in, NULL, DAMPING, sweeps % 2 == 0, x);
    if (++sweeps % 16 == 0)
      normalize(x, p->n);
  }
  normalize(x, p->n);
  note(effort, sweeps, change);
  markov_matrix_free(&in);
  return true;
}

/* Gauss without a search for pivots: I - A is an M-matrix, whose pivots stay positive. */
static bool eliminate(const struct markov_matrix *a, const double *b, double *x)
{
  size_t n = a->n;
  double *m = make_dense(a);
  if (!m)
    return false;
  for (size_t i = 0; i < n * n; i++)
    m[i] = -m[i];
  for (size_t i = 0; i < n; i++) {
    m[i * n + i] += 1;
    x[i] = b[i];
  }
  for (size_t k = 0; k < n; k++) {
    for (size_t i = k + 1; i < n; i++) {
      double factor = m[i * n + k] / m[k * n + k];
      if (factor == 0)
        continue;
      for (size_t j = k + 1; j < n; j++)
        m[i * n + j] -= factor * m[k * n + j];
      x[i] -= factor * x[k];
    }
  }
  for (size_t i = n; i-- > 0;) {
    for (size_t j = i + 1; j < n; j++)
      x[i] -= m[i * n + j] * x[j];
    x[i] /= m[i * n + i];
  }
  free(m);
  return true;
}

bool markov_linear(const struct markov_matrix *a, const double *b, double *x, struct markov_effort *effort)
{
  if (a->n <= MARKOV_DENSE)
    return eliminate(a, b, x);
  memcpy(x, b, a->n * sizeof *x);
  unsigned sweeps = 0;
  double change = 1;
  while (change > TOLERANCE && sweeps < MARKOV_SWEEPS_MAX) {
    change = sweep(a, b, 1, sweeps % 2 == 0, x);
    sweeps++;
  }
  note(effort, sweeps, change);
  return true;
}

/* Tarjan's search, with a stack of its own: chains may be long. */
struct classes_search {
  const struct markov_matrix *p;
  uint32_t *class_of, *order, *low, *path, *open;
  size_t *next; /* where a state's row was left */
  uint32_t seen, path_length, open_length, classes;
};

static void enter(struct classes_search *search, uint32_t state)
{
  search->order[state] = search->low[state] = ++search->seen;
  search->next[state] = search->p->row[state];
  search->path[search->path_length++] = state;
  search->open[search->open_length++] = state;
}

static void classes_leave(struct classes_search *search, uint32_t state)
{
  search->path_length--;
  if (search->path_length > 0) {
    uint32_t before = search->path[search->path_length - 1];
    if (search->low[state] < search->low[before])
      search->low[before] = search->low[state];
  }
  if (search->low[state] != search->order[state])
    return;
  uint32_t member;
  do {
    member = search->open[--search->open_length];
    search->class_of[member] = search->classes;
  } while (member != state);
  search->classes++;
}

static void search_from(struct classes_search *search, uint32_t root)
{
  enter(search, root);
  while (search->path_length > 0) {
    uint32_t state = search->path[search->path_length - 1];
    if (search->next[state] == search->p->row[state + 1]) {
      classes_leave(search, state);
      continue;
    }
    uint32_t to = search->p->column[search->next[state]++];
    if (search->order[to] == 0)
      enter(search, to);
    else if (search->class_of[to] == UINT32_MAX && search->order[to] < search->low[state])
      search->low[state] = search->order[to];
  }
}

uint32_t markov_classes(const struct markov_matrix *p, const bool *used, uint32_t *class_of)
{
  size_t n = p->n;
  struct classes_search search = {.p = p, .class_of = class_of};
  search.order = calloc(4 * n + 1, sizeof *search.order);
  search.next = calloc(n + 1, sizeof *search.next);
  if (search.order && search.next) {
    search.low = search.order + n;
    search.path = search.low + n;
    search.open = search.path + n;
    for (uint32_t i = 0; i < n; i++)
      class_of[i] = UINT32_MAX;
    for (uint32_t i = 0; i < n; i++) {
      if (used[i] && search.order[i] == 0)
        search_from(&search, i);
    }
  } else {
    search.classes = UINT32_MAX;
  }
  free(search.order);
  free(search.next);
  return search.classes;
}

static uint32_t common_divisor(uint32_t a, uint32_t b)
{
  while (b != 0) {
    uint32_t rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

/* Breadth first: for each transition within the class, depth + 1 - depth is a multiple of the period. */
uint32_t markov_period(const struct markov_matrix *p, const uint32_t *class_of, uint32_t state)
{
  uint32_t *depth = calloc(2 * (size_t)p->n + 1, sizeof *depth);
  if (!depth)
    return UINT32_MAX;
  uint32_t *queue = depth + p->n, head = 0, tail = 0, period = 0;
  depth[state] = 1;
  queue[tail++] = state;
  while (head < tail) {
    uint32_t from = queue[head++];
    for (size_t k = p->row[from]; k < p->row[from + 1]; k++) {
      uint32_t to = p->column[k];
      if (class_of[to] != class_of[from])
        continue;
      if (depth[to] == 0) {
        depth[to] = depth[from] + 1;
        queue[tail++] = to;
      }
      uint32_t ahead = depth[from] + 1;
      period = common_divisor(period, ahead > depth[to] ? ahead - depth[to] : depth[to] - ahead);
    }
  }
  free(depth);
  return period;
}
