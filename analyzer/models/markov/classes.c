#include "analyzer/models/markov/classes.h"

#include <stdlib.h>

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
