#include "analyzer/models/sequence_show.h"

#include "base/count_of.h"
#include "base/vector.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LETTERS_MAX = 60, COMPONENTS_SHOWN = 4 };

struct span {
  const char *text; /* in the program */
  size_t length;
};

struct state_letters {
  const struct pes_program *program;
  struct {
    struct span code, name;
  } list[LETTERS_MAX];
  unsigned count;
  bool more;   /* not all of them had room */
  bool counts; /* values are numbers of threads */
};

struct state_letters *state_letters_create(const struct pes_program *program)
{
  struct state_letters *letters = calloc(1, sizeof *letters);
  if (letters)
    letters->program = program;
  return letters;
}

static bool same(struct span left, struct span right)
{
  return left.length == right.length && strncmp(left.text, right.text, left.length) == 0;
}

static void add_letter(struct state_letters *letters, struct span code, struct span name)
{
  if (code.length == 0 || same(code, name))
    return;
  for (unsigned i = 0; i < letters->count; i++)
    if (same(letters->list[i].code, code) && same(letters->list[i].name, name))
      return;
  if (letters->count == LETTERS_MAX) {
    letters->more = true;
    return;
  }
  letters->list[letters->count].code = code;
  letters->list[letters->count++].name = name;
}

static bool state_letters_is_number(const char *text)
{
  return *text && strspn(text, "0123456789") == strlen(text);
}

/* (RI) is RUN+IDLE: each letter has its name. */
static void add_mask(struct state_letters *letters, const char *code, const char *name)
{
  for (code++; *code && *code != ')' && *name; code++) {
    size_t length = strcspn(name, "+");
    add_letter(letters, (struct span){code, 1}, (struct span){name, length});
    name += length + (name[length] == '+');
  }
}

/*
 * The letter of `R` and of `R:for@lu.c:42`, a state in a construct, is R. With numbers of threads, R2 and
 * 2*R:for@lu.c:42, the component has the name.
 */
static void add_value(struct state_letters *letters, const struct pes_component *component,
                      const struct pes_value *value)
{
  bool counts = state_letters_is_number(value->name);
  const char *code = value->code, *name = counts ? component->name : value->name;
  if (*code == '(') {
    add_mask(letters, code, name);
    return;
  }
  if (counts && isdigit((unsigned char)*code))
    code += strcspn(code, "*") + (strchr(code, '*') != NULL);
  bool in_construct = isupper((unsigned char)code[0]) && code[1] == ':';
  if (!in_construct && !pes_code_delimits_itself(code))
    return;
  letters->counts |= counts;
  const char *in = in_construct ? strstr(name, " in ") : NULL;
  size_t length = in_construct || counts ? (*code != '\0') : strlen(code);
  add_letter(letters, (struct span){code, length}, (struct span){name, in ? (size_t)(in - name) : strlen(name)});
}

void state_letters_add(struct state_letters *letters, const struct pes_states *states, uint32_t state)
{
  const struct pes_program *program = letters->program;
  const struct pes_state *of = pes_state(states, state);
  if (of->kind != PES_BASIC || of->name)
    return;
  for (uint32_t i = 0; i < program->component_count; i++) {
    const struct pes_component *component = &program->components[i];
    add_value(letters, component, &program->sets[component->set].values[of->vector[i]]);
  }
}

static void state_letters_put_components(const struct pes_program *program, FILE *file)
{
  fputs(" A state has one for each of: ", file);
  uint32_t shown = program->component_count <= COMPONENTS_SHOWN ? program->component_count : COMPONENTS_SHOWN - 1;
  for (uint32_t i = 0; i < shown; i++)
    fprintf(file, "%s%s", i > 0 ? ", " : "", program->components[i].name);
  if (shown < program->component_count)
    fprintf(file, ", ... %s (%u in all)", program->components[program->component_count - 1].name,
            program->component_count);
  fputc('.', file);
}

char *state_letters_end(struct state_letters *letters)
{
  char *text = NULL;
  size_t size;
  FILE *file = letters && letters->count > 0 ? open_memstream(&text, &size) : NULL;
  if (file) {
    fputs("Letters of states: ", file);
    for (unsigned i = 0; i < letters->count; i++)
      fprintf(file, "%s%.*s %.*s", i > 0 ? ", " : "", (int)letters->list[i].code.length, letters->list[i].code.text,
              (int)letters->list[i].name.length, letters->list[i].name.text);
    fputs(letters->more ? ", ..." : ".", file);
    if (letters->counts)
      fputs(" Numbers count threads.", file);
    else if (letters->program->component_count > 1)
      state_letters_put_components(letters->program, file);
    bool good = !ferror(file);
    if (fclose(file) != 0 || !good) {
      free(text);
      text = NULL;
    }
  }
  free(letters);
  return text;
}

void not_measured_put_fact(struct print *print, double percent)
{
  if (percent > 0)
    print_fact(print, "not_measured_percent", "Time not measured", PRINT_PERCENT, print_real(percent));
}

static uint64_t ticks_of_total(const void *context, uint32_t state)
{
  const struct pes_state_totals *totals = context;
  return state < totals->states.count ? totals->states.items[state].time : 0;
}

double not_measured_of_totals(const struct pes_stream *stream, const struct pes_state_totals *totals)
{
  return pes_not_measured_percent(stream->program, stream->states, ticks_of_total, totals);
}

static uint64_t ticks_of_model(const void *context, uint32_t state)
{
  const struct markov_model *model = context;
  return state < model->count ? model->list[state].occupancy.total : 0;
}

double not_measured_of_model(const struct markov_model *model)
{
  return pes_not_measured_percent(model->program, model->states, ticks_of_model, model);
}

static int pes_show_compare_time(const void *a, const void *b, void *context)
{
  const struct pes_state_totals *totals = context;
  uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
  uint64_t left_time = totals->states.items[left].time, right_time = totals->states.items[right].time;
  if (left_time != right_time)
    return left_time < right_time ? 1 : -1;
  return (left > right) - (left < right);
}

/* Returns the states in the order of the table; the caller frees them. NULL: out of memory. */
static uint32_t *order_states(struct pes_state_totals *totals)
{
  uint32_t count = (uint32_t)totals->states.count;
  uint32_t *order = malloc((count + 1) * sizeof *order);
  for (uint32_t i = 0; order && i < count; i++)
    order[i] = i;
  if (order)
    qsort_r(order, count, sizeof *order, pes_show_compare_time, totals);
  return order;
}

static void pes_show_put_facts(struct print *print, const struct pes_stream *stream,
                               const struct pes_state_totals *totals)
{
  const struct pes_program *program = stream->program;
  print_fact(print, "program", "Program", PRINT_STRING, print_string(program->name));
  print_fact(print, "components", "Components", PRINT_COUNT, print_number(program->component_count));
  print_fact(print, "records", "Records", PRINT_COUNT, print_number(totals->records));
  print_fact(print, "states", "Distinct states", PRINT_COUNT, print_number(pes_states_count(stream->states)));
  print_fact(print, "begin", "Begin (ticks)", PRINT_NUMBER, print_number(totals->begin));
  print_fact(print, "end", "End (ticks)", PRINT_NUMBER, print_number(stream->end.time));
  if (program->ticks_per_second > 0)
    print_fact(print, "duration", "Duration", PRINT_DURATION, print_number(totals->duration));
  else
    print_fact(print, "duration", "Duration (ticks)", PRINT_NUMBER, print_number(totals->duration));
  not_measured_put_fact(print, not_measured_of_totals(stream, totals));
  char *terminal =
      stream->end.terminal == PES_NONE ? NULL : pes_state_name(program, stream->states, stream->end.terminal);
  print_fact(print, "terminal", "Terminal state", PRINT_STRING, print_string(terminal));
  free(terminal);
}

static void pes_show_put_parameters(struct print *print, const struct pes_program *program)
{
  static const struct print_column columns[] = {{"name", "Parameter", PRINT_STRING, false},
                                                {"value", "Value", PRINT_STRING, false}};
  if (program->parameter_count == 0)
    return;
  print_table(print, "parameters", NULL, columns, 2, false);
  for (uint32_t i = 0; i < program->parameter_count; i++)
    print_row(print, (struct print_cell[]){print_string(program->parameters[i].name),
                                           print_string(program->parameters[i].value)});
  print_table_end(print);
}

/* Without a clock, the unit of times is unknown. */
static bool pes_show_put_states(struct print *print, const struct pes_stream *stream, struct pes_state_totals *totals,
                                uint64_t top)
{
  static const char *const kinds[] = {"basic", "filter aggregate", "pattern aggregate"};
  bool clock = stream->program->ticks_per_second > 0;
  const struct print_column columns[] = {{"state", "No.", PRINT_NUMBER, false},
                                         {"name", "State", PRINT_STRING, false},
                                         {"kind", "Kind", PRINT_STRING, false},
                                         {"count", "Records", PRINT_COUNT, false},
                                         {"time", clock ? "Time" : "Ticks", clock ? PRINT_SHARE : PRINT_COUNT, false}};
  uint32_t count = (uint32_t)totals->states.count, *order = order_states(totals);
  if (!order)
    return false;
  print_table(print, "state_list", top < count ? "States of most time" : "States", columns, 5, false);
  struct state_letters *letters = state_letters_create(stream->program);
  for (uint32_t i = 0; i < count && i < top; i++) {
    const struct pes_state_total *total = &totals->states.items[order[i]];
    char *name = pes_state_name(stream->program, stream->states, order[i]);
    print_row(print, (struct print_cell[]){
                         print_number(order[i]), print_string(name),
                         print_string(kinds[pes_state(stream->states, order[i])->kind]), print_number(total->count),
                         clock ? print_share(total->time, totals->duration) : print_number(total->time)});
    free(name);
    if (letters)
      state_letters_add(letters, stream->states, order[i]);
  }
  print_table_end(print);
  char *sentence = state_letters_end(letters);
  if (sentence)
    print_sentence(print, "letters", sentence);
  free(sentence);
  free(order);
  return true;
}

bool pes_show(struct print *print, const struct pes_stream *stream, struct pes_state_totals *totals, uint64_t top)
{
  pes_show_put_facts(print, stream, totals);
  pes_show_put_parameters(print, stream->program);
  return pes_show_put_states(print, stream, totals, top);
}

enum { RECORDS_SHOW_TEXT_MOST = RECORDS_TEXT_MOST, RUNS_TOLD = 3 };

int records_take(const struct option_given *given, void *into)
{
  struct records_request *asked = (struct records_request *)((char *)into + given->option->at);
  asked->range = (struct number_range){1, UINT32_MAX};
  if (!given->value || (number_range_read(given->value, strlen(given->value), &asked->range) && asked->range.first > 0))
    return -1;
  return command_usage(given->command, "--records=%s: give a record or a range of them from 1 on, such as 1-20",
                       given->value);
}

struct records_show_view {
  struct pes_stream *stream;
  const struct records_request *asked;
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

/* Reads the whole sequence, then keeps the sequences of its aggregates. */
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

bool records_show(struct pes_stream *stream, const struct records_request *asked, enum print_format format,
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
