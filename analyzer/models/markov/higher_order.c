#include "analyzer/models/markov/higher_order.h"

#include "analyzer/models/markov/pooling.h"
#include "analyzer/models/markov/statistics.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void give_up(struct markov_histories *histories, unsigned length)
{
  for (unsigned i = length; i <= MARKOV_HISTORY_MOST; i++) {
    vector_free(&histories->levels[i].nodes);
    hash_free(&histories->levels[i].index);
  }
  histories->most = length - 1;
}

bool markov_histories_begin(struct markov_histories *histories, unsigned most)
{
  memset(histories, 0, sizeof *histories);
  histories->most = most;
  return vector_push(&histories->levels[0].nodes,
                     ((struct markov_history){.child_state = UINT32_MAX, .child = UINT32_MAX}));
}

void markov_histories_free(struct markov_histories *histories)
{
  give_up(histories, 1);
  vector_free(&histories->levels[0].nodes);
}

/* The child of a history of length - 1; UINT32_MAX: out of memory, or too many. */
static uint32_t find_child(struct markov_histories *histories, unsigned length, uint32_t parent, uint32_t suffix,
                           uint32_t state)
{
  struct markov_history *above = &histories->levels[length - 1].nodes.items[parent];
  struct markov_history_level *level = &histories->levels[length];
  if (above->child_state == state && above->child != UINT32_MAX)
    return above->child;
  uint64_t key = (uint64_t)parent << 32 | state;
  uint64_t *known = hash_find(&level->index, key);
  uint32_t child = known ? (uint32_t)*known : (uint32_t)level->nodes.count;
  if (!known &&
      (child >= MARKOV_HISTORIES_MOST || !hash_add(&level->index, key, child) ||
       !vector_push(
           &level->nodes,
           ((struct markov_history){
               .parent = parent, .suffix = suffix, .state = state, .child_state = UINT32_MAX, .child = UINT32_MAX}))))
    return UINT32_MAX;
  above->child_state = state;
  above->child = child;
  return child;
}

bool markov_histories_add(struct markov_histories *histories, uint32_t state)
{
  uint32_t parent = 0, suffix = 0;
  if (histories->seen < histories->most)
    histories->seen++;
  for (unsigned length = 1; length <= histories->seen && length <= histories->most; length++) {
    uint32_t now = find_child(histories, length, parent, suffix, state);
    if (now == UINT32_MAX && histories->levels[length].nodes.count >= MARKOV_HISTORIES_MOST) {
      give_up(histories, length);
      return true;
    }
    if (now == UINT32_MAX)
      return false;
    histories->levels[length].nodes.items[now].count++;
    parent = histories->current[length]; /* of the states before this one */
    histories->current[length] = suffix = now;
  }
  return true;
}

void markov_history_states(const struct markov_histories *histories, unsigned length, uint32_t history,
                           uint32_t *states)
{
  for (; length > 0; length--) {
    const struct markov_history *node = &histories->levels[length].nodes.items[history];
    states[length - 1] = node->state;
    history = node->parent;
  }
}

#define VISITS_MIN 5 /* occurrences of a history, on average, before "always the same state follows" is significant */

/* A table for each history of `order` states; rows are the states before it, columns those after it. */
static bool test_order(const struct markov_histories *histories, unsigned order, uint32_t states,
                       struct markov_independence *result)
{
  const struct markov_history_level *level = &histories->levels[order + 2], *above = &histories->levels[order + 1];
  struct markov_table_cell *cells = calloc(level->nodes.count + 1, sizeof *cells);
  if (!cells)
    return false;
  for (size_t i = 0; i < level->nodes.count; i++) {
    const struct markov_history *node = &level->nodes.items[i];
    cells[i] = (struct markov_table_cell){.table = above->nodes.items[node->parent].suffix,
                                          .row = node->parent,
                                          .column = node->state,
                                          .count = node->count};
  }
  bool good = markov_independence_test(cells, level->nodes.count, states, result);
  free(cells);
  return good;
}

/*
 * Part of the transitions that go to the most frequent successor of the same `order` states; NAN: histories recur too
 * rarely.
 */
static bool find_determined(const struct markov_histories *histories, unsigned order, double *determined)
{
  const struct markov_history_level *level = &histories->levels[order + 1];
  size_t above = histories->levels[order].nodes.count;
  uint64_t *most = calloc(above + 1, sizeof *most), all = 0, best = 0;
  if (!most)
    return false;
  for (size_t i = 0; i < level->nodes.count; i++) {
    const struct markov_history *node = &level->nodes.items[i];
    all += node->count;
    if (node->count > most[node->parent])
      most[node->parent] = node->count;
  }
  for (size_t i = 0; i < above; i++)
    best += most[i];
  free(most);
  *determined = (double)all >= VISITS_MIN * (double)above && all > 0 ? (double)best / (double)all : NAN;
  return true;
}

static bool memory_fill(const struct markov_histories *histories, unsigned order, uint32_t states, double level,
                        struct markov_order_test *test)
{
  struct markov_independence result;
  if (!test_order(histories, order, states, &result) || !find_determined(histories, order, &test->determined))
    return false;
  test->chi_square = result.chi_square;
  test->g = result.g;
  test->freedom = result.freedom;
  test->tested = result.tested;
  test->open = result.open;
  test->is_tested = markov_independence_is_tested(&result);
  if (test->is_tested) {
    test->p = markov_independence_p(&result);
    test->difference = markov_independence_difference(&result);
    test->smallest = markov_smallest_difference(level, result.freedom, result.freedom > 0 ? result.tested : result.all);
  }
  return true;
}

bool markov_memory_test(const struct markov_histories *histories, uint32_t states, double level, double tolerance,
                        struct markov_memory *memory)
{
  *memory = (struct markov_memory){.order = 1};
  for (unsigned i = 0; i < MARKOV_ORDERS; i++) {
    struct markov_order_test *test = &memory->orders[i];
    *test = (struct markov_order_test){.p = NAN, .difference = NAN, .determined = NAN, .smallest = NAN};
    if (i + 3 <= histories->most && !memory_fill(histories, i + 1, states, level / MARKOV_ORDERS, test))
      return false;
    if (test->is_tested && test->p < level / MARKOV_ORDERS && test->difference > tolerance)
      memory->order = i + 2;
  }
  memory->is_determined = memory->order <= MARKOV_ORDERS && memory->orders[memory->order - 1].determined == 1;
  return true;
}

struct expansion {
  struct pes_stream stream;
  struct pes_stream *source;
  unsigned order;
  struct markov_histories histories;
  VECTOR(uint32_t) numbers[MARKOV_ORDER_MOST + 1]; /* by length and history: its state, or PES_NONE */
  uint32_t added;
};

static bool expand_out_of_memory(struct error *error)
{
  return error_set(error, "out of memory");
}

/* "B.D.A"; "^.A" if the run began so. The caller frees it. */
static char *name_history(const struct expansion *expansion, const uint32_t *states, unsigned length)
{
  char *text = NULL;
  size_t size;
  FILE *file = open_memstream(&text, &size);
  if (!file)
    return NULL;
  if (length < expansion->order)
    fputs("^.", file);
  for (unsigned i = 0; i < length; i++) {
    char *name = pes_state_name(expansion->stream.program, expansion->stream.states, states[i]);
    fprintf(file, "%s%s", i > 0 ? "." : "", name ? name : "");
    free(name);
  }
  return fclose(file) == 0 ? text : NULL;
}

static uint32_t add_history(struct expansion *expansion, unsigned length, uint32_t history)
{
  uint32_t states[MARKOV_ORDER_MOST];
  markov_history_states(&expansion->histories, length, history, states);
  char *name = name_history(expansion, states, length);
  uint32_t number = name ? pes_states_add_pattern(expansion->stream.states, name) : PES_NONE;
  free(name);
  if (number != PES_NONE && !pes_states_add_run(expansion->stream.states, number, states, length, 1))
    return PES_NONE;
  return number;
}

/* Replaces a state by the state of its history. False: out of memory, or too many. */
static bool expand(struct expansion *expansion, uint32_t state, uint32_t *expanded, struct error *error)
{
  struct markov_histories *histories = &expansion->histories;
  if (!markov_histories_add(histories, state))
    return expand_out_of_memory(error);
  unsigned length = histories->seen;
  if (histories->most < expansion->order || expansion->added > MARKOV_EXPANDED_MOST)
    return error_set(error, "there are more than %d different histories of %u states; give a lower --order",
                     MARKOV_EXPANDED_MOST, expansion->order);
  uint32_t history = histories->current[length];
  size_t known = expansion->numbers[length].count;
  if (history >= known) {
    if (!vector_resize(&expansion->numbers[length], (size_t)history + 1))
      return expand_out_of_memory(error);
    for (size_t i = known; i <= history; i++)
      expansion->numbers[length].items[i] = PES_NONE;
  }
  uint32_t *number = &expansion->numbers[length].items[history];
  if (*number == PES_NONE) {
    *number = add_history(expansion, length, history);
    expansion->added++;
  }
  *expanded = *number;
  return *number != PES_NONE || expand_out_of_memory(error);
}

static bool expand_next(struct pes_stream *stream, struct pes_record *records, size_t *count, struct error *error)
{
  struct expansion *expansion = (struct expansion *)stream;
  bool good = pes_next(expansion->source, records, count, error);
  for (size_t i = 0; good && i < *count; i++)
    good = expand(expansion, records[i].state, &records[i].state, error);
  if (good && *count == 0) {
    stream->end = expansion->source->end;
    if (stream->end.terminal != PES_NONE)
      good = expand(expansion, stream->end.terminal, &stream->end.terminal, error);
  }
  return good;
}

static bool expand_begin_again(struct pes_stream *stream, struct error *error)
{
  struct expansion *expansion = (struct expansion *)stream;
  expansion->histories.seen = 0;
  return pes_rewind(expansion->source, error);
}

static void close_expansion(struct pes_stream *stream)
{
  struct expansion *expansion = (struct expansion *)stream;
  for (unsigned i = 0; i <= MARKOV_ORDER_MOST; i++)
    vector_free(&expansion->numbers[i]);
  markov_histories_free(&expansion->histories);
  pes_states_free(stream->states);
  free(expansion);
}

/* Reads the source, so that its table has all states. */
static bool read_through(struct pes_stream *source, struct error *error)
{
  struct pes_record *records = malloc(PES_BATCH * sizeof *records);
  size_t count = 1;
  bool good = records ? pes_rewind(source, error) : expand_out_of_memory(error);
  while (good && count > 0)
    good = pes_next(source, records, &count, error);
  free(records);
  return good && pes_rewind(source, error);
}

struct pes_stream *markov_expand(struct pes_stream *source, unsigned order, struct error *error)
{
  static const struct pes_class class = {expand_next, expand_begin_again, close_expansion};
  if (!read_through(source, error))
    return NULL;
  struct expansion *expansion = calloc(1, sizeof *expansion);
  if (!expansion) {
    expand_out_of_memory(error);
    return NULL;
  }
  expansion->source = source;
  expansion->order = order;
  expansion->stream = (struct pes_stream){.class = &class, .program = source->program};
  expansion->stream.states = markov_copy_states(source->states);
  if (!markov_histories_begin(&expansion->histories, order) || !expansion->stream.states) {
    expand_out_of_memory(error);
    close_expansion(&expansion->stream);
    return NULL;
  }
  return &expansion->stream;
}

uint32_t markov_present_state(const struct markov_model *model, uint32_t state)
{
  const struct pes_state *of = pes_state(model->states, state);
  if (model->order <= 1 || !markov_state_is_used(model, state) || of->run_count == 0 || of->runs[0].length == 0)
    return state;
  return of->runs[0].states[of->runs[0].length - 1];
}

static bool read_histories(struct markov_histories *histories, struct pes_stream *stream, struct error *error)
{
  struct pes_record *records = malloc(PES_BATCH * sizeof *records);
  size_t count = 1;
  bool good =
      (records && markov_histories_begin(histories, MARKOV_ORDER_MOST + 1)) || error_set(error, "out of memory");
  good = good && pes_rewind(stream, error);
  while (good && count > 0) {
    good = pes_next(stream, records, &count, error);
    for (size_t i = 0; good && i < count; i++)
      good = markov_histories_add(histories, records[i].state) || error_set(error, "out of memory");
  }
  free(records);
  return good;
}

/* leaving[h]: departures from a history of this length. NULL: out of memory. */
static double *count_leaving(const struct markov_histories *histories, unsigned length)
{
  const struct markov_history_level *behind = &histories->levels[length + 1];
  double *leaving = calloc(histories->levels[length].nodes.count + 1, sizeof *leaving);
  for (size_t i = 0; leaving && i < behind->nodes.count; i++)
    leaving[behind->nodes.items[i].parent] += (double)behind->nodes.items[i].count;
  return leaving;
}

/* successors[s]: number of states that follow a state. NULL: out of memory. */
static uint32_t *count_successors(const struct markov_histories *histories, uint32_t states)
{
  const struct markov_history_level *first = &histories->levels[1], *second = &histories->levels[2];
  uint32_t *successors = calloc((size_t)states + 1, sizeof *successors);
  for (size_t i = 0; successors && i < second->nodes.count; i++)
    successors[first->nodes.items[second->nodes.items[i].parent].state]++;
  return successors;
}

static bool add_order(struct markov_criterion *criterion, const struct markov_histories *histories, unsigned order,
                      const uint32_t *successors)
{
  const struct markov_history_level *level = &histories->levels[order], *behind = &histories->levels[order + 1];
  double *leaving = count_leaving(histories, order);
  if (!leaving)
    return false;
  for (size_t i = 0; i < behind->nodes.count; i++) {
    const struct markov_history *node = &behind->nodes.items[i];
    criterion->log_likelihood[order - 1] += (double)node->count * log((double)node->count / leaving[node->parent]);
  }
  for (size_t i = 0; i < level->nodes.count; i++) {
    if (leaving[i] > 0)
      criterion->parameters[order - 1] += successors[level->nodes.items[i].state] - 1.;
  }
  for (size_t i = 0; order == 1 && i < level->nodes.count; i++)
    criterion->transitions += leaving[i];
  free(leaving);
  return true;
}

bool markov_criterion_add(struct markov_criterion *criterion, struct pes_stream *stream, struct error *error)
{
  struct markov_histories histories = {0};
  bool good = read_histories(&histories, stream, error);
  uint32_t *successors =
      good && histories.most >= 2 ? count_successors(&histories, pes_states_count(stream->states)) : NULL;
  unsigned most = histories.most >= 2 ? histories.most - 1 : 1;
  if (good && histories.most >= 2)
    good = successors || error_set(error, "out of memory");
  for (unsigned order = 1; good && successors && order <= most; order++)
    good = add_order(criterion, &histories, order, successors) || error_set(error, "out of memory");
  criterion->most = criterion->most == 0 || most < criterion->most ? most : criterion->most;
  markov_histories_free(&histories);
  free(successors);
  return good;
}

double markov_criterion_value(const struct markov_criterion *criterion, unsigned order)
{
  double weight = criterion->transitions > 0 ? log(criterion->transitions) : 0;
  return -2 * criterion->log_likelihood[order - 1] + criterion->parameters[order - 1] * weight;
}

unsigned markov_criterion_best(const struct markov_criterion *criterion)
{
  unsigned best = 1;
  for (unsigned order = 2; order <= criterion->most; order++) {
    if (markov_criterion_value(criterion, order) < markov_criterion_value(criterion, best))
      best = order;
  }
  return best;
}
