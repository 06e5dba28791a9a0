#include "analyzer/analyses/calls/figures.h"

#include "analyzer/analyses/calls/calls.h"

#include <stdlib.h>
#include <string.h>

/* While the tree is made. */
struct maker {
  struct calls_tree *tree;
  VECTOR(struct calls_code) codes;
  VECTOR(struct calls_node) nodes;
  struct hash lines;    /* number of a code by function, file and line */
  struct hash children; /* parent and code: number of a node */
};

static bool is_same(const struct calls_code *code, const struct samples_context *context)
{
  return code->function == context->function && code->line == context->line && strcmp(code->file, context->file) == 0;
}

/* Different lines may have one hash: then the next hash is tried. */
static bool find_line(struct maker *maker, const struct samples_context *context, uint32_t *code)
{
  uint64_t hash = hash_text(hash_mix((uint64_t)context->function << 32 | context->line), context->file);
  for (;; hash = hash_mix(hash + 1)) {
    const uint64_t *at = hash_find(&maker->lines, hash);
    if (at && !is_same(&maker->codes.items[*at], context))
      continue;
    *code = at ? (uint32_t)*at : (uint32_t)maker->codes.count;
    struct calls_code fresh = {context->function, context->file, context->line};
    return at || (vector_push(&maker->codes, fresh) && hash_add(&maker->lines, hash, *code));
  }
}

static bool find_node(struct maker *maker, uint32_t parent, uint32_t code, uint32_t *node)
{
  uint64_t key = (uint64_t)parent << 32 | code;
  const uint64_t *at = hash_find(&maker->children, key);
  *node = at ? (uint32_t)*at : (uint32_t)maker->nodes.count;
  if (at)
    return true;
  struct calls_node fresh = {.code = code,
                             .parent = parent,
                             .first_child = TRACE_NONE,
                             .next_sibling = maker->nodes.items[parent].first_child,
                             .depth = maker->nodes.items[parent].depth + 1};
  maker->nodes.items[parent].first_child = *node;
  return vector_push(&maker->nodes, fresh) && hash_add(&maker->children, key, *node);
}

static bool make(struct maker *maker, const struct samples *samples, enum calls_unit unit)
{
  struct calls_node top = {TRACE_NONE, TRACE_NONE, TRACE_NONE, TRACE_NONE, 0};
  bool good = vector_push(&maker->nodes, top);
  for (uint32_t i = 0; good && unit == CALLS_FUNCTIONS && i < samples->function_count; i++) {
    struct calls_code code = {i, samples->functions[i].file, samples->functions[i].line};
    good = vector_push(&maker->codes, code);
  }
  for (uint32_t i = 0; good && i < samples->context_count; i++) {
    const struct samples_context *context = &samples->contexts[i];
    uint32_t code = context->function,
             parent = context->parent == TRACE_NONE ? 0 : maker->tree->node_of[context->parent];
    good = (unit == CALLS_FUNCTIONS || find_line(maker, context, &code)) &&
           find_node(maker, parent, code, &maker->tree->node_of[i]);
  }
  return good;
}

bool calls_tree_make(const struct samples *samples, enum calls_unit unit, struct calls_tree *tree)
{
  *tree = (struct calls_tree){.samples = samples};
  struct maker maker = {.tree = tree};
  tree->node_of = calloc((size_t)samples->context_count + 1, sizeof *tree->node_of);
  bool good = tree->node_of && make(&maker, samples, unit);
  tree->codes = maker.codes.items;
  tree->nodes = maker.nodes.items;
  tree->code_count = (uint32_t)maker.codes.count;
  tree->node_count = (uint32_t)maker.nodes.count;
  hash_free(&maker.lines);
  hash_free(&maker.children);
  return good;
}

void calls_tree_free(struct calls_tree *tree)
{
  free(tree->codes);
  free(tree->nodes);
  free(tree->node_of);
  *tree = (struct calls_tree){0};
}

/* The next node after all below this one; calls `leave` for each node that ends before it. TRACE_NONE: there is
 * none. */
static uint32_t next_after(const struct calls_tree *tree, uint32_t node, calls_visit *leave, void *context,
                           const uint32_t *path)
{
  for (; node != 0; node = tree->nodes[node].parent) {
    if (leave)
      leave(context, node, path);
    if (tree->nodes[node].next_sibling != TRACE_NONE)
      return tree->nodes[node].next_sibling;
  }
  return TRACE_NONE;
}

bool calls_tree_walk(const struct calls_tree *tree, calls_visit *enter, calls_visit *leave, void *context)
{
  uint32_t deepest = 0;
  for (uint32_t i = 0; i < tree->node_count; i++)
    deepest = tree->nodes[i].depth > deepest ? tree->nodes[i].depth : deepest;
  uint32_t *path = calloc((size_t)deepest + 1, sizeof *path);
  if (!path)
    return false;
  for (uint32_t node = tree->nodes[0].first_child; node != TRACE_NONE;) {
    path[tree->nodes[node].depth] = node;
    enter(context, node, path);
    uint32_t below = tree->nodes[node].first_child;
    node = below != TRACE_NONE ? below : next_after(tree, node, leave, context, path);
  }
  free(path);
  return true;
}

bool calls_selects(const struct trace *trace, const struct calls_selection *selection, const struct calls_cell *cell)
{
  return (selection->trigger == CALLS_ANY || selection->trigger == cell->trigger) &&
         (selection->location == CALLS_ANY || selection->location == cell->location) &&
         (selection->construct == CALLS_ANY || selection->construct == cell->construct) &&
         (selection->state == CALLS_ANY || selection->state == cell->state) &&
         (selection->process == CALLS_ANY || selection->process == trace->locations[cell->location].process);
}

/* While the tree is walked. */
struct walk {
  struct calls_figures *figures;
  uint32_t *nearest; /* by code: its last occurrence on the path; TRACE_NONE: there is none */
  uint32_t *before;  /* by node on the path: the occurrence before */
};

/* What is below an inner occurrence is not assigned to the outer one, and does not pass through the node below that. */
static void figures_enter(void *context, uint32_t node, const uint32_t *path)
{
  struct walk *walk = context;
  struct calls_figures *figures = walk->figures;
  const struct calls_node *of = &figures->tree->nodes[node];
  uint32_t outer = walk->nearest[of->code];
  walk->before[node] = outer;
  walk->nearest[of->code] = node;
  if (outer == TRACE_NONE)
    return;
  figures->assigned[outer] -= figures->below[node];
  figures->through[path[figures->tree->nodes[outer].depth + 1]] -= figures->below[node];
}

static void figures_leave(void *context, uint32_t node, const uint32_t *path)
{
  (void)path;
  struct walk *walk = context;
  walk->nearest[walk->figures->tree->nodes[node].code] = walk->before[node];
}

static bool assign(struct calls_figures *figures)
{
  const struct calls_tree *tree = figures->tree;
  struct walk walk = {.figures = figures,
                      .nearest = calloc((size_t)tree->code_count + 1, sizeof *walk.nearest),
                      .before = calloc((size_t)tree->node_count + 1, sizeof *walk.before)};
  bool good = walk.nearest && walk.before;
  for (uint32_t i = 0; good && i < tree->code_count; i++)
    walk.nearest[i] = TRACE_NONE;
  good = good && calls_tree_walk(tree, figures_enter, figures_leave, &walk);
  free(walk.nearest);
  free(walk.before);
  return good;
}

static bool figures_allocate(const struct calls_tree *tree, struct calls_figures *figures)
{
  size_t nodes = (size_t)tree->node_count + 1;
  *figures = (struct calls_figures){.tree = tree,
                                    .own = calloc(nodes, sizeof *figures->own),
                                    .below = calloc(nodes, sizeof *figures->below),
                                    .assigned = calloc(nodes, sizeof *figures->assigned),
                                    .through = calloc(nodes, sizeof *figures->through),
                                    .codes = calloc((size_t)tree->code_count + 1, sizeof *figures->codes)};
  return figures->own && figures->below && figures->assigned && figures->through && figures->codes;
}

/* Intervals of `own`. */
static bool derive(struct calls_figures *figures)
{
  const struct calls_tree *tree = figures->tree;
  for (uint32_t i = tree->node_count; i-- > 1;) {
    figures->below[i] += figures->own[i];
    figures->below[tree->nodes[i].parent] += figures->below[i];
    figures->assigned[i] = figures->through[i] = figures->below[i];
  }
  figures->all = figures->below[0];
  if (!assign(figures))
    return false;
  for (uint32_t i = 1; i < tree->node_count; i++) {
    figures->codes[tree->nodes[i].code].self += figures->own[i];
    figures->codes[tree->nodes[i].code].inclusive += figures->assigned[i];
  }
  return true;
}

bool calls_figures_find(const struct trace *trace, const struct calls *calls, const struct calls_selection *selection,
                        const struct calls_tree *tree, struct calls_figures *figures)
{
  if (!figures_allocate(tree, figures))
    return false;
  for (size_t i = 0; i < calls->cell_count; i++)
    if (calls_selects(trace, selection, &calls->cells[i]))
      figures->own[tree->node_of[calls->cells[i].context]] += calls->cells[i].samples;
  return derive(figures);
}

bool calls_figures_of(const wide_total *weights, const struct calls_tree *tree, struct calls_figures *figures)
{
  if (!figures_allocate(tree, figures))
    return false;
  for (uint32_t i = 1; i < tree->node_count; i++)
    figures->own[i] = weights[i];
  return derive(figures);
}

void calls_figures_free(struct calls_figures *figures)
{
  free(figures->own);
  free(figures->below);
  free(figures->assigned);
  free(figures->through);
  free(figures->codes);
  *figures = (struct calls_figures){0};
}

wide_total calls_ticks(const struct trace *trace, const struct samples_trigger *trigger, wide_total samples)
{
  enum { NS = 1000000000 };
  if (!trigger->timed || trace->ticks_per_second == 0)
    return 0;
  wide_total ns = samples * trigger->period;
  return ns / NS * trace->ticks_per_second + (ns % NS * trace->ticks_per_second + NS / 2) / NS;
}

/* Sums by the code of relatives; each node has at most one. */
struct relatives_adder {
  struct calls_relatives *relatives;
  struct hash at; /* code -> index */
};

/* Adds a node's part of a relative, and its calls. */
static bool relatives_add(struct relatives_adder *adder, const struct calls_figures *figures, uint32_t node,
                          struct calls_relative part)
{
  struct calls_relatives *relatives = adder->relatives;
  const uint64_t *at = hash_find(&adder->at, part.code);
  size_t index = at ? *at : relatives->count;
  part.calls = figures->calls ? figures->calls[node] : 0;
  part.blocked = figures->blocked ? figures->blocked[node] : 0;
  if (part.self + part.below + part.calls == 0)
    return true;
  if (!at) {
    if (!array_make_room(relatives->list, relatives->count) || !hash_add(&adder->at, part.code, index))
      return false;
    relatives->list[relatives->count++] = (struct calls_relative){.code = part.code};
  }
  relatives->list[index].self += part.self;
  relatives->list[index].below += part.below;
  relatives->list[index].calls += part.calls;
  relatives->list[index].blocked += part.blocked;
  return true;
}

static int relatives_compare(const void *of_a, const void *of_b)
{
  const struct calls_relative *a = of_a, *b = of_b;
  wide_total all_a = a->self + a->below, all_b = b->self + b->below;
  if (all_a != all_b)
    return all_a < all_b ? 1 : -1;
  return (a->code > b->code) - (a->code < b->code);
}

static bool relatives_finish(struct relatives_adder *adder, bool good)
{
  hash_free(&adder->at);
  if (adder->relatives->count > 0)
    qsort(adder->relatives->list, adder->relatives->count, sizeof *adder->relatives->list, relatives_compare);
  return good;
}

bool calls_callers(const struct calls_figures *figures, uint32_t code, struct calls_relatives *callers)
{
  const struct calls_tree *tree = figures->tree;
  struct relatives_adder adder = {.relatives = callers};
  bool good = true;
  *callers = (struct calls_relatives){0};
  for (uint32_t i = 1; good && i < tree->node_count; i++)
    if (tree->nodes[i].code == code)
      good = relatives_add(&adder, figures, i,
                           (struct calls_relative){.code = tree->nodes[tree->nodes[i].parent].code,
                                                   .self = figures->own[i],
                                                   .below = figures->assigned[i] - figures->own[i]});
  return relatives_finish(&adder, good);
}

bool calls_callees(const struct calls_figures *figures, uint32_t code, struct calls_relatives *callees)
{
  const struct calls_tree *tree = figures->tree;
  struct relatives_adder adder = {.relatives = callees};
  bool good = true;
  *callees = (struct calls_relatives){0};
  for (uint32_t i = 1; good && i < tree->node_count; i++)
    if (tree->nodes[tree->nodes[i].parent].code == code && tree->nodes[i].code != code)
      good = relatives_add(&adder, figures, i,
                           (struct calls_relative){.code = tree->nodes[i].code,
                                                   .self = figures->own[i],
                                                   .below = figures->through[i] - figures->own[i]});
  return relatives_finish(&adder, good);
}

struct states_functions {
  const struct trace *trace;
  const struct samples *samples;
  struct samples_stream *stream; /* NULL: no samples of this thread */
  struct error *error;
  uint64_t *counts;           /* by function, of this interval; else 0 */
  VECTOR(uint32_t) functions; /* that have a count */
  struct key_sums sums;       /* by state and function */
};

struct states_functions *states_functions_open(const struct trace *trace, const struct samples *samples,
                                               uint32_t location, struct error *error)
{
  struct states_functions *functions = calloc(1, sizeof *functions);
  if (functions)
    *functions = (struct states_functions){.trace = trace, .samples = samples, .error = error};
  if (!functions || !(functions->counts = calloc(samples->function_count + 1, sizeof *functions->counts)))
    error_set(error, "%s: out of memory", trace->anchor);
  else if (samples_stream_of(trace, samples, location, &functions->stream, error))
    return functions;
  states_functions_close(functions);
  return NULL;
}

static bool count_one(struct states_functions *functions, const struct samples_event *event)
{
  uint32_t function = functions->samples->contexts[event->context].function;
  uint64_t before = functions->counts[function];
  functions->counts[function] += event->weight;
  return before > 0 || event->weight == 0 || vector_push(&functions->functions, function);
}

/* Empties the counts into the sums of the state. */
static bool take_most(struct states_functions *functions, enum state state, uint32_t *most)
{
  uint64_t highest = 0;
  bool good = true;
  for (size_t i = 0; i < functions->functions.count; i++) {
    uint32_t function = functions->functions.items[i];
    uint64_t count = functions->counts[function];
    if (count > highest) { /* the first of several */
      highest = count;
      *most = function;
    }
    struct key_sum sum = {.key = {state, function}, .values = {count}};
    good = good && key_sums_add(&functions->sums, &sum);
    functions->counts[function] = 0;
  }
  functions->functions.count = 0;
  return good;
}

bool states_functions_next(struct states_functions *functions, const struct state_interval *interval,
                           uint32_t *function)
{
  const struct samples_event *event;
  bool good = true;
  *function = TRACE_NONE;
  if (!functions->stream)
    return true;
  while (good && (event = samples_stream_peek(functions->stream)) != NULL && event->time < interval->end) {
    if (event->time >= interval->start)
      good = count_one(functions, event);
    samples_stream_take(functions->stream);
  }
  if (samples_stream_failed(functions->stream))
    return false;
  return (take_most(functions, interval->state, function) && good) ||
         error_set(functions->error, "%s: out of memory", functions->trace->anchor);
}

uint32_t states_functions_of(const struct states_functions *functions, enum state state)
{
  uint32_t most = TRACE_NONE;
  wide_total highest = 0;
  for (size_t i = 0; i < functions->sums.items.count; i++) {
    const struct key_sum *sum = &functions->sums.items.items[i];
    if (sum->key[0] == state && sum->values[0] > highest) {
      highest = sum->values[0];
      most = sum->key[1];
    }
  }
  return most;
}

void states_functions_close(struct states_functions *functions)
{
  if (!functions)
    return;
  if (functions->stream)
    samples_stream_close(functions->stream);
  free(functions->counts);
  vector_free(&functions->functions);
  key_sums_free(&functions->sums);
  free(functions);
}
