#include "analyzer/report/pruned_calls.h"

#include "base/count_of.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_LEAST    1e-4 /* of a trigger's samples */
#define LAST_BY_THREAD 1e-2 /* before more is left out, threads are no longer told apart */

/* While the tree is pruned. */
struct pruner {
  const struct calls *calls;
  const struct calls_tree *tree;
  double *shares; /* by node: the largest part of a trigger's samples that it has */
};

/* Adds one trigger's parts. */
static void take_shares(struct pruner *pruner, uint32_t trigger, double *below)
{
  const struct calls_tree *tree = pruner->tree;
  memset(below, 0, tree->node_count * sizeof *below);
  for (size_t i = 0; i < pruner->calls->cell_count; i++) {
    const struct calls_cell *cell = &pruner->calls->cells[i];
    if (cell->trigger == trigger)
      below[tree->node_of[cell->context]] += (double)cell->samples;
  }
  for (uint32_t i = tree->node_count; i-- > 1;)
    below[tree->nodes[i].parent] += below[i];
  for (uint32_t i = 0; below[0] > 0 && i < tree->node_count; i++)
    if (below[i] / below[0] > pruner->shares[i])
      pruner->shares[i] = below[i] / below[0];
}

static bool find_shares(struct pruner *pruner)
{
  double *below = calloc((size_t)pruner->tree->node_count + 1, sizeof *below);
  pruner->shares = calloc((size_t)pruner->tree->node_count + 1, sizeof *pruner->shares);
  bool good = below && pruner->shares;
  for (uint32_t i = 0; good && i < pruner->tree->samples->trigger_count; i++)
    take_shares(pruner, i, below);
  free(below);
  return good;
}

/* Numbers the nodes with so much; the others get the number of others below the last one above them. */
static void number_nodes(const struct pruner *pruner, struct pruned_calls *pruned)
{
  const struct calls_tree *tree = pruner->tree;
  uint32_t *others = pruned->node_of + tree->node_count; /* by kept node: its others; 0: none yet */
  memset(pruned->node_of, 0, 2 * (size_t)tree->node_count * sizeof *pruned->node_of);
  pruned->node_count = 1;
  pruned->nodes[0] = (struct pruned_node){TRACE_NONE, TRACE_NONE};
  for (uint32_t i = 1; i < tree->node_count; i++) {
    uint32_t parent = pruned->node_of[tree->nodes[i].parent];
    bool below_others = parent > 0 && pruned->nodes[parent].code == TRACE_NONE;
    bool kept = pruner->shares[i] > 0 && pruner->shares[i] >= pruned->least && !below_others;
    if (pruner->shares[i] <= 0 || below_others) {
      pruned->node_of[i] = parent;
      continue;
    }
    if (!kept && others[parent] > 0) {
      pruned->node_of[i] = others[parent];
      continue;
    }
    uint32_t number = (uint32_t)pruned->node_count++;
    pruned->nodes[number] = (struct pruned_node){kept ? tree->nodes[i].code : TRACE_NONE, parent};
    pruned->node_of[i] = number;
    if (!kept)
      others[parent] = number;
  }
}

static int compare_cells(const void *of_a, const void *of_b)
{
  const struct pruned_cell *a = of_a, *b = of_b;
  const uint32_t keys_a[] = {a->node, a->location, a->construct, a->state, a->trigger};
  const uint32_t keys_b[] = {b->node, b->location, b->construct, b->state, b->trigger};
  for (size_t i = 0; i < COUNT_OF(keys_a); i++)
    if (keys_a[i] != keys_b[i])
      return keys_a[i] < keys_b[i] ? -1 : 1;
  return 0;
}

/* The cells of the nodes. */
static void add_cells(const struct pruner *pruner, struct pruned_calls *pruned)
{
  const struct calls *calls = pruner->calls;
  size_t count = 0;
  for (size_t i = 0; i < calls->cell_count; i++) {
    const struct calls_cell *cell = &calls->cells[i];
    uint32_t location = pruned->summed ? TRACE_NONE : cell->location;
    pruned->cells[i] = (struct pruned_cell){pruned->node_of[pruner->tree->node_of[cell->context]],
                                            location,
                                            cell->construct,
                                            cell->state,
                                            cell->trigger,
                                            cell->samples};
  }
  qsort(pruned->cells, calls->cell_count, sizeof *pruned->cells, compare_cells);
  for (size_t i = 0; i < calls->cell_count; i++) {
    if (count > 0 && compare_cells(&pruned->cells[count - 1], &pruned->cells[i]) == 0)
      pruned->cells[count - 1].samples += pruned->cells[i].samples;
    else
      pruned->cells[count++] = pruned->cells[i];
  }
  pruned->cell_count = count;
}

static size_t text_of(const struct pruner *pruner, const struct pruned_calls *pruned, bool *counted)
{
  const struct calls_tree *tree = pruner->tree;
  size_t text = 0;
  memset(counted, 0, tree->code_count * sizeof *counted);
  for (size_t i = 1; i < pruned->node_count; i++) {
    uint32_t code = pruned->nodes[i].code;
    if (code == TRACE_NONE || counted[code])
      continue;
    const struct samples_function *function = &tree->samples->functions[tree->codes[code].function];
    text += strlen(function->name) + strlen(tree->codes[code].file) + strlen(function->module);
    counted[code] = true;
  }
  return text;
}

/* Leaves out more and more until the rest is small enough, or nothing is left. */
static void prune(const struct pruner *pruner, struct pruned_limits limits, bool *counted, struct pruned_calls *pruned)
{
  bool fits = false;
  while (!fits) {
    number_nodes(pruner, pruned);
    add_cells(pruner, pruned);
    fits = (pruned->node_count <= limits.nodes && pruned->cell_count <= limits.cells &&
            text_of(pruner, pruned, counted) <= limits.text) ||
           pruned->least > 1;
    if (!fits && pruned->cell_count > limits.cells && pruned->least > LAST_BY_THREAD && !pruned->summed)
      pruned->summed = true;
    else if (!fits)
      pruned->least = pruned->least > 0 ? 2 * pruned->least : FIRST_LEAST;
  }
}

bool pruned_calls_make(const struct calls *calls, const struct calls_tree *tree, struct pruned_limits limits,
                       struct pruned_calls *pruned)
{
  struct pruner pruner = {.calls = calls, .tree = tree};
  bool *counted = calloc((size_t)tree->code_count + 1, sizeof *counted);
  *pruned = (struct pruned_calls){.nodes = calloc((size_t)tree->node_count + 1, sizeof *pruned->nodes),
                                  .cells = calloc(calls->cell_count + 1, sizeof *pruned->cells),
                                  .node_of = calloc(2 * (size_t)tree->node_count + 1, sizeof *pruned->node_of)};
  bool good = counted && pruned->nodes && pruned->cells && pruned->node_of && find_shares(&pruner);
  if (good)
    prune(&pruner, limits, counted, pruned);
  free(counted);
  free(pruner.shares);
  return good;
}

void pruned_calls_free(struct pruned_calls *pruned)
{
  free(pruned->nodes);
  free(pruned->cells);
  free(pruned->node_of);
  *pruned = (struct pruned_calls){0};
}
