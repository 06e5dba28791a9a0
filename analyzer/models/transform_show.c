#include "analyzer/models/transform_show.h"

#include "base/count_of.h"

#include <stdlib.h>

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
