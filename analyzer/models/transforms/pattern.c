/*
 * Aggregating a pattern, S1,S2,...=NAME: each occurrence of the sequence becomes one state. Occurrences are found from
 * left to right and don't overlap, by Knuth, Morris and Pratt: what was read of an occurrence that then fails is not
 * read again, so only the entries of as many records as the pattern is long are held back.
 */
#include "analyzer/models/transforms/stage.h"
#include "analyzer/models/transforms/types.h"
#include "analyzer/models/transforms/words.h"

#include <stdlib.h>
#include <string.h>

struct pattern {
  struct stage stage;
  uint32_t aggregate;
  uint32_t length;
  uint32_t *states;
  uint32_t *borders; /* [n]: how much of the pattern is matched still when the state behind n matched ones differs */
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

/* borders[n]: the longest proper beginning of the first n states that is their end, too. */
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

/* What the user wrote. */
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
