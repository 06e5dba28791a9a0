/*
 * Filtering: states that take less than a time in all, or occur less often than a number, are rare. A run of rare
 * states becomes one aggregate, named by the states before and after it: runs between the same two are the same
 * aggregate. A run that begins the sequence has no state before it. Behind a run that ends it comes the terminal state,
 * unless that is rare, too, so that the run goes on beyond what was seen, or unknown: then it has no state after it.
 */
#include "analyzer/models/transforms/quantity.h"
#include "analyzer/models/transforms/stage.h"
#include "analyzer/models/transforms/types.h"
#include "analyzer/models/transforms/words.h"
#include "base/hash.h"

#include <stdlib.h>

struct filter {
  struct stage stage;
  bool *rare; /* by state */
  uint32_t state_count;
  struct hash aggregates; /* before << 32 | after -> state */
  bool counted;           /* the sequences that aggregates stand for: once is enough */
  uint32_t before;
  uint64_t run_entry, run_length;
  uint32_t run[PES_RUN_LENGTH_MAX]; /* the first of them */
};

/* The aggregate between the two, a new state if there is none yet. PES_NONE: out of memory. */
static uint32_t find_aggregate(struct filter *filter, uint32_t before, uint32_t after)
{
  uint64_t key = (uint64_t)before << 32 | after;
  const uint64_t *known = hash_find(&filter->aggregates, key);
  if (known)
    return (uint32_t)*known;
  uint32_t aggregate = pes_states_add_filter(filter->stage.stream.states, NULL, before, after);
  return aggregate != PES_NONE && hash_add(&filter->aggregates, key, aggregate) ? aggregate : PES_NONE;
}

/* Forgets what the aggregates stood for. */
static void clear_runs(const struct filter *filter)
{
  for (size_t i = 0; i < filter->aggregates.room; i++)
    if (filter->aggregates.entries[i].used)
      pes_states_clear_runs(filter->stage.stream.states, (uint32_t)filter->aggregates.entries[i].value);
}

/* Puts the aggregate of the run that was read. */
static bool put_run(struct filter *filter, uint32_t after, struct error *error)
{
  struct pes_states *states = filter->stage.stream.states;
  uint32_t aggregate = find_aggregate(filter, filter->before, after);
  if (aggregate == PES_NONE)
    return error_set(error, "out of memory");
  if (!filter->counted && filter->run_length > PES_RUN_LENGTH_MAX)
    pes_states_add_other_runs(states, aggregate, 1);
  else if (!filter->counted && !pes_states_add_run(states, aggregate, filter->run, (uint32_t)filter->run_length, 1))
    return error_set(error, "out of memory");
  stage_put(&filter->stage, filter->run_entry, aggregate);
  filter->run_length = 0;
  return true;
}

static bool filter_take(struct stage *stage, struct error *error)
{
  struct filter *filter = (struct filter *)stage;
  for (; stage->in_at < stage->in_count && stage_has_room(stage); stage->in_at++) {
    const struct pes_record *record = &stage->in[stage->in_at];
    if (record->state >= filter->state_count)
      return error_set(error, "the sequence has changed since it was read first");
    if (filter->rare[record->state]) {
      if (filter->run_length == 0)
        filter->run_entry = record->entry;
      if (filter->run_length < PES_RUN_LENGTH_MAX)
        filter->run[filter->run_length] = record->state;
      filter->run_length++;
      continue;
    }
    if (filter->run_length > 0 && !put_run(filter, record->state, error))
      return false;
    stage_put(stage, record->entry, record->state);
    filter->before = record->state;
  }
  return true;
}

static bool filter_finish(struct stage *stage, struct error *error)
{
  struct filter *filter = (struct filter *)stage;
  uint32_t terminal = stage->stream.end.terminal;
  bool goes_on = terminal >= filter->state_count || filter->rare[terminal];
  if (filter->run_length > 0 && !put_run(filter, goes_on ? PES_NONE : terminal, error))
    return false;
  filter->counted = true;
  return true;
}

static bool filter_restart(struct stage *stage, struct error *error)
{
  struct filter *filter = (struct filter *)stage;
  (void)error;
  if (!filter->counted)
    clear_runs(filter);
  filter->before = PES_NONE;
  filter->run_length = 0;
  return true;
}

static void filter_destroy(struct stage *stage)
{
  struct filter *filter = (struct filter *)stage;
  free(filter->rare);
  hash_free(&filter->aggregates);
  free(filter);
}

/* What is rare: exactly one of the two counts. */
struct threshold {
  bool by_time;
  struct quantity time;
  uint64_t count;
};

static bool set_rare(struct filter *filter, const struct threshold *threshold, const struct pes_state_totals *totals,
                     struct error *error)
{
  uint64_t scale = 0;
  uint64_t ticks_per_second = filter->stage.stream.program->ticks_per_second;
  if (threshold->by_time && !quantity_scale(&threshold->time, totals->duration, ticks_per_second, &scale, error))
    return false;
  filter->state_count = totals->states.count;
  filter->rare = malloc((totals->states.count + 1) * sizeof *filter->rare);
  if (!filter->rare)
    return error_set(error, "out of memory");
  for (uint32_t i = 0; i < totals->states.count; i++)
    filter->rare[i] = threshold->by_time ? quantity_exceeds(&threshold->time, scale, totals->states.items[i].time)
                                         : totals->states.items[i].count < threshold->count;
  return true;
}

static struct pes_stream *open_filter(struct pes_stream *source, const struct threshold *threshold, struct error *error)
{
  static const struct stage_class class = {filter_take, filter_finish, filter_restart, filter_destroy};
  struct pes_state_totals totals;
  struct filter *filter = calloc(1, sizeof *filter);
  if (!filter) {
    error_set(error, "out of memory");
    return NULL;
  }
  stage_init(&filter->stage, &class, source, 2);
  filter->before = PES_NONE;
  bool good = pes_state_totals_read(&totals, source, error) && set_rare(filter, threshold, &totals, error) &&
              pes_rewind(source, error);
  pes_state_totals_free(&totals);
  if (good)
    return &filter->stage.stream;
  filter_destroy(&filter->stage);
  return NULL;
}

static bool filter_parse_time(const char *argument, struct threshold *threshold, struct error *error)
{
  *threshold = (struct threshold){.by_time = true};
  if (!quantity_parse(argument, &threshold->time, error))
    return false;
  if (threshold->time.unit == QUANTITY_PLAIN && threshold->time.mantissa > threshold->time.divisor)
    return error_set(error, "%s is more than the whole; a time needs a unit: ticks, ns, us, ms or s", argument);
  return true;
}

static bool filter_check_time(const char *argument, struct error *error)
{
  struct threshold threshold;
  return filter_parse_time(argument, &threshold, error);
}

static struct pes_stream *filter_open_time(struct pes_stream *source, const char *argument, struct error *error)
{
  struct threshold threshold;
  return filter_parse_time(argument, &threshold, error) ? open_filter(source, &threshold, error) : NULL;
}

const struct transform_type transform_filter_time = {"filter-time", false, filter_check_time, filter_open_time};

static bool parse_count(const char *argument, struct threshold *threshold, struct error *error)
{
  *threshold = (struct threshold){.by_time = false};
  return words_number(argument, &threshold->count) || error_set(error, "`%s` is not a whole number", argument);
}

static bool check_count(const char *argument, struct error *error)
{
  struct threshold threshold;
  return parse_count(argument, &threshold, error);
}

static struct pes_stream *open_count(struct pes_stream *source, const char *argument, struct error *error)
{
  struct threshold threshold;
  return parse_count(argument, &threshold, error) ? open_filter(source, &threshold, error) : NULL;
}

const struct transform_type transform_filter_count = {"filter-count", false, check_count, open_count};
