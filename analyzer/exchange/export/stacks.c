#include "analyzer/exchange/export/stacks.h"

#include "analyzer/exchange/export/processes.h"
#include "base/count_of.h"

#include <stdlib.h>

static int compare(const void *of_a, const void *of_b)
{
  const struct stack_row *a = of_a, *b = of_b;
  const uint32_t keys[][2] = {{a->node, b->node},
                              {a->location, b->location},
                              {a->construct, b->construct},
                              {a->state, b->state},
                              {a->trigger, b->trigger}};
  for (size_t i = 0; i < COUNT_OF(keys); i++)
    if (keys[i][0] != keys[i][1])
      return keys[i][0] < keys[i][1] ? -1 : 1;
  return 0;
}

/* False: no memory. */
static bool make_rows(const struct calls *calls, struct stacks_wish wish, struct stacks *stacks)
{
  stacks->rows = calloc(calls->cell_count + 1, sizeof *stacks->rows);
  if (!stacks->rows)
    return false;
  for (size_t i = 0; i < calls->cell_count; i++) {
    const struct calls_cell *cell = &calls->cells[i];
    stacks->rows[i] = (struct stack_row){.node = stacks->tree.node_of[cell->context],
                                         .location = wish.locations ? cell->location : 0,
                                         .construct = wish.constructs ? cell->construct : 0,
                                         .state = wish.states ? cell->state : 0,
                                         .trigger = cell->trigger,
                                         .samples = cell->samples};
  }
  if (calls->cell_count > 0)
    qsort(stacks->rows, calls->cell_count, sizeof *stacks->rows, compare);
  for (size_t i = 0; i < calls->cell_count; i++)
    if (stacks->count > 0 && compare(&stacks->rows[stacks->count - 1], &stacks->rows[i]) == 0)
      stacks->rows[stacks->count - 1].samples += stacks->rows[i].samples;
    else
      stacks->rows[stacks->count++] = stacks->rows[i];
  return true;
}

/* The sums of samples. False: an error. */
static bool find_samples(struct stacks *stacks, struct calls *calls, struct error *error)
{
  bool none;
  stacks->samples = samples_open(stacks->trace, &none, error);
  if (!stacks->samples)
    return false;
  stacks->triggers = stacks->samples->triggers;
  stacks->trigger_count = stacks->samples->trigger_count;
  struct pool *pool = pool_create(0);
  bool good = pool ? analysis_find(&calls_analysis, stacks->trace, pool, stacks->samples, calls, error)
                   : error_set(error, "%s: out of memory", stacks->trace->anchor);
  pool_destroy(pool);
  return good;
}

/* The sums of exact calls. False: an error. */
static bool find_exact(struct stacks *stacks, struct calls *calls, struct error *error)
{
  bool none;
  struct calls_exact exact = {.cells = NULL};
  const struct trace *trace = stacks->trace;
  if (trace->restriction.timed)
    return calls_exact_refuse(trace, "a part of the time (--from, --to)", error);
  stacks->archive = exact_calls_open(trace, &none, error);
  if (!stacks->archive)
    return false;
  stacks->samples = stacks->archive->paths;
  stacks->triggers = calls_exact_triggers;
  stacks->trigger_count = EXACT_TRIGGERS;
  bool good = calls_exact_find(trace, stacks->archive, &exact, error) &&
              (calls_exact_as_sums(trace, &exact, calls) || error_set(error, "%s: out of memory", trace->anchor));
  calls_exact_free(&exact);
  return good;
}

bool stacks_open(const struct trace *trace, struct stacks_wish wish, struct stacks *stacks, struct error *error)
{
  bool exact;
  struct calls calls = {0};
  *stacks = (struct stacks){.trace = trace};
  bool good = calls_use_choose(trace, wish.use, &exact, error) &&
              (exact ? find_exact(stacks, &calls, error) : find_samples(stacks, &calls, error));
  if (good && (!calls_tree_make(stacks->samples, wish.unit, &stacks->tree) || !make_rows(&calls, wish, stacks)))
    good = error_set(error, "%s: out of memory", trace->anchor);
  analysis_free(&calls_analysis, &calls);
  return good;
}

void stacks_close(struct stacks *stacks)
{
  calls_tree_free(&stacks->tree);
  free(stacks->rows);
  if (!stacks->archive)
    samples_close(stacks->samples);
  exact_calls_close(stacks->archive);
}

size_t stacks_path(const struct stacks *stacks, uint32_t node, uint32_t path[STACK_MOST], bool *cut)
{
  size_t count = 0;
  for (; node != 0 && count < STACK_MOST; node = stacks->tree.nodes[node].parent)
    path[count++] = node;
  *cut = node != 0;
  return count;
}

const char *stacks_name(const struct stacks *stacks, uint32_t node)
{
  return stacks->samples->functions[stacks->tree.codes[stacks->tree.nodes[node].code].function].name;
}

size_t stacks_roots(const struct stacks *stacks, const struct stack_row *row, enum export_root root,
                    const char *names[2])
{
  size_t count = 0;
  if (root != EXPORT_ROOT_NONE)
    names[count++] = process_name(stacks->trace, process_of(stacks->trace, row->location));
  if (root == EXPORT_ROOT_THREAD)
    names[count++] = stacks->trace->locations[row->location].name;
  return count;
}
