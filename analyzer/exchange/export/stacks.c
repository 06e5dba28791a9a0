#include "analyzer/exchange/export/stacks.h"

#include "analyzer/command/print/escape.h"
#include "analyzer/exchange/export/formats.h"
#include "analyzer/exchange/export/items.h"
#include "analyzer/exchange/export/sink.h"
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

/* False: out of memory. */
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

/* Adds up samples. False: an error. */
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

/* Adds up exact calls. False: an error. */
static bool find_exact(struct stacks *stacks, struct calls *calls, struct error *error)
{
  bool none;
  struct calls_exact exact = {.cells = NULL};
  const struct trace *trace = stacks->trace;
  if (trace->restriction.timed)
    return calls_exact_refuse(trace, "a part of the time (--from, --to)", error);
  stacks->archive = calls_exact_read(trace, &exact, &none, error);
  if (!stacks->archive) {
    calls_exact_free(&exact);
    return false;
  }
  stacks->samples = stacks->archive->paths;
  stacks->triggers = calls_exact_triggers;
  stacks->trigger_count = EXACT_TRIGGERS;
  bool good = calls_exact_as_sums(trace, &exact, calls) || error_set(error, "%s: out of memory", trace->anchor);
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

static const char *stacks_name(const struct stacks *stacks, uint32_t node)
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

/*
 * Folded stacks, as flame graph tools and speedscope read them: a line a stack. It has the functions from the outermost
 * one on with ; between them, a space, and the number of samples of one trigger. For exact calls, the number is ns, or
 * the number of calls.
 */
struct folded {
  struct stacks stacks;
  struct sink sink;
  const struct export_stacks *options;
  uint32_t trigger;
};

static bool choose_trigger(struct folded *folded, struct error *error)
{
  const struct stacks *stacks = &folded->stacks;
  const char *wanted = folded->options->trigger;
  folded->trigger = TRACE_NONE;
  for (uint32_t i = 0; i < stacks->trigger_count && folded->trigger == TRACE_NONE; i++)
    if (wanted ? strcmp(stacks->triggers[i].name, wanted) == 0
               : stacks->triggers[i].timed && !stacks->triggers[i].waits)
      folded->trigger = i;
  if (folded->trigger == TRACE_NONE && wanted && stacks->archive)
    return error_set(error, "--trigger %s: exact calls have time, blocked and calls", wanted);
  if (folded->trigger == TRACE_NONE && wanted)
    return error_set(error, "--trigger %s: the samples have no such trigger: see `heddle calls`", wanted);
  if (folded->trigger == TRACE_NONE)
    folded->trigger = 0;
  return true;
}

/* False: out of memory. */
static bool put_frame(struct folded *folded, const char *name)
{
  char *escaped = escape_text(name);
  if (!escaped)
    return false;
  for (char *at = escaped; *at; at++)
    if (*at == ';') /* it would end the frame */
      *at = ':';
  sink_text(&folded->sink, escaped);
  free(escaped);
  return true;
}

/* False: out of memory. */
static bool folded_put_row(struct folded *folded, const struct stack_row *row, uint32_t path[STACK_MOST])
{
  const char *roots[2];
  size_t root_count = stacks_roots(&folded->stacks, row, folded->options->root, roots);
  bool cut, good = true, first = true;
  size_t count = stacks_path(&folded->stacks, row->node, path, &cut);
  for (size_t i = 0; good && i < root_count + cut + count; i++) {
    const char *name = i < root_count         ? roots[i]
                       : i < root_count + cut ? STACK_CUT
                                              : stacks_name(&folded->stacks, path[count - 1 - (i - root_count - cut)]);
    if (!first)
      sink_char(&folded->sink, ';');
    first = false;
    good = put_frame(folded, name);
  }
  sink_char(&folded->sink, ' ');
  sink_number(&folded->sink, row->samples);
  sink_char(&folded->sink, '\n');
  return good;
}

static bool folded_write_all(struct folded *folded, struct error *error)
{
  uint32_t *path = calloc(STACK_MOST, sizeof *path);
  bool good = path != NULL;
  for (size_t i = 0; good && i < folded->stacks.count && !sink_failed(&folded->sink); i++)
    if (folded->stacks.rows[i].trigger == folded->trigger)
      good = folded_put_row(folded, &folded->stacks.rows[i], path);
  free(path);
  if (!good)
    return error_set(error, "%s: out of memory", folded->stacks.trace->anchor);
  return sink_finish(&folded->sink) || sink_fail(&folded->sink, error);
}

bool export_folded(const struct trace *trace, const struct export_stacks *options, const char *path,
                   struct error *error)
{
  struct folded *folded = calloc(1, sizeof *folded);
  if (!folded)
    return error_set(error, "%s: out of memory", trace->anchor);
  folded->options = options;
  struct stacks_wish wish = {
      .unit = CALLS_FUNCTIONS, .use = (enum calls_use)options->use, .locations = options->root != EXPORT_ROOT_NONE};
  bool good = stacks_open(trace, wish, &folded->stacks, error) && choose_trigger(folded, error);
  if (good && (good = sink_open(&folded->sink, path, error)))
    good = sink_close(&folded->sink, folded_write_all(folded, error), error);
  stacks_close(&folded->stacks);
  free(folded);
  return good;
}
