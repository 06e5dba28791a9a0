#include "analyzer/analyses/calls/cycles.h"

#include <stdlib.h>

/* The calls between codes, each once, as arrays: those from code i are targets[first[i]] to targets[first[i + 1] - 1].
 */
struct graph {
  uint32_t count;
  uint32_t *targets;
  size_t *first;
  bool *itself; /* by code: it calls itself */
};

/* Tarjan's algorithm, without recursion: a program's stack is no limit for a chain of calls. */
struct search {
  const struct graph *graph;
  uint32_t *number;  /* by code, from 1 in the order in which they are met; 0: not met */
  uint32_t *lowest;  /* by code: the lowest number that is reached from it */
  size_t *next;      /* by code: the next call to look at */
  bool *open;        /* by code: it is on `stack` */
  uint32_t *stack;   /* codes whose part is not complete */
  uint32_t *way;     /* codes from the first one to the present one */
  uint32_t *part_of; /* by code, from 1; 0: none with a cycle */
  uint32_t met, stacked, depth, parts;
};

static void graph_free(struct graph *graph)
{
  free(graph->targets);
  free(graph->first);
  free(graph->itself);
}

static bool is_call(const struct calls_figures *figures, uint32_t node)
{
  return figures->tree->nodes[node].parent != 0 &&
         (figures->below[node] > 0 || (figures->calls && figures->calls[node] > 0));
}

static bool graph_make(const struct calls_figures *figures, struct graph *graph)
{
  const struct calls_tree *tree = figures->tree;
  struct hash known = {0};
  size_t *end = calloc((size_t)tree->code_count + 1, sizeof *end);
  *graph = (struct graph){.count = tree->code_count,
                          .targets = calloc((size_t)tree->node_count + 1, sizeof *graph->targets),
                          .first = calloc((size_t)tree->code_count + 2, sizeof *graph->first),
                          .itself = calloc((size_t)tree->code_count + 1, sizeof *graph->itself)};
  bool good = end && graph->targets && graph->first && graph->itself;
  for (int round = 0; good && round < 2; round++) {
    hash_free(&known);
    for (uint32_t i = 1; good && i < tree->node_count; i++) {
      uint32_t to = tree->nodes[i].code, from = tree->nodes[tree->nodes[i].parent].code;
      uint64_t key = (uint64_t)from << 32 | to;
      if (!is_call(figures, i) || hash_find(&known, key))
        continue;
      good = hash_add(&known, key, 0) != NULL;
      graph->itself[from] |= from == to;
      if (round == 0)
        graph->first[from + 1]++;
      else
        graph->targets[end[from]++] = to;
    }
    for (uint32_t i = 0; good && round == 0 && i < tree->code_count; i++) {
      graph->first[i + 1] += graph->first[i];
      end[i] = graph->first[i];
    }
  }
  hash_free(&known);
  free(end);
  return good;
}

static void meet(struct search *search, uint32_t code)
{
  search->number[code] = search->lowest[code] = ++search->met;
  search->next[code] = search->graph->first[code];
  search->open[code] = true;
  search->stack[search->stacked++] = code;
  search->way[search->depth++] = code;
}

/* A part is complete: all on the stack from this code on. */
static void complete(struct search *search, uint32_t code)
{
  bool is_cycle = search->stack[search->stacked - 1] != code || search->graph->itself[code];
  search->parts += is_cycle;
  for (uint32_t other = TRACE_NONE; other != code;) {
    other = search->stack[--search->stacked];
    search->open[other] = false;
    search->part_of[other] = is_cycle ? search->parts : 0;
  }
}

static void lower(struct search *search, uint32_t code, uint32_t number)
{
  if (number < search->lowest[code])
    search->lowest[code] = number;
}

static void go_on(struct search *search)
{
  uint32_t code = search->way[search->depth - 1];
  if (search->next[code] < search->graph->first[code + 1]) {
    uint32_t to = search->graph->targets[search->next[code]++];
    if (search->number[to] == 0)
      meet(search, to);
    else if (search->open[to])
      lower(search, code, search->number[to]);
    return;
  }
  if (search->lowest[code] == search->number[code])
    complete(search, code);
  search->depth--;
  if (search->depth > 0)
    lower(search, search->way[search->depth - 1], search->lowest[code]);
}

static bool search_all(const struct graph *graph, uint32_t *part_of, uint32_t *parts)
{
  size_t count = (size_t)graph->count + 1;
  struct search search = {.graph = graph,
                          .number = calloc(count, sizeof *search.number),
                          .lowest = calloc(count, sizeof *search.lowest),
                          .next = calloc(count, sizeof *search.next),
                          .open = calloc(count, sizeof *search.open),
                          .stack = calloc(count, sizeof *search.stack),
                          .way = calloc(count, sizeof *search.way),
                          .part_of = part_of};
  bool good = search.number && search.lowest && search.next && search.open && search.stack && search.way;
  for (uint32_t i = 0; good && i < graph->count; i++) {
    if (search.number[i] == 0)
      meet(&search, i);
    while (search.depth > 0)
      go_on(&search);
  }
  free(search.number);
  free(search.lowest);
  free(search.next);
  free(search.open);
  free(search.stack);
  free(search.way);
  *parts = search.parts;
  return good;
}

/* Samples below the outermost node of each cycle. */
struct outermost {
  const struct calls_figures *figures;
  const uint32_t *part_of;
  struct calls_cycle *cycles;
  uint32_t *inside; /* by cycle: so many of its nodes are on the path */
};

static void cycles_enter(void *context, uint32_t node, const uint32_t *path)
{
  (void)path;
  struct outermost *outermost = context;
  uint32_t part = outermost->part_of[outermost->figures->tree->nodes[node].code];
  if (part > 0 && outermost->inside[part - 1]++ == 0)
    outermost->cycles[part - 1].inclusive += outermost->figures->below[node];
}

static void cycles_leave(void *context, uint32_t node, const uint32_t *path)
{
  (void)path;
  struct outermost *outermost = context;
  uint32_t part = outermost->part_of[outermost->figures->tree->nodes[node].code];
  if (part > 0)
    outermost->inside[part - 1]--;
}

static int compare_codes(const void *of_a, const void *of_b, void *context)
{
  const struct calls_figures *figures = context;
  uint32_t a = *(const uint32_t *)of_a, b = *(const uint32_t *)of_b;
  if (figures->codes[a].self != figures->codes[b].self)
    return figures->codes[a].self < figures->codes[b].self ? 1 : -1;
  return (a > b) - (a < b);
}

static int compare_cycles(const void *of_a, const void *of_b)
{
  const struct calls_cycle *a = of_a, *b = of_b;
  if (a->inclusive != b->inclusive)
    return a->inclusive < b->inclusive ? 1 : -1;
  return (a->first > b->first) - (a->first < b->first);
}

/* Puts the codes of each part one after the other. */
static void list_codes(const struct calls_figures *figures, const uint32_t *part_of, struct calls_cycles *cycles)
{
  size_t next = 0;
  for (uint32_t i = 0; i < figures->tree->code_count; i++)
    if (part_of[i] > 0)
      cycles->list[part_of[i] - 1].count++;
  for (size_t i = 0; i < cycles->count; i++) {
    cycles->list[i].first = next;
    next += cycles->list[i].count;
    cycles->list[i].count = 0;
  }
  for (uint32_t i = 0; i < figures->tree->code_count; i++) {
    if (part_of[i] == 0)
      continue;
    struct calls_cycle *cycle = &cycles->list[part_of[i] - 1];
    cycles->codes[cycle->first + cycle->count++] = i;
    cycle->self += figures->codes[i].self;
  }
  for (size_t i = 0; i < cycles->count; i++)
    qsort_r(cycles->codes + cycles->list[i].first, cycles->list[i].count, sizeof *cycles->codes, compare_codes,
            (void *)figures);
}

bool calls_cycles_find(const struct calls_figures *figures, struct calls_cycles *cycles)
{
  struct graph graph;
  uint32_t parts = 0, *part_of = calloc((size_t)figures->tree->code_count + 1, sizeof *part_of);
  *cycles = (struct calls_cycles){0};
  bool good = graph_make(figures, &graph) && part_of && search_all(&graph, part_of, &parts);
  graph_free(&graph);
  cycles->list = calloc((size_t)parts + 1, sizeof *cycles->list);
  cycles->codes = calloc((size_t)figures->tree->code_count + 1, sizeof *cycles->codes);
  struct outermost outermost = {figures, part_of, cycles->list, calloc((size_t)parts + 1, sizeof *outermost.inside)};
  good = good && cycles->list && cycles->codes && outermost.inside;
  if (good) {
    cycles->count = parts;
    list_codes(figures, part_of, cycles);
    good = calls_tree_walk(figures->tree, cycles_enter, cycles_leave, &outermost);
    qsort(cycles->list, cycles->count, sizeof *cycles->list, compare_cycles);
  }
  free(outermost.inside);
  free(part_of);
  return good;
}

void calls_cycles_free(struct calls_cycles *cycles)
{
  free(cycles->list);
  free(cycles->codes);
  *cycles = (struct calls_cycles){0};
}
