#include "analyzer/report/pruned_calls.h"

#include "base/count_of.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_LEAST    1e-4 /* of a trigger's samples */
#define LAST_BY_THREAD 1e-2 /* before more is pruned, threads are summed up */

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

/* Omits more and more until the rest is small enough, or nothing is left. */
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

struct sample_times_analysis {
  const struct trace *trace;
  const struct samples *samples;
  struct sample_times times;
  size_t most; /* of a thread */
};

struct time_lane {
  struct sample_times_analysis *analysis;
  uint32_t location;
  struct samples_stream *stream; /* NULL: none is looked at */
};

static bool sample_times_begin_lane(void *context, void *opened, const struct pass_location *location,
                                    struct error *error)
{
  struct sample_times_analysis *analysis = context;
  struct time_lane *lane = opened;
  lane->analysis = analysis;
  lane->location = location->number;
  return samples_stream_of(analysis->trace, analysis->samples, location->number, &lane->stream, error);
}

static void sample_times_close_lane(void *context, void *opened)
{
  (void)context;
  samples_stream_close(((struct time_lane *)opened)->stream);
}

/* Keeps every second one. */
static void thin(struct sample_times_lane *lane)
{
  size_t kept = 0;
  for (size_t i = 0; i < lane->list.count; i += 2)
    lane->list.items[kept++] = lane->list.items[i];
  lane->list.count = kept;
  lane->every *= 2;
}

bool sample_times_add(struct sample_times_lane *lane, const struct samples_event *event, uint64_t number, size_t most)
{
  if (lane->every == 0)
    lane->every = 1;
  if (number % lane->every != 0)
    return true;
  if (lane->list.count >= most) {
    thin(lane);
    if (number % lane->every != 0)
      return true;
  }
  return vector_push(&lane->list, *event);
}

static bool sample_times_end_lane(void *opened)
{
  struct time_lane *lane = opened;
  const struct samples_event *event;
  const struct trace *trace = lane->analysis->trace;
  uint64_t number = 0;
  if (!lane->stream)
    return true;
  while ((event = samples_stream_peek(lane->stream)) != NULL) {
    if (trace_time_is_inside(trace, event->time) &&
        !sample_times_add(&lane->analysis->times.lanes[lane->location], event, number++, lane->analysis->most))
      return false;
    samples_stream_take(lane->stream);
  }
  return !samples_stream_failed(lane->stream);
}

/* The part of a thread among the threads with samples. */
static size_t sample_times_part_of(const struct trace *trace, const struct samples *samples)
{
  size_t threads = 0;
  for (uint32_t i = 0; i < trace->location_count; i++)
    threads += ref_map_get(&samples->locations, trace->locations[i].ref) != REF_MAP_NONE;
  size_t part = SAMPLE_TIMES_MOST / (threads > 0 ? threads : 1);
  return part > SAMPLE_TIMES_LEAST ? part : SAMPLE_TIMES_LEAST;
}

static bool sample_times_begin(void *state, const struct analysis_input *input)
{
  struct sample_times_analysis *analysis = state;
  size_t locations = input->trace->location_count;
  analysis->trace = input->trace;
  analysis->samples = input->options;
  analysis->most = sample_times_part_of(input->trace, analysis->samples);
  analysis->times = (struct sample_times){.lanes = calloc(locations + 1, sizeof *analysis->times.lanes),
                                          .lane_count = input->trace->location_count};
  return analysis->times.lanes != NULL;
}

static bool sample_times_end(void *state, void *result, struct error *error)
{
  (void)error;
  struct sample_times_analysis *analysis = state;
  *(struct sample_times *)result = analysis->times;
  analysis->times = (struct sample_times){0};
  return true;
}

static void sample_times_free(void *result)
{
  struct sample_times *times = result;
  for (uint32_t i = 0; times->lanes && i < times->lane_count; i++)
    vector_free(&times->lanes[i].list);
  free(times->lanes);
  *times = (struct sample_times){0};
}

static void sample_times_drop(void *state)
{
  sample_times_free(&((struct sample_times_analysis *)state)->times);
}

const struct analysis sample_times_analysis = {.name = "sample times",
                                               .state_size = sizeof(struct sample_times_analysis),
                                               .result_size = sizeof(struct sample_times),
                                               .begin = sample_times_begin,
                                               .lanes = {.stateless = true,
                                                         .lane_size = sizeof(struct time_lane),
                                                         .begin = sample_times_begin_lane,
                                                         .end = sample_times_end_lane,
                                                         .close = sample_times_close_lane},
                                               .end = sample_times_end,
                                               .drop = sample_times_drop,
                                               .free = sample_times_free};
