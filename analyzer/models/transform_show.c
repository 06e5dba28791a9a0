#include "analyzer/models/transform_show.h"

#include "analyzer/models/transforms/suggest.h"
#include "base/count_of.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void transform_show_put_use(struct print *print, const struct pes_stream *stream,
                                   const struct transforms_use *use, const struct transforms_preview *preview,
                                   const char *name)
{
  const struct pes_state *state = pes_state(stream->states, use->state);
  struct print_cell cells[] = {print_string(name),
                               print_number(use->state),
                               print_number(use->count),
                               print_number(use->time),
                               print_real(print_percentage(use->time, preview->duration)),
                               print_number(state->run_count)};
  print_row(print, cells);
}

static bool put_uses(struct print *print, const struct pes_stream *stream, const struct transforms_preview *preview)
{
  static const struct print_column columns[] = {
      {"state", "State", PRINT_STRING, false},   {"number", "No.", PRINT_NUMBER, false},
      {"count", "Count", PRINT_COUNT, false},    {"time", "Time", PRINT_DURATION, false},
      {"share", "of all", PRINT_PERCENT, false}, {"sequences", "Sequences", PRINT_COUNT, true}};
  bool good = true;
  print_table(print, "states", "States that the step adds", columns, COUNT_OF(columns), false);
  for (size_t i = 0; i < preview->use_count && good; i++) {
    char *name = pes_state_name(stream->program, stream->states, preview->uses[i].state);
    good = name;
    if (good)
      transform_show_put_use(print, stream, &preview->uses[i], preview, name);
    free(name);
  }
  print_table_end(print);
  return good;
}

static bool transform_show_put_places(struct print *print, const struct pes_stream *stream,
                                      const struct transforms_preview *preview)
{
  static const struct print_column columns[] = {{"record", "Record after", PRINT_NUMBER, false},
                                                {"state", "State", PRINT_STRING, false},
                                                {"entry", "Entry", PRINT_NUMBER, false},
                                                {"since", "Since begin", PRINT_DURATION, false},
                                                {"time", "Duration", PRINT_DURATION, false}};
  bool good = true;
  print_table(print, "places", "The first places", columns, COUNT_OF(columns), false);
  for (size_t i = 0; i < preview->place_count && good; i++) {
    const struct transforms_place *place = &preview->places[i];
    char *name = pes_state_name(stream->program, stream->states, place->state);
    struct print_cell cells[] = {print_number(place->record + 1), print_string(name), print_number(place->entry),
                                 print_number(place->entry - preview->begin), print_number(place->time)};
    good = name;
    if (good)
      print_row(print, cells);
    free(name);
  }
  print_table_end(print);
  return good;
}

bool transform_show_preview(struct pes_stream *stream, uint32_t first, size_t places,
                            const struct transforms_summary *before, enum print_format format, struct error *error)
{
  struct transforms_preview preview;
  struct transforms_summary after;
  /* A projection has states of its own. */
  if (!transforms_summarize(stream, &after, error))
    return false;
  bool good = transforms_preview(stream, first, places, &preview, error);
  struct print *print = good ? print_open(format, stdout, stream->program->ticks_per_second) : NULL;
  if (good && !print)
    good = error_set(error, "out of memory");
  if (good) {
    print_fact(print, "records_before", "Records before", PRINT_COUNT, print_number(before->records));
    print_fact(print, "records", "Records after", PRINT_COUNT, print_number(after.records));
    print_fact(print, "states_before", "States before", PRINT_COUNT, print_number(before->states));
    print_fact(print, "states_after", "States after", PRINT_COUNT, print_number(after.states));
    if (!put_uses(print, stream, &preview) || !transform_show_put_places(print, stream, &preview))
      good = error_set(error, "out of memory");
    if (preview.use_count == 0)
      print_sentence(print, "verdict", "The step would put no aggregate anywhere.");
  }
  if (print && !print_close(print))
    good = false;
  transforms_preview_free(&preview);
  return good;
}

bool transform_show_comparison(const struct transform_compared *rows, size_t count, uint64_t ticks_per_second,
                               enum print_format format, struct error *error)
{
  struct print *print = print_open(format, stdout, ticks_per_second);
  if (!print)
    return error_set(error, "out of memory");
  static const struct print_column columns[] = {
      {"list", "List", PRINT_STRING, false},
      {"steps", "Steps", PRINT_COUNT, false},
      {"records", "Records", PRINT_COUNT, false},
      {"duration", "Duration", PRINT_DURATION, false},
      {"states", "States", PRINT_COUNT, false},
      {"transitions", "Transitions", PRINT_COUNT, false},
      {"in_filter_aggregates", "in filter aggregates", PRINT_PERCENT, false},
      {"in_pattern_aggregates", "in pattern aggregates", PRINT_PERCENT, false}};
  print_table(print, "lists", NULL, columns, COUNT_OF(columns), false);
  for (size_t i = 0; i < count; i++) {
    const struct transforms_summary *summary = &rows[i].summary;
    struct print_cell cells[] = {print_string(rows[i].name),
                                 print_number(rows[i].steps),
                                 print_number(summary->records),
                                 print_number(summary->duration),
                                 print_number(summary->states),
                                 print_number(summary->transitions),
                                 print_real(print_percentage(summary->filter_time, summary->duration)),
                                 print_real(print_percentage(summary->pattern_time, summary->duration))};
    print_row(print, cells);
  }
  print_table_end(print);
  return print_close(print);
}

/* Effect of a suggested pattern. */
struct tried {
  char *argument; /* of --aggregate */
  uint64_t count, time;
};

static void free_tried(struct tried *tried, size_t count)
{
  for (size_t i = 0; i < count; i++)
    free(tried[i].argument);
}

enum { NAME_MOST = 100 }; /* longer names are given as numbers */

/* True if a name needs no quotation marks in an argument. */
static bool is_plain(const char *name)
{
  for (const char *at = name; *at != 0; at++)
    if (!isalnum((unsigned char)*at) && *at != '_' && *at != '-' && *at != '.')
      return false;
  return isalnum((unsigned char)*name);
}

/* True if a quoted name can stand in an argument between apostrophes. */
static bool can_be_quoted(const char *name)
{
  for (const char *at = name; *at != 0; at++)
    if (!isprint((unsigned char)*at) || strchr("'\"\\", *at))
      return false;
  return strlen(name) <= NAME_MOST;
}

static void transform_suggest_put_state(FILE *out, const struct pes_stream *stream, uint32_t state, const char *name)
{
  uint32_t several;
  bool one = pes_states_find(stream->program, stream->states, name, &several) == state;
  if (one && is_plain(name) && strlen(name) <= NAME_MOST)
    fputs(name, out);
  else if (one && can_be_quoted(name))
    fprintf(out, "\"%s\"", name);
  else
    fprintf(out, "#%u", state);
}

/* Returns the argument of --aggregate. NULL: out of memory. */
static char *argument_of(const struct pes_stream *stream, const struct repeat *pattern)
{
  char *text = NULL;
  size_t size;
  FILE *out = open_memstream(&text, &size);
  bool good = out;
  for (uint32_t i = 0; i < pattern->length && good; i++) {
    char *name = pes_state_name(stream->program, stream->states, pattern->states[i]);
    good = name && (i == 0 || fputc(',', out) >= 0);
    if (good)
      transform_suggest_put_state(out, stream, pattern->states[i], name);
    free(name);
  }
  if (out && fclose(out) != 0)
    good = false;
  if (!good) {
    free(text);
    text = NULL;
  }
  return text;
}

/* Executes the pattern as a step: occurrences that overlap, and single ones, count as the step counts them. */
static bool try_pattern(const char *path, const struct transforms *list, size_t count, uint32_t states,
                        struct tried *tried, struct error *error)
{
  struct transforms *more = transforms_copy(list, count, error);
  bool good = more && transforms_add(more, "aggregate", tried->argument, error);
  struct pes_stream *stream = good ? transforms_open_file(more, count + 1, path, error) : NULL;
  struct transforms_preview preview = {0};
  good = stream && transforms_preview(stream, states, 0, &preview, error);
  if (good && preview.use_count > 0) {
    tried->count = preview.uses[0].count;
    tried->time = preview.uses[0].time;
  }
  transforms_preview_free(&preview);
  pes_close(stream);
  transforms_free(more);
  return good;
}

static void put_patterns(struct print *print, const struct suggestions *found, const struct tried *tried)
{
  static const struct print_column columns[] = {{"count", "Times", PRINT_COUNT, false},
                                                {"time", "Time", PRINT_DURATION, false},
                                                {"share", "of all", PRINT_PERCENT, false},
                                                {"records", "Records", PRINT_COUNT, false},
                                                {"step", "Step", PRINT_STRING, true}};
  print_table(print, "patterns", "Patterns that the sequence repeats", columns, COUNT_OF(columns), false);
  for (size_t i = 0; i < found->pattern_count; i++) {
    char *step = NULL;
    if (asprintf(&step, "--aggregate '%s'", tried[i].argument) < 0)
      step = NULL;
    struct print_cell cells[] = {print_number(tried[i].count), print_number(tried[i].time),
                                 print_real(print_percentage(tried[i].time, found->duration)),
                                 print_number(tried[i].count * found->patterns[i].length),
                                 step ? print_string(step) : print_none()};
    print_row(print, cells);
    free(step);
  }
  print_table_end(print);
}

static void put_filters(struct print *print, const struct suggestions *found)
{
  static const struct print_column columns[] = {
      {"states", "Rare states", PRINT_COUNT, false}, {"records", "Records", PRINT_COUNT, false},
      {"time", "Time", PRINT_DURATION, false},       {"share", "of all", PRINT_PERCENT, false},
      {"step", "Step", PRINT_STRING, true},          {"note", "Note", PRINT_STRING, true}};
  print_table(print, "filters", "States of little time", columns, COUNT_OF(columns), false);
  for (size_t i = 0; i < found->filter_count; i++) {
    const struct suggest_filter *filter = &found->filters[i];
    char step[64];
    snprintf(step, sizeof step, "--filter-time %s", filter->threshold);
    struct print_cell cells[] = {
        print_number(filter->states), print_number(filter->records),
        print_number(filter->time),   print_real(print_percentage(filter->time, found->duration)),
        print_string(step),           filter->is_bend ? print_string("the bend") : print_none()};
    print_row(print, cells);
  }
  print_table_end(print);
}

static bool put_cycles(struct print *print, const struct pes_stream *stream, const struct suggestions *found)
{
  static const struct print_column columns[] = {
      {"state", "State", PRINT_STRING, false},           {"count", "Times", PRINT_COUNT, false},
      {"period", "comes back after", PRINT_MEAN, false}, {"spread", "spread", PRINT_PERCENT, false},
      {"share", "Time, of all", PRINT_PERCENT, false},   {"option", "Option of heddle model", PRINT_STRING, true}};
  bool good = true;
  print_table(print, "cycles", "States that come back regularly", columns, COUNT_OF(columns), false);
  for (size_t i = 0; i < found->cycle_count && good; i++) {
    const struct suggest_cycle *cycle = &found->cycles[i];
    char *name = pes_state_name(stream->program, stream->states, cycle->state), option[40];
    snprintf(option, sizeof option, "--passage '#%u'", cycle->state);
    struct print_cell cells[] = {print_string(name),
                                 print_number(cycle->count),
                                 print_real(cycle->mean),
                                 print_real(100 * cycle->deviation / cycle->mean),
                                 print_real(print_percentage(cycle->time, found->duration)),
                                 print_string(option)};
    good = name;
    if (good)
      print_row(print, cells);
    free(name);
  }
  print_table_end(print);
  return good;
}

static bool transform_suggest_show(const struct pes_stream *stream, const struct suggestions *found,
                                   const struct tried *tried, enum print_format format, struct error *error)
{
  struct print *print = print_open(format, stdout, stream->program->ticks_per_second);
  if (!print)
    return error_set(error, "out of memory");
  print_fact(print, "records", "Records", PRINT_COUNT, print_number(found->records));
  print_fact(print, "states", "States", PRINT_COUNT, print_number(found->states));
  put_patterns(print, found, tried);
  put_filters(print, found);
  bool good = put_cycles(print, stream, found) || error_set(error, "out of memory");
  if (found->pattern_count + found->filter_count + found->cycle_count == 0)
    print_sentence(print, "verdict",
                   "Nothing to suggest: no pattern repeats, no state is rare, and none comes back regularly.");
  return print_close(print) && good;
}

bool transform_suggest(const char *path, const struct transforms *list, size_t count, enum print_format format,
                       struct error *error)
{
  struct suggestions found;
  struct tried tried[SUGGEST_PATTERNS] = {{0}};
  struct pes_stream *stream = transforms_open_file(list, count, path, error);
  bool good = stream && suggest(stream, &found, error);
  for (size_t i = 0; good && i < found.pattern_count; i++) {
    tried[i].argument = argument_of(stream, &found.patterns[i]);
    good = tried[i].argument ? try_pattern(path, list, count, pes_states_count(stream->states), &tried[i], error)
                             : error_set(error, "out of memory");
  }
  good = good && transform_suggest_show(stream, &found, tried, format, error);
  free_tried(tried, SUGGEST_PATTERNS);
  pes_close(stream);
  return good;
}
