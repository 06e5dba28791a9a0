#include "analyzer/analyses/calls/compare.h"

#include "analyzer/analyses/calls/figures.h"
#include "base/hash.h"

#include <stdlib.h>
#include <string.h>

/* A code of the first side, which waits for its counterpart. */
struct waiting {
  struct hash_link link;
  uint32_t code;
};

static const char *base_of(const char *path)
{
  const char *slash = strrchr(path, '/');
  return slash && slash[1] ? slash + 1 : path;
}

static const struct samples_function *function_of(const struct calls_side *side, uint32_t code)
{
  const struct calls_tree *tree = side->figures->tree;
  return &tree->samples->functions[tree->codes[code].function];
}

static uint64_t key_of(const struct calls_side *side, uint32_t code)
{
  const struct samples_function *function = function_of(side, code);
  const struct calls_code *of = &side->figures->tree->codes[code];
  uint64_t hash = hash_text(hash_text(of->line, function->name), base_of(function->module));
  return hash_text(hash, base_of(of->file));
}

static bool are_same(const struct calls_side sides[2], uint32_t first, uint32_t second)
{
  const struct samples_function *a = function_of(&sides[0], first), *b = function_of(&sides[1], second);
  const struct calls_code *in_a = &sides[0].figures->tree->codes[first], *in_b = &sides[1].figures->tree->codes[second];
  return strcmp(a->name, b->name) == 0 && strcmp(base_of(a->module), base_of(b->module)) == 0 &&
         in_a->line == in_b->line && strcmp(base_of(in_a->file), base_of(in_b->file)) == 0;
}

static struct calls_change change_of(const struct calls_side sides[2], wide_total first, wide_total second)
{
  double a = (double)first, b = (double)second;
  double variance = fmax(a, 1) * sides[0].unit * sides[0].unit + fmax(b, 1) * sides[1].unit * sides[1].unit;
  struct calls_change change = {b * sides[1].unit - a * sides[0].unit, CALLS_QUANTILE * sqrt(variance), false};
  change.beyond_chance = fabs(change.more) > change.half_width;
  return change;
}

static bool compare_add(struct calls_differences *differences, const struct calls_side sides[2], uint32_t first,
                        uint32_t second)
{
  static const struct calls_flat nothing = {0};
  const struct calls_flat *a = first == TRACE_NONE ? &nothing : &sides[0].figures->codes[first];
  const struct calls_flat *b = second == TRACE_NONE ? &nothing : &sides[1].figures->codes[second];
  if (!array_make_room(differences->list, differences->count))
    return false;
  differences->list[differences->count++] = (struct calls_difference){
      {first, second}, change_of(sides, a->self, b->self), change_of(sides, a->inclusive, b->inclusive)};
  return true;
}

/* Functions of one name and module are matched in the order of their definition. */
static uint32_t take_counterpart(struct hash *chains, const struct calls_side sides[2], uint32_t second)
{
  uint64_t key = key_of(&sides[1], second);
  struct hash_link *found = NULL;
  for (struct hash_link *link = hash_chain_first(chains, key); link; link = link->next)
    if (are_same(sides, ((struct waiting *)link)->code, second))
      found = link;
  if (!found)
    return TRACE_NONE;
  hash_chain_remove(chains, key, found);
  uint32_t code = ((struct waiting *)found)->code;
  ((struct waiting *)found)->code = TRACE_NONE;
  return code;
}

static int compare_functions(const void *of_a, const void *of_b)
{
  const struct calls_difference *a = of_a, *b = of_b;
  double self_a = fabs(a->self.more), self_b = fabs(b->self.more);
  double all_a = fabs(a->inclusive.more), all_b = fabs(b->inclusive.more);
  if (self_a != self_b)
    return self_a < self_b ? 1 : -1;
  if (all_a != all_b)
    return all_a < all_b ? 1 : -1;
  if (a->code[0] != b->code[0])
    return a->code[0] < b->code[0] ? -1 : 1;
  return (a->code[1] > b->code[1]) - (a->code[1] < b->code[1]);
}

bool calls_compare(const struct calls_side sides[2], struct calls_differences *differences)
{
  uint32_t counts[] = {sides[0].figures->tree->code_count, sides[1].figures->tree->code_count};
  struct waiting *waiting = calloc((size_t)counts[0] + 1, sizeof *waiting);
  struct hash chains = {0};
  bool good = waiting != NULL;
  *differences = (struct calls_differences){0};
  for (uint32_t i = 0; good && i < counts[0]; i++) {
    waiting[i].code = sides[0].figures->codes[i].inclusive > 0 ? i : TRACE_NONE;
    good = waiting[i].code == TRACE_NONE || hash_chain_add(&chains, key_of(&sides[0], i), &waiting[i].link);
  }
  for (uint32_t i = 0; good && i < counts[1]; i++)
    if (sides[1].figures->codes[i].inclusive > 0)
      good = compare_add(differences, sides, take_counterpart(&chains, sides, i), i);
  for (uint32_t i = 0; good && i < counts[0]; i++)
    if (waiting[i].code != TRACE_NONE)
      good = compare_add(differences, sides, i, TRACE_NONE);
  if (differences->count > 0)
    qsort(differences->list, differences->count, sizeof *differences->list, compare_functions);
  hash_free(&chains);
  free(waiting);
  return good;
}

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
