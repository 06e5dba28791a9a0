#include "analyzer/models/records_show.h"

#include "base/count_of.h"
#include "base/vector.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RECORDS_SHOW_TEXT_MOST = RECORDS_TEXT_MOST, RUNS_TOLD = 3 };

int records_take(const struct option_given *given, void *into)
{
  struct records_asked *asked = (struct records_asked *)((char *)into + given->option->at);
  asked->range = (struct number_range){1, UINT32_MAX};
  if (!given->value || (number_range_read(given->value, strlen(given->value), &asked->range) && asked->range.first > 0))
    return -1;
  return command_usage(given->command, "--records=%s: give a record or a range of them from 1 on, such as 1-20",
                       given->value);
}

struct records_show_view {
  struct pes_stream *stream;
  const struct records_asked *asked;
  struct print *print;
  VECTOR(char *) aggregates; /* what each stands for, by state; NULL: a basic one */
  uint64_t begin;            /* the first entry */
};

struct text {
  char *at;
  size_t used;
};

__attribute__((format(printf, 2, 3))) static void records_show_append(struct text *text, const char *format, ...)
{
  va_list arguments;
  size_t left = RECORDS_SHOW_TEXT_MOST - text->used;
  va_start(arguments, format);
  int length = vsnprintf(text->at + text->used, left, format, arguments);
  va_end(arguments);
  text->used += length < 0 ? 0 : (size_t)length < left ? (size_t)length : left - 1;
}

/* A text that was too long ends so. */
static void mark_cut(struct text *text)
{
  if (text->used == RECORDS_SHOW_TEXT_MOST - 1)
    memcpy(text->at + RECORDS_SHOW_TEXT_MOST - 4, "...", 4);
}

static void append_name(struct text *text, const struct pes_stream *stream, uint32_t state)
{
  char *name = pes_state_name(stream->program, stream->states, state);
  records_show_append(text, "%s", name ? name : "?");
  free(name);
}

static void append_vector(struct text *text, const struct pes_program *program, const uint32_t *vector)
{
  for (uint32_t i = 0; i < program->component_count && text->used < RECORDS_SHOW_TEXT_MOST - 1; i++) {
    const struct pes_component *component = &program->components[i];
    records_show_append(text, "%s%s=%s", i > 0 ? ", " : "", component->name,
                        program->sets[component->set].values[vector[i]].name);
  }
}

/* The sequences that were counted, the first ones with their numbers. */
static void append_runs(struct text *text, const struct pes_stream *stream, const struct pes_state *state)
{
  for (uint32_t k = 0; k < state->run_count && k < RUNS_TOLD; k++) {
    const struct pes_run *run = &state->runs[k];
    records_show_append(text, "%s", k > 0 ? "; " : "");
    for (uint32_t i = 0; i < run->length && text->used < RECORDS_SHOW_TEXT_MOST - 1; i++) {
      records_show_append(text, "%s", i > 0 ? " " : "");
      append_name(text, stream, run->states[i]);
    }
    records_show_append(text, " (%" PRIu64 "x)", run->count);
  }
  uint64_t more = state->run_count > RUNS_TOLD ? state->run_count - RUNS_TOLD : 0;
  if (more + state->other_runs > 0)
    records_show_append(text, "; %" PRIu64 " more", more + state->other_runs);
}

static void append_state(struct text *text, const struct pes_stream *stream, uint32_t number)
{
  const struct pes_state *state = pes_state(stream->states, number);
  if (state->kind == PES_BASIC) {
    append_vector(text, stream->program, state->vector);
    return;
  }
  if (state->kind == PES_FILTER && state->before != PES_NONE) {
    records_show_append(text, "after ");
    append_name(text, stream, state->before);
  }
  if (state->kind == PES_FILTER && state->after != PES_NONE) {
    records_show_append(text, "%sbefore ", state->before != PES_NONE ? ", " : "");
    append_name(text, stream, state->after);
  }
  records_show_append(text, "%s", state->kind == PES_FILTER && text->used > 0 ? ": " : "");
  append_runs(text, stream, state);
}

char *records_stands_for(const struct pes_stream *stream, uint32_t state)
{
  char buffer[RECORDS_SHOW_TEXT_MOST] = "";
  struct text text = {buffer, 0};
  append_state(&text, stream, state);
  mark_cut(&text);
  return strndup(buffer, text.used);
}

const char *records_kind(enum pes_kind kind)
{
  static const char *const kinds[] = {"basic", "filter", "pattern"};
  return kinds[kind];
}

/* Reads the whole sequence, then keeps what its aggregates stood for. */
static bool keep_aggregates(struct records_show_view *view, struct error *error)
{
  if (!pes_read_through(view->stream, error))
    return false;
  for (uint32_t i = 0; i < pes_states_count(view->stream->states); i++) {
    bool basic = pes_state(view->stream->states, i)->kind == PES_BASIC;
    char *kept = basic ? NULL : records_stands_for(view->stream, i);
    if (!basic && !kept)
      return error_set(error, "out of memory");
    if (!vector_push(&view->aggregates, kept)) {
      free(kept);
      return error_set(error, "out of memory");
    }
  }
  return true;
}

static void put_record(struct records_show_view *view, uint64_t number, const struct pes_record *record, uint64_t end)
{
  const struct pes_stream *stream = view->stream;
  char buffer[RECORDS_SHOW_TEXT_MOST];
  struct text text = {buffer, 0};
  uint32_t state = record->state;
  if (number < view->asked->range.first || number > view->asked->range.last)
    return;
  const char *stands_for = state < view->aggregates.count ? view->aggregates.items[state] : NULL;
  if (!stands_for) {
    append_state(&text, stream, state);
    mark_cut(&text);
    stands_for = buffer;
  }
  char *name = pes_state_name(stream->program, stream->states, state);
  struct print_cell cells[] = {print_number(number),
                               print_number(record->entry),
                               print_number(record->entry - view->begin),
                               print_number(end - record->entry),
                               print_number(state),
                               print_string(records_kind(pes_state(stream->states, state)->kind)),
                               print_string(name),
                               print_string(stands_for)};
  print_row(view->print, cells);
  free(name);
}

static bool records_show_put_all(struct records_show_view *view, struct error *error)
{
  enum print_type time = view->stream->program->ticks_per_second > 0 ? PRINT_DURATION : PRINT_NUMBER;
  const struct print_column columns[] = {
      {"number", "#", PRINT_NUMBER, false},        {"entry", "Entry (ticks)", PRINT_NUMBER, false},
      {"since_begin", "Since begin", time, false}, {"duration", "Duration", time, false},
      {"state", "No.", PRINT_NUMBER, false},       {"kind", "Kind", PRINT_STRING, false},
      {"name", "State", PRINT_STRING, false},      {"stands_for", "Stands for", PRINT_STRING, false}};
  struct pes_record records[PES_BATCH], last = {0};
  uint64_t number = 0; /* of `last`; its duration is known when the next one begins */
  size_t count;
  bool good;
  print_table(view->print, "records", NULL, columns, COUNT_OF(columns), true);
  while ((good = pes_next(view->stream, records, &count, error)) && count > 0) {
    for (size_t i = 0; i < count; i++, number++) {
      if (number > 0)
        put_record(view, number, &last, records[i].entry);
      else
        view->begin = records[i].entry;
      last = records[i];
    }
  }
  if (good && number > 0)
    put_record(view, number, &last, view->stream->end.time);
  print_table_end(view->print);
  return good;
}

bool records_show(struct pes_stream *stream, const struct records_asked *asked, enum print_format format,
                  struct error *error)
{
  struct records_show_view view = {.stream = stream, .asked = asked};
  bool good = keep_aggregates(&view, error) && pes_rewind(stream, error);
  if (good) {
    view.print = print_open(format, stdout, stream->program->ticks_per_second);
    good = (view.print || error_set(error, "out of memory")) && records_show_put_all(&view, error);
  }
  if (view.print && !print_close(view.print))
    good = false;
  for (size_t i = 0; i < view.aggregates.count; i++)
    free(view.aggregates.items[i]);
  vector_free(&view.aggregates);
  return good;
}
