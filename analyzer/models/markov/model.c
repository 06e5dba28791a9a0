#include "analyzer/models/markov/model.h"

#include <stdlib.h>
#include <string.h>

void markov_model_free(struct markov_model *model)
{
  if (!model)
    return;
  for (uint32_t i = 0; i < model->count; i++)
    markov_distribution_free(&model->list[i].occupancy);
  free(model->list);
  free(model->edges);
  pes_program_free(model->program);
  pes_states_free(model->states);
  free(model);
}

bool markov_state_is_used(const struct markov_model *model, uint32_t state)
{
  const struct markov_state *of = &model->list[state];
  return of->occupancy.count > 0 || of->left > 0 || (model->options.terminal == MARKOV_KEEP && of->terminals > 0);
}

uint64_t markov_model_starts(const struct markov_model *model)
{
  uint64_t starts = 0;
  for (uint32_t i = 0; i < model->count; i++)
    starts += model->list[i].starts;
  return starts;
}

size_t markov_edge_index(const struct markov_model *model, uint32_t from, uint32_t to)
{
  const struct markov_state *state = &model->list[from];
  uint32_t low = 0, high = state->edge_count;
  while (low < high) {
    uint32_t middle = (low + high) / 2;
    if (state->edges[middle].to < to)
      low = middle + 1;
    else
      high = middle;
  }
  bool found = low < state->edge_count && state->edges[low].to == to;
  return found ? (size_t)(&state->edges[low] - model->edges) : SIZE_MAX;
}

bool markov_transition_counts_add(struct markov_transition_counts *counts, uint32_t from, uint32_t to, uint64_t times)
{
  uint64_t key = (uint64_t)from << 32 | to;
  uint64_t *count = hash_find(&counts->counts, key);
  if (!count)
    return hash_add(&counts->counts, key, times);
  *count += times;
  return true;
}

static int transition_counts_compare_transitions(const void *left, const void *right)
{
  const struct markov_transition *a = left, *b = right;
  int order = (a->from > b->from) - (a->from < b->from);
  return order != 0 ? order : (a->to > b->to) - (a->to < b->to);
}

/*
 * Returns all transitions by ascending from, then to; the caller frees them. NULL: out of memory (also if there are
 * none).
 */
static struct markov_transition *transition_counts_sorted(const struct markov_transition_counts *counts)
{
  const struct hash *hash = &counts->counts;
  struct markov_transition *transitions = malloc((hash->count + 1) * sizeof *transitions);
  size_t used = 0;
  if (!transitions)
    return NULL;
  for (size_t i = 0; i < hash->room; i++) {
    const struct hash_entry *entry = &hash->entries[i];
    if (entry->used)
      transitions[used++] =
          (struct markov_transition){(uint32_t)(entry->key >> 32), (uint32_t)entry->key, entry->value};
  }
  qsort(transitions, used, sizeof *transitions, transition_counts_compare_transitions);
  return transitions;
}

static void transition_counts_free(struct markov_transition_counts *counts)
{
  hash_free(&counts->counts);
}

struct walk {
  struct markov_run_counts *counts;
  struct pes_stream *stream;
  struct error *error;
  uint64_t num, den;
  uint64_t begin, entry; /* the first record's, the last one's; in the stream's ticks */
};

static bool run_counts_out_of_memory(struct error *error)
{
  return error_set(error, "out of memory");
}

/* There is room for all states that the stream knows by now. */
static bool run_counts_make_room(struct markov_run_counts *counts, const struct pes_stream *stream, struct error *error)
{
  uint32_t count = pes_states_count(stream->states);
  size_t before = counts->occupancies.count;
  if (count <= before)
    return true;
  if (!vector_resize(&counts->occupancies, count))
    return run_counts_out_of_memory(error);
  for (size_t i = before; i < count; i++)
    markov_distribution_begin(&counts->occupancies.items[i]);
  return true;
}

/* Differences of scaled times, not scaled differences, so that occupancies add up to the duration. */
static uint64_t scaled(const struct walk *walk, uint64_t time)
{
  uint64_t since = time - walk->begin;
  return walk->num == walk->den ? since : (uint64_t)((unsigned __int128)since * walk->num / walk->den);
}

static bool run_counts_leave(struct walk *walk, uint64_t time)
{
  struct markov_run_counts *counts = walk->counts;
  if (time < walk->entry)
    return error_set(walk->error, "times run backwards in the sequence");
  uint64_t ticks = scaled(walk, time) - scaled(walk, walk->entry);
  return markov_distribution_add(&counts->occupancies.items[counts->last], ticks, 1) ||
         run_counts_out_of_memory(walk->error);
}

static bool take_record(struct walk *walk, const struct pes_record *record)
{
  struct markov_run_counts *counts = walk->counts;
  if (record->state >= counts->occupancies.count)
    return error_set(walk->error, "a state is not in the table of states");
  if (counts->records == 0) {
    walk->begin = record->entry;
    counts->first = record->state;
  } else if (!run_counts_leave(walk, record->entry)) {
    return false;
  } else if (!markov_transition_counts_add(&counts->transitions, counts->last, record->state, 1)) {
    return run_counts_out_of_memory(walk->error);
  }
  counts->last = record->state;
  walk->entry = record->entry;
  counts->records++;
  return true;
}

static bool take_end(struct walk *walk)
{
  struct markov_run_counts *counts = walk->counts;
  if (counts->records == 0)
    return error_set(walk->error, "the sequence has no records");
  if (!run_counts_leave(walk, walk->stream->end.time))
    return false;
  counts->terminal = walk->stream->end.terminal;
  counts->duration = scaled(walk, walk->stream->end.time);
  if (counts->duration > INT64_MAX)
    return error_set(walk->error, "the sequence lasts 2^63 ticks or more");
  return run_counts_make_room(counts, walk->stream, walk->error) &&
         (counts->terminal == PES_NONE || counts->terminal < counts->occupancies.count ||
          error_set(walk->error, "the terminal state is not in the table of states"));
}

bool markov_run_counts_read(struct markov_run_counts *counts, struct pes_stream *stream, uint64_t num, uint64_t den,
                            struct error *error)
{
  memset(counts, 0, sizeof *counts);
  struct walk walk = {.counts = counts, .stream = stream, .error = error, .num = num, .den = den};
  struct pes_record *records = malloc(PES_BATCH * sizeof *records);
  size_t count = 1;
  bool good = records ? pes_rewind(stream, error) : run_counts_out_of_memory(error);
  while (good && count > 0) {
    good = pes_next(stream, records, &count, error) && run_counts_make_room(counts, stream, error);
    for (size_t i = 0; good && i < count; i++)
      good = take_record(&walk, &records[i]);
  }
  free(records);
  return good && take_end(&walk);
}

void markov_run_counts_free(struct markov_run_counts *counts)
{
  for (size_t i = 0; i < counts->occupancies.count; i++)
    markov_distribution_free(&counts->occupancies.items[i]);
  vector_free(&counts->occupancies);
  transition_counts_free(&counts->transitions);
  memset(counts, 0, sizeof *counts);
}

bool markov_pooled_counts_resize(struct markov_pooled_counts *pooled, uint32_t count)
{
  size_t before = pooled->states.count;
  if (count <= before)
    return true;
  if (!vector_resize(&pooled->states, count))
    return false;
  for (size_t i = before; i < count; i++)
    markov_distribution_begin(&pooled->states.items[i].occupancy);
  return true;
}

static bool add_transitions(struct markov_pooled_counts *pooled, const struct markov_run_counts *run,
                            const uint32_t *map)
{
  const struct hash *counts = &run->transitions.counts;
  bool good = true;
  for (size_t i = 0; good && i < counts->room; i++) {
    const struct hash_entry *entry = &counts->entries[i];
    if (entry->used)
      good = markov_transition_counts_add(&pooled->transitions, map[entry->key >> 32], map[(uint32_t)entry->key],
                                          entry->value);
  }
  return good;
}

bool markov_pooled_counts_add(struct markov_pooled_counts *pooled, const struct markov_run_counts *run,
                              const uint32_t *map, enum markov_terminal terminal, struct error *error)
{
  struct markov_state *states = pooled->states.items;
  if (run->duration > INT64_MAX - pooled->duration || run->records > INT64_MAX - pooled->records)
    return error_set(error, "all runs together last 2^63 ticks or more");
  bool good = add_transitions(pooled, run, map);
  for (size_t i = 0; good && i < run->occupancies.count; i++)
    good = markov_distribution_merge(&states[map[i]].occupancy, &run->occupancies.items[i]);
  states[map[run->first]].starts++;
  states[map[run->last]].ends++;
  if (run->terminal != PES_NONE) {
    states[map[run->terminal]].terminals++;
    if (good && terminal == MARKOV_KEEP)
      good = markov_transition_counts_add(&pooled->transitions, map[run->last], map[run->terminal], 1);
  }
  pooled->runs++;
  pooled->records += run->records;
  pooled->duration += run->duration;
  return good || error_set(error, "out of memory");
}

struct markov_model *markov_pooled_counts_to_model(struct markov_pooled_counts *pooled,
                                                   const struct markov_options *options)
{
  size_t count = markov_transition_counts_distinct(&pooled->transitions);
  struct markov_model *model = calloc(1, sizeof *model);
  struct markov_edge *edges = calloc(count + 1, sizeof *edges);
  struct markov_transition *transitions = transition_counts_sorted(&pooled->transitions);
  if (!model || !edges || !transitions) {
    free(model);
    free(edges);
    free(transitions);
    return NULL;
  }
  *model = (struct markov_model){.options = *options,
                                 .list = pooled->states.items,
                                 .count = (uint32_t)pooled->states.count,
                                 .edges = edges,
                                 .edge_count = count,
                                 .runs = pooled->runs,
                                 .records = pooled->records,
                                 .duration = pooled->duration};
  for (size_t i = 0; i < count; i++) {
    struct markov_state *state = &model->list[transitions[i].from];
    edges[i] = (struct markov_edge){transitions[i].to, transitions[i].count};
    if (state->edge_count++ == 0)
      state->edges = &edges[i];
    state->left += transitions[i].count;
  }
  free(transitions);
  pooled->states.items = NULL; /* the model's */
  pooled->states.count = 0;
  markov_pooled_counts_free(pooled);
  return model;
}

void markov_pooled_counts_free(struct markov_pooled_counts *pooled)
{
  for (size_t i = 0; i < pooled->states.count; i++)
    markov_distribution_free(&pooled->states.items[i].occupancy);
  vector_free(&pooled->states);
  transition_counts_free(&pooled->transitions);
  *pooled = (struct markov_pooled_counts){0};
}

bool markov_steps(struct pes_stream *stream, const struct markov_model *run,
                  void (*take)(void *context, const struct markov_step *step), void *context, struct error *error)
{
  struct pes_record *records = malloc(PES_BATCH * sizeof *records);
  struct markov_step last = {.state = PES_NONE};
  size_t count = 1;
  bool good = records ? pes_rewind(stream, error) : error_set(error, "out of memory");
  while (good && count > 0) {
    good = pes_next(stream, records, &count, error);
    for (size_t i = 0; good && i < count; i++) {
      struct markov_step next = {.entry = records[i].entry, .state = records[i].state};
      if (last.state != PES_NONE) {
        last.ticks = next.entry - last.entry;
        last.edge = markov_edge_index(run, last.state, next.state);
        next.number = last.number + 1;
        take(context, &last);
      }
      last = next;
    }
  }
  if (good && last.state != PES_NONE) {
    last.ticks = stream->end.time - last.entry;
    last.edge = SIZE_MAX;
    take(context, &last);
  }
  free(records);
  return good;
}
