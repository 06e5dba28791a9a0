/*
 * Filters and patterns: transforms that make aggregates.
 *
 * A filter replaces rare states, which take less than a time in total or occur less often than a number. A run of rare
 * states becomes one aggregate, named by the states before and after it. Runs between the same two states are the same
 * aggregate. A run at the begin has no state before it. A run at the end is followed by the terminal state; if that is
 * rare or unknown, the run has no state after it.
 */
#include "analyzer/models/transforms/arguments.h"
#include "analyzer/models/transforms/stage.h"
#include "base/hash.h"

#include <stdlib.h>
#include <string.h>

struct filter {
  struct stage stage;
  bool *rare; /* by state */
  uint32_t state_count;
  struct hash aggregates; /* before << 32 | after -> state */
  bool counted;           /* the sequences of aggregates are counted, which is done once */
  uint32_t before;
  uint64_t run_entry, run_length;
  uint32_t run[PES_RUN_LENGTH_MAX]; /* the first of them */
};

/* Returns the aggregate between two states, a new one if there is none. PES_NONE: out of memory. */
static uint32_t find_aggregate(struct filter *filter, uint32_t before, uint32_t after)
{
  uint64_t key = (uint64_t)before << 32 | after;
  const uint64_t *known = hash_find(&filter->aggregates, key);
  if (known)
    return (uint32_t)*known;
  uint32_t aggregate = pes_states_add_filter(filter->stage.stream.states, NULL, before, after);
  return aggregate != PES_NONE && hash_add(&filter->aggregates, key, aggregate) ? aggregate : PES_NONE;
}

/* Removes the sequences of the aggregates. */
static void clear_runs(const struct filter *filter)
{
  for (size_t i = 0; i < filter->aggregates.room; i++)
    if (filter->aggregates.entries[i].used)
      pes_states_clear_runs(filter->stage.stream.states, (uint32_t)filter->aggregates.entries[i].value);
}

/* Puts the aggregate of the present run. */
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

/* The limit of rare states; exactly one of the two is used. */
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

/*
 * Pattern S1,S2,...=NAME: each occurrence of the sequence becomes one state. Occurrences are found from left to right
 * without overlap, by Knuth, Morris and Pratt. Nothing is read twice, so only the entries of the matched records are
 * held back.
 */

struct pattern {
  struct stage stage;
  uint32_t aggregate;
  uint32_t length;
  uint32_t *states;
  uint32_t *borders; /* [n]: length of the match that remains if the state after n matched ones differs */
  uint64_t *held;    /* the entries of the matched records: a ring */
  uint32_t first, matched;
  uint64_t occurrences;
};

/* The first `count` matched records are no part of an occurrence. */
static void release(struct pattern *pattern, uint32_t count)
{
  for (uint32_t i = 0; i < count; i++) {
    stage_put(&pattern->stage, pattern->held[pattern->first], pattern->states[i]);
    pattern->first = pattern->first + 1 == pattern->length ? 0 : pattern->first + 1;
  }
  pattern->matched -= count;
}

static void hold(struct pattern *pattern, uint64_t entry)
{
  uint32_t at = pattern->first + pattern->matched++;
  pattern->held[at < pattern->length ? at : at - pattern->length] = entry;
  if (pattern->matched < pattern->length)
    return;
  stage_put(&pattern->stage, pattern->held[pattern->first], pattern->aggregate);
  pattern->matched = 0;
  pattern->occurrences++;
}

static bool pattern_take(struct stage *stage, struct error *error)
{
  struct pattern *pattern = (struct pattern *)stage;
  (void)error;
  for (; stage->in_at < stage->in_count && stage_has_room(stage); stage->in_at++) {
    const struct pes_record *record = &stage->in[stage->in_at];
    while (pattern->matched > 0 && record->state != pattern->states[pattern->matched])
      release(pattern, pattern->matched - pattern->borders[pattern->matched]);
    if (record->state == pattern->states[pattern->matched])
      hold(pattern, record->entry);
    else
      stage_put(stage, record->entry, record->state);
  }
  return true;
}

static bool pattern_finish(struct stage *stage, struct error *error)
{
  struct pattern *pattern = (struct pattern *)stage;
  struct pes_states *states = stage->stream.states;
  release(pattern, pattern->matched);
  pes_states_clear_runs(states, pattern->aggregate);
  if (pattern->occurrences > 0 &&
      !pes_states_add_run(states, pattern->aggregate, pattern->states, pattern->length, pattern->occurrences))
    return error_set(error, "out of memory");
  return true;
}

static bool pattern_restart(struct stage *stage, struct error *error)
{
  struct pattern *pattern = (struct pattern *)stage;
  (void)error;
  pattern->first = pattern->matched = 0;
  pattern->occurrences = 0;
  return true;
}

static void pattern_destroy(struct stage *stage)
{
  struct pattern *pattern = (struct pattern *)stage;
  free(pattern->states);
  free(pattern->borders);
  free(pattern->held);
  free(pattern);
}

/* borders[n]: length of the longest proper prefix of the first n states that is also their suffix */
static void find_borders(struct pattern *pattern)
{
  uint32_t border = 0;
  pattern->borders[0] = pattern->borders[1] = 0;
  for (uint32_t i = 1; i < pattern->length; i++) {
    while (border > 0 && pattern->states[i] != pattern->states[border])
      border = pattern->borders[border];
    border += pattern->states[i] == pattern->states[border];
    pattern->borders[i + 1] = border;
  }
}

/* The argument. */
struct pattern_wish {
  struct words states;
  char *name; /* NULL: none */
};

static void pattern_free_wish(struct pattern_wish *wish)
{
  words_free(&wish->states);
  free(wish->name);
}

static bool pattern_parse(const char *argument, struct pattern_wish *wish, struct error *error)
{
  const char *at = argument;
  wish->name = NULL;
  if (!words_list(&at, ',', '=', PES_RUN_LENGTH_MAX, &wish->states, error))
    return false;
  if (*at == '\0')
    return true;
  at++;
  wish->name = words_next(&at, "", error);
  if (wish->name && wish->name[0] == '#')
    return error_set(error, "a name cannot begin with #: #NUMBER is the state with that number");
  return wish->name != NULL;
}

static bool pattern_check(const char *argument, struct error *error)
{
  struct pattern_wish wish;
  bool good = pattern_parse(argument, &wish, error);
  pattern_free_wish(&wish);
  return good;
}

static bool find_states(struct pattern *pattern, const struct pattern_wish *wish, struct error *error)
{
  const struct pes_stream *stream = &pattern->stage.stream;
  uint32_t count;
  for (uint32_t i = 0; i < pattern->length; i++) {
    const char *name = wish->states.list.items[i];
    pattern->states[i] = pes_states_find(stream->program, stream->states, name, &count);
    if (pattern->states[i] == PES_NONE && count > 0)
      return error_set(error, "%u states have the name %s; give a number instead: #NUMBER", count, name);
    if (pattern->states[i] == PES_NONE)
      return error_set(error, "the sequence has no state %s", name);
  }
  if (wish->name) {
    pes_states_find(stream->program, stream->states, wish->name, &count);
    if (count > 0)
      return error_set(error, "a state has the name %s already; give another name", wish->name);
  }
  pattern->aggregate = pes_states_add_pattern(stream->states, wish->name);
  return pattern->aggregate != PES_NONE || error_set(error, "out of memory");
}

static bool pattern_set_up(struct pattern *pattern, const struct pattern_wish *wish, struct error *error)
{
  pattern->length = (uint32_t)wish->states.list.count;
  pattern->states = calloc(pattern->length, sizeof *pattern->states);
  pattern->borders = calloc(pattern->length + 1, sizeof *pattern->borders);
  pattern->held = calloc(pattern->length, sizeof *pattern->held);
  if (!pattern->states || !pattern->borders || !pattern->held)
    return error_set(error, "out of memory");
  if (!find_states(pattern, wish, error))
    return false;
  find_borders(pattern);
  return true;
}

static struct pes_stream *open_pattern(struct pes_stream *source, const char *argument, struct error *error)
{
  static const struct stage_class class = {pattern_take, pattern_finish, pattern_restart, pattern_destroy};
  struct pattern_wish wish;
  struct pattern *pattern = NULL;
  /* All states must be known before one can be found by its name. */
  if (pattern_parse(argument, &wish, error) && stage_read_through(source, NULL, error)) {
    pattern = calloc(1, sizeof *pattern);
    error_set(error, "out of memory");
  }
  if (pattern) {
    /* One record can release all that are held, and stand behind them itself. */
    stage_init(&pattern->stage, &class, source, wish.states.list.count + 1);
    if (!pattern_set_up(pattern, &wish, error)) {
      pattern_destroy(&pattern->stage);
      pattern = NULL;
    }
  }
  pattern_free_wish(&wish);
  return pattern ? &pattern->stage.stream : NULL;
}

const struct transform_type transform_aggregate = {"aggregate", false, pattern_check, open_pattern};
