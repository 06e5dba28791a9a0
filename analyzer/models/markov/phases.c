#include "analyzer/models/markov/phases.h"

#include "analyzer/models/markov/durations.h"
#include "analyzer/models/markov/ensemble.h"
#include "analyzer/models/markov/model.h"

#include <math.h>
#include <stdlib.h>

struct part {
  struct pes_stream stream;
  struct pes_stream *source;
  uint64_t first, behind, number; /* number: of the source's next record */
  bool is_over;
};

/* Keeps the records of a batch that are in the slice. Returns their number. */
static size_t keep(struct part *part, struct pes_record *records, size_t count)
{
  size_t kept = 0;
  for (size_t i = 0; i < count && !part->is_over; i++) {
    uint64_t number = part->number++;
    if (number >= part->behind) {
      part->stream.end = (struct pes_end){.time = records[i].entry, .terminal = PES_NONE};
      part->is_over = true;
    } else if (number >= part->first) {
      records[kept++] = records[i];
    }
  }
  return kept;
}

static bool part_next(struct pes_stream *stream, struct pes_record *records, size_t *count, struct error *error)
{
  struct part *part = (struct part *)stream;
  *count = 0;
  while (*count == 0 && !part->is_over) {
    size_t read;
    if (!pes_next(part->source, records, &read, error))
      return false;
    if (read == 0) {
      part->stream.end = part->source->end;
      part->is_over = true;
    }
    *count = keep(part, records, read);
  }
  return true;
}

static bool part_begin_again(struct pes_stream *stream, struct error *error)
{
  struct part *part = (struct part *)stream;
  part->number = 0;
  part->is_over = false;
  return pes_rewind(part->source, error);
}

static void close_part(struct pes_stream *stream)
{
  free(stream);
}

struct pes_stream *markov_slice(struct pes_stream *source, uint64_t first, uint64_t records, struct error *error)
{
  static const struct pes_class class = {part_next, part_begin_again, close_part};
  struct part *part = calloc(1, sizeof *part);
  if (!part) {
    error_set(error, "out of memory");
    return NULL;
  }
  *part = (struct part){.stream = {.class = &class,
                                   .program = source->program,
                                   .states = source->states,
                                   .has_all_states = source->has_all_states},
                        .source = source,
                        .first = first,
                        .behind = records > UINT64_MAX - first ? UINT64_MAX : first + records};
  return &part->stream;
}

#define PHASES_PRIOR 0.5 /* added to each count, so that nothing is impossible */

const struct markov_change_options markov_change_usual = {.level = 0.05, .tolerance = 0.05, .seed = 1};

struct phases_search {
  struct pes_stream *stream;
  const struct markov_model *run;
  struct markov_phases *phases;
  struct markov_blocks blocks;
  struct markov_durations durations;
  double *edges, *classes; /* by phase, then edge, or state and class: counts; later, logarithms of probabilities */
  uint64_t *places;        /* by change: the best one so far */
  double *sums, *best;     /* by change: the logarithm of the likelihood of a change behind this record */
  uint32_t phase;          /* of the last record */
  struct error *error;
};

static bool phases_out_of_memory(struct error *error)
{
  return error_set(error, "out of memory");
}

/* Reads the run once. */
static bool phases_walk(struct phases_search *search, void (*take)(void *search, const struct markov_step *step))
{
  return markov_steps(search->stream, search->run, take, search, search->error);
}

static void take_block(void *context, const struct markov_step *seen)
{
  struct phases_search *search = context;
  markov_blocks_add(&search->blocks, seen->state, (double)seen->ticks, seen->edge);
}

static uint64_t phases_distance(uint64_t one, uint64_t other)
{
  return one < other ? other - one : one - other;
}

static double *class_of(struct phases_search *search, uint32_t phase, const struct markov_step *seen)
{
  unsigned class = markov_duration_class(&search->durations, seen->state, seen->ticks);
  return &search->classes[((size_t)phase * search->run->count + seen->state) * MARKOV_CLASSES + class];
}

/* Counts the records of each phase away from its ends, which may be a block off. */
static void take_counts(void *context, const struct markov_step *seen)
{
  struct phases_search *search = context;
  const struct markov_changes *changes = &search->phases->changes;
  while (search->phase < changes->count && seen->number >= changes->list[search->phase].record)
    search->phase++;
  uint32_t phase = search->phase;
  bool is_near =
      (phase > 0 && phases_distance(seen->number, changes->list[phase - 1].record) < changes->length / 2) ||
      (phase < changes->count && phases_distance(seen->number, changes->list[phase].record) < changes->length / 2);
  if (is_near)
    return;
  if (seen->edge != SIZE_MAX)
    search->edges[(size_t)phase * search->run->edge_count + seen->edge]++;
  ++*class_of(search, phase, seen);
}

static void to_logarithms(double *counts, size_t count)
{
  double all = 0;
  for (size_t i = 0; i < count; i++)
    all += counts[i] += PHASES_PRIOR;
  for (size_t i = 0; i < count; i++)
    counts[i] = log(counts[i] / all);
}

static void find_likelihoods(struct phases_search *search)
{
  const struct markov_model *run = search->run;
  for (uint32_t phase = 0; phase <= search->phases->changes.count; phase++) {
    for (uint32_t i = 0; i < run->count; i++) {
      size_t first = run->list[i].edge_count > 0 ? (size_t)(run->list[i].edges - run->edges) : 0;
      to_logarithms(&search->edges[(size_t)phase * run->edge_count + first], run->list[i].edge_count);
      to_logarithms(&search->classes[((size_t)phase * run->count + i) * MARKOV_CLASSES], MARKOV_CLASSES);
    }
  }
}

/* Near a change: log ratio of this record's probability in the phase before and in the phase after. */
static void take_place(void *context, const struct markov_step *seen)
{
  struct phases_search *search = context;
  const struct markov_changes *changes = &search->phases->changes;
  for (uint32_t i = search->phase; i < changes->count; i++) {
    uint64_t place = changes->list[i].record;
    if (seen->number + changes->length < place)
      break;
    if (seen->number >= place + changes->length) {
      search->phase = i + 1;
      continue;
    }
    search->sums[i] += *class_of(search, i, seen) - *class_of(search, i + 1, seen);
    if (seen->edge != SIZE_MAX)
      search->sums[i] += search->edges[(size_t)i * search->run->edge_count + seen->edge] -
                         search->edges[(size_t)(i + 1) * search->run->edge_count + seen->edge];
    if (search->sums[i] > search->best[i]) {
      search->best[i] = search->sums[i];
      search->places[i] = seen->number + 1;
    }
  }
}

static bool refine(struct phases_search *search)
{
  struct markov_changes *changes = &search->phases->changes;
  size_t phases = (size_t)changes->count + 1;
  search->edges = calloc(phases * search->run->edge_count + 1, sizeof(double));
  search->classes = calloc(phases * search->run->count * MARKOV_CLASSES + 1, sizeof(double));
  search->sums = calloc(phases, sizeof(double));
  search->best = calloc(phases, sizeof(double));
  search->places = calloc(phases, sizeof(uint64_t));
  if (!search->edges || !search->classes || !search->sums || !search->best || !search->places)
    return phases_out_of_memory(search->error);
  for (uint32_t i = 0; i < changes->count; i++) /* where the search begins: all around is of the phase behind it */
    search->places[i] = changes->list[i].record > changes->length ? changes->list[i].record - changes->length : 1;
  search->phase = 0;
  if (!phases_walk(search, take_counts))
    return false;
  find_likelihoods(search);
  search->phase = 0;
  if (!phases_walk(search, take_place))
    return false;
  for (uint32_t i = 0; i < changes->count; i++) {
    uint64_t least = i > 0 ? changes->list[i - 1].record + 1 : 1;
    changes->list[i].record = search->places[i] < least ? least : search->places[i];
  }
  return true;
}

static void take_phase(void *context, const struct markov_step *seen)
{
  struct phases_search *search = context;
  struct markov_phases *phases = search->phases;
  while (search->phase < phases->changes.count && seen->number >= phases->changes.list[search->phase].record)
    search->phase++;
  struct markov_phase *phase = &phases->list[search->phase];
  if (phase->records++ == 0) {
    phase->first = seen->number;
    phase->begin = seen->entry;
  }
  phase->duration += seen->ticks;
  phase->times[seen->state] += (double)seen->ticks;
  phase->visits[seen->state]++;
}

static bool fill_phases(struct phases_search *search)
{
  struct markov_phases *phases = search->phases;
  phases->states = search->run->count;
  phases->records = search->run->records;
  phases->duration = search->run->duration;
  phases->list = calloc((size_t)phases->changes.count + 1, sizeof *phases->list);
  if (!phases->list)
    return phases_out_of_memory(search->error);
  for (phases->count = 0; phases->count <= phases->changes.count; phases->count++) {
    struct markov_phase *phase = &phases->list[phases->count];
    const struct markov_change *change = phases->count > 0 ? &phases->changes.list[phases->count - 1] : NULL;
    *phase = (struct markov_phase){.times = calloc((size_t)phases->states + 1, sizeof(double)),
                                   .visits = calloc((size_t)phases->states + 1, sizeof(double)),
                                   .p = change ? change->p : NAN,
                                   .difference = change ? change->difference : NAN};
    if (!phase->times || !phase->visits) {
      phases->count++;
      return phases_out_of_memory(search->error);
    }
  }
  search->phase = 0;
  return phases_walk(search, take_phase);
}

bool markov_phases_changes(struct pes_stream *stream, const struct markov_model *run,
                           const struct markov_change_options *options, struct markov_changes *changes,
                           struct error *error)
{
  struct phases_search search = {.stream = stream, .run = run, .error = error};
  bool good = markov_blocks_begin(&search.blocks, run) || phases_out_of_memory(error);
  good = good && phases_walk(&search, take_block) &&
         (markov_changes_find(&search.blocks, options, changes) || phases_out_of_memory(error));
  markov_blocks_free(&search.blocks);
  return good;
}

static bool phases_find(struct phases_search *search, const struct markov_change_options *options)
{
  if (!markov_phases_changes(search->stream, search->run, options, &search->phases->changes, search->error))
    return false;
  if (!markov_durations_begin(&search->durations, search->run))
    return phases_out_of_memory(search->error);
  return (search->phases->changes.count == 0 || refine(search)) && fill_phases(search);
}

struct markov_phases *markov_phases_find(struct pes_stream *stream, const struct markov_change_options *options,
                                         struct error *error)
{
  struct markov_options rules = {MARKOV_DROP, MARKOV_RESTART, false};
  struct phases_search search = {.stream = stream, .error = error};
  struct markov_model *run = markov_model_of(stream, &rules, error);
  if (!run)
    return NULL;
  search.run = run;
  search.phases = calloc(1, sizeof *search.phases);
  bool good = search.phases ? phases_find(&search, options) : phases_out_of_memory(error);
  markov_durations_free(&search.durations);
  markov_model_free(run);
  free(search.edges);
  free(search.classes);
  free(search.sums);
  free(search.best);
  free(search.places);
  if (good)
    return search.phases;
  markov_phases_free(search.phases);
  return NULL;
}

void markov_phases_free(struct markov_phases *phases)
{
  if (!phases)
    return;
  for (uint32_t i = 0; i < phases->count; i++) {
    free(phases->list[i].times);
    free(phases->list[i].visits);
  }
  free(phases->list);
  free(phases);
}
