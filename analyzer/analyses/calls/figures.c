#include "analyzer/analyses/calls/figures.h"

#include <stdlib.h>

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

/* Of `own`. */
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
