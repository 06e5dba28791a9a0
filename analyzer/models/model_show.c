#include "analyzer/models/model_show.h"

#include "analyzer/command/print/escape.h"
#include "analyzer/models/sequence_show.h"
#include "base/count_of.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

enum { MATRIX_MAX = 2000 };

char **model_names(const struct pes_program *program, const struct pes_states *states)
{
  uint32_t count = pes_states_count(states);
  char **names = calloc((size_t)count + 1, sizeof *names);
  bool good = names;
  for (uint32_t i = 0; good && i < count; i++)
    good = (names[i] = pes_state_name(program, states, i)) != NULL;
  if (good)
    return names;
  if (names)
    model_names_free(names, states);
  return NULL;
}

void model_names_free(char **names, const struct pes_states *states)
{
  for (uint32_t i = 0; names && i < pes_states_count(states); i++)
    free(names[i]);
  free(names);
}

static const char *kind_name(enum pes_kind kind)
{
  return kind == PES_BASIC ? "basic" : kind == PES_FILTER ? "filter" : "pattern";
}

void model_describe_classes(const struct model_view *view, char *text, size_t size)
{
  const struct markov_chain *chain = view->chain;
  const struct markov_class *main_class = &chain->classes[chain->main_class];
  int used = 0;
  if (chain->class_count > 1)
    used = snprintf(text, size,
                    "%u recurrent classes can be reached; long-run figures weight each class with the probability that "
                    "a run ends in it.",
                    chain->class_count);
  else if (main_class->period == 0)
    used = snprintf(text, size, "Each run ends in %s, which is never left; no other state has a long-run part.",
                    view->names[main_class->reference]);
  else
    used = snprintf(text, size, "Long-run figures cover the recurrent class: %u of %u states.", main_class->states,
                    chain->used);
  if (chain->restarts > 0 && (size_t)used < size)
    used +=
        snprintf(text + used, size - (size_t)used,
                 " %u state%s never left; the model assumes that the next run follows (--ends stay: nothing follows).",
                 chain->restarts, chain->restarts == 1 ? " is" : "s are");
  if (main_class->period > 1 && (size_t)used < size)
    used += snprintf(text + used, size - (size_t)used, " It is periodic, with period %u.", main_class->period);
  if (chain->effort.sweeps > 0 && (size_t)used < size)
    snprintf(text + used, size - (size_t)used, " Found by iteration: %u sweeps, last relative change %.1e.",
             chain->effort.sweeps, chain->effort.change);
}

/* Parts of both. A table has a column for the phase if there are several models. */
static void model_show_program(struct print *print, const struct markov_model *model, double not_measured)
{
  print_csv_facts(print);
  print_fact(print, "program", "Program", PRINT_STRING, print_string(model->program->name));
  not_measured_put_fact(print, not_measured);
  for (uint32_t i = 0; i < model->program->parameter_count; i++) {
    char text[512];
    const struct pes_parameter *parameter = &model->program->parameters[i];
    snprintf(text, sizeof text, "%s=%s", parameter->name, parameter->value);
    print_fact(print, "parameter", "Parameter", PRINT_STRING, print_string(text));
  }
}

static void model_show_length(struct print *print, const struct markov_model *model, uint64_t records,
                              uint64_t duration)
{
  bool keep = model->options.terminal == MARKOV_KEEP;
  print_fact(print, "runs", "Runs", PRINT_COUNT, print_number(model->runs));
  print_fact(print, "records", "Records", PRINT_COUNT, print_number(records));
  print_fact(print, "duration", "Duration", PRINT_DURATION, print_number(duration));
  print_fact(print, "terminal", "Terminal transition", PRINT_STRING, print_string(keep ? "keep" : "drop"));
  print_fact(print, "deviation_rule", "Deviation", PRINT_STRING,
             print_string(model->options.population ? "population" : "sample"));
  print_fact(print, "ends", "After the end", PRINT_STRING,
             print_string(model->options.ends == MARKOV_STAY ? "stay" : "restart"));
  if (model->order > 1)
    print_fact(print, "order", "Order", PRINT_COUNT, print_number(model->order));
}

static void model_show_put_facts(struct print *print, const struct model_view *view)
{
  const struct markov_model *model = view->model;
  const struct markov_class *main_class = &view->chain->classes[view->chain->main_class];
  uint64_t kinds[3] = {0};
  for (uint32_t i = 0; i < model->count; i++)
    kinds[pes_state(model->states, i)->kind] += markov_state_is_used(model, i);
  model_show_program(print, model, not_measured_of_model(model));
  model_show_length(print, model, model->records, model->duration);
  print_fact(print, "basic_states", "Basic states", PRINT_COUNT, print_number(kinds[PES_BASIC]));
  print_fact(print, "filter_states", "Filter aggregates", PRINT_COUNT, print_number(kinds[PES_FILTER]));
  print_fact(print, "pattern_states", "Pattern aggregates", PRINT_COUNT, print_number(kinds[PES_PATTERN]));
  print_fact(print, "transitions", "Transitions", PRINT_COUNT, print_number(model->edge_count));
  print_fact(print, "recurrent_classes", "Recurrent classes", PRINT_COUNT, print_number(view->chain->class_count));
  print_fact(print, "transient_states", "Transient states", PRINT_COUNT, print_number(view->chain->transient));
  print_fact(print, "lead", "Before recurrence", PRINT_MEAN, print_real(view->chain->lead));
  print_fact(print, "cycle", "Mean cycle time", PRINT_MEAN, print_finite(main_class->cycle));
  print_fact(print, "cycle_state", "... from and to", PRINT_STRING, print_string(view->names[main_class->reference]));
}

/* The states of one model, in the columns of put_states(). */
static void model_show_put_rows(struct print *print, const struct model_view *view, uint32_t phase, bool is_alone)
{
  const struct markov_model *model = view->model;
  for (uint32_t i = 0; i < model->count; i++) {
    const struct markov_distribution *occupancy = &model->list[i].occupancy;
    bool seen = occupancy->count > 0, recurrent = view->chain->class_of[i] != UINT32_MAX;
    if (!markov_state_is_used(model, i))
      continue;
    struct print_cell cells[] = {print_number(phase),
                                 print_number(i),
                                 print_string(view->names[i]),
                                 print_string(kind_name(pes_state(model->states, i)->kind)),
                                 print_number(occupancy->count),
                                 print_share(occupancy->total, model->duration),
                                 seen ? print_real(markov_distribution_mean(occupancy)) : print_none(),
                                 seen ? print_number(occupancy->min) : print_none(),
                                 seen ? print_number(occupancy->max) : print_none(),
                                 print_finite(markov_distribution_deviation(occupancy, !model->options.population)),
                                 print_real(view->chain->stationary[i]),
                                 print_real(view->chain->longrun[i]),
                                 print_finite(view->chain->recurrence[i]),
                                 recurrent ? print_number(view->chain->class_of[i]) : print_none()};
    print_row(print, cells + is_alone);
  }
}

static void model_show_states(struct print *print, const struct model_view *views, uint32_t count)
{
  static const struct print_column columns[] = {{"phase", "Phase", PRINT_NUMBER, false},
                                                {"number", "#", PRINT_NUMBER, false},
                                                {"state", "State", PRINT_STRING, false},
                                                {"kind", "Kind", PRINT_STRING, false},
                                                {"visits", "Visits", PRINT_COUNT, false},
                                                {"total", "Total", PRINT_SHARE, false},
                                                {"mean", "Mean", PRINT_MEAN, false},
                                                {"min", "Min", PRINT_DURATION, false},
                                                {"max", "Max", PRINT_DURATION, false},
                                                {"deviation", "Deviation", PRINT_MEAN, false},
                                                {"stationary", "Stationary", PRINT_PROBABILITY, false},
                                                {"longrun", "Long-run", PRINT_PROBABILITY, false},
                                                {"recurrence", "Return", PRINT_MEAN, false},
                                                {"class", "Class", PRINT_NUMBER, true}};
  bool is_alone = count == 1;
  print_table(print, "states", "States", columns + is_alone, COUNT_OF(columns) - is_alone, false);
  for (uint32_t i = 0; i < count; i++)
    model_show_put_rows(print, &views[i], i + 1, is_alone);
  print_table_end(print);
}

static void model_show_put_edges(struct print *print, const struct model_view *view, uint32_t phase, bool is_alone)
{
  for (uint32_t i = 0; i < view->model->count; i++) {
    const struct markov_state *state = &view->model->list[i];
    for (uint32_t k = 0; k < state->edge_count; k++) {
      double probability = (double)state->edges[k].count / (double)state->left;
      struct print_cell cells[] = {print_number(phase), print_string(view->names[i]),
                                   print_string(view->names[state->edges[k].to]), print_number(state->edges[k].count),
                                   print_real(probability)};
      print_row(print, cells + is_alone);
    }
  }
}

static void model_show_transitions(struct print *print, const struct model_view *views, uint32_t count)
{
  static const struct print_column columns[] = {{"phase", "Phase", PRINT_NUMBER, false},
                                                {"from", "From", PRINT_STRING, false},
                                                {"to", "To", PRINT_STRING, false},
                                                {"count", "Count", PRINT_COUNT, false},
                                                {"probability", "Probability", PRINT_PROBABILITY, false}};
  bool is_alone = count == 1;
  print_table(print, "edges", "Transitions", columns + is_alone, COUNT_OF(columns) - is_alone, false);
  for (uint32_t i = 0; i < count; i++)
    model_show_put_edges(print, &views[i], i + 1, is_alone);
  print_table_end(print);
}

static void put_classes(struct print *print, const struct model_view *view)
{
  static const struct print_column columns[] = {
      {"class", "Class", PRINT_NUMBER, false},         {"states", "States", PRINT_COUNT, false},
      {"period", "Period", PRINT_COUNT, false},        {"probability", "Probability", PRINT_PROBABILITY, false},
      {"reference", "Reference", PRINT_STRING, false}, {"cycle", "Cycle", PRINT_MEAN, false}};
  print_table(print, "classes", "Recurrent classes", columns, COUNT_OF(columns), false);
  for (uint32_t i = 0; i < view->chain->class_count; i++) {
    const struct markov_class *of = &view->chain->classes[i];
    struct print_cell cells[] = {print_number(i),
                                 print_number(of->states),
                                 print_number(of->period),
                                 print_real(of->probability),
                                 print_string(view->names[of->reference]),
                                 print_finite(of->cycle)};
    print_row(print, cells);
  }
  print_table_end(print);
}

/* "A1R1 A2R1 A2R2", cut to the room in `text`. */
static void join_names(const struct model_view *view, const struct pes_run *run, char *text, size_t size)
{
  size_t used = 0;
  *text = '\0';
  for (uint32_t i = 0; i < run->length && used < size; i++)
    used += (size_t)snprintf(text + used, size - used, "%s%s", i > 0 ? " " : "", view->names[run->states[i]]);
  if (used >= size)
    snprintf(text + size - 4, 4, "...");
}

static void put_aggregates(struct print *print, const struct model_view *view)
{
  static const struct print_column columns[] = {
      {"state", "State", PRINT_STRING, false}, {"before", "After", PRINT_STRING, true},
      {"after", "Before", PRINT_STRING, true}, {"sequence", "Stands for", PRINT_STRING, false},
      {"count", "Count", PRINT_COUNT, false},  {"probability", "Probability", PRINT_PROBABILITY, false}};
  char text[1024];
  print_table(print, "aggregates", "Aggregates", columns, COUNT_OF(columns), false);
  for (uint32_t i = 0; i < view->model->count; i++) {
    const struct pes_state *state = pes_state(view->model->states, i);
    double all = (double)state->other_runs;
    for (uint32_t k = 0; k < state->run_count; k++)
      all += (double)state->runs[k].count;
    for (uint32_t k = 0; state->kind != PES_BASIC && k < state->run_count; k++) {
      join_names(view, &state->runs[k], text, sizeof text);
      const char *before = state->before == PES_NONE ? NULL : view->names[state->before];
      const char *after = state->after == PES_NONE ? NULL : view->names[state->after];
      struct print_cell cells[] = {print_string(view->names[i]),
                                   print_string(before),
                                   print_string(after),
                                   print_string(text),
                                   print_number(state->runs[k].count),
                                   all > 0 ? print_real((double)state->runs[k].count / all) : print_none()};
      print_row(print, cells);
    }
  }
  print_table_end(print);
}

/* A row for the state before a transition, a column for the state after it. */
static void put_matrix(struct print *print, const struct model_view *view)
{
  const struct markov_model *model = view->model;
  struct print_column *columns = calloc((size_t)model->count + 1, sizeof *columns);
  struct print_cell *cells = calloc((size_t)model->count + 1, sizeof *cells);
  size_t *place = calloc((size_t)model->count + 1, sizeof *place), width = 1;
  if (columns && cells && place && view->chain->used <= MATRIX_MAX) {
    columns[0] = (struct print_column){"from", "From", PRINT_STRING, false};
    for (uint32_t i = 0; i < model->count; i++) {
      if (!markov_state_is_used(model, i))
        continue;
      columns[width] = (struct print_column){view->names[i], view->names[i], PRINT_PROBABILITY, false};
      place[i] = width++;
    }
    print_table(print, "matrix", NULL, columns, width, false);
    for (uint32_t i = 0; i < model->count; i++) {
      const struct markov_state *state = &model->list[i];
      if (place[i] == 0)
        continue;
      cells[0] = print_string(view->names[i]);
      for (size_t k = 1; k < width; k++)
        cells[k] = print_real(0);
      for (uint32_t k = 0; k < state->edge_count; k++)
        cells[place[state->edges[k].to]] = print_real((double)state->edges[k].count / (double)state->left);
      print_row(print, cells);
    }
    print_table_end(print);
  }
  free(columns);
  free(cells);
  free(place);
}

void model_show_letters(struct print *print, const struct model_view *view)
{
  struct state_letters *letters = state_letters_create(view->model->program);
  for (uint32_t i = 0; letters && i < view->model->count; i++)
    if (markov_state_is_used(view->model, i))
      state_letters_add(letters, view->model->states, i);
  char *sentence = state_letters_end(letters);
  if (sentence)
    print_sentence(print, "letters", sentence);
  free(sentence);
}

void model_show(struct print *print, const struct model_view *view)
{
  char text[1024];
  bool has_aggregates = false;
  for (uint32_t i = 0; i < view->model->count; i++)
    has_aggregates |= pes_state(view->model->states, i)->run_count > 0;
  model_show_put_facts(print, view);
  model_show_states(print, view, 1);
  model_show_transitions(print, view, 1);
  if (view->chain->class_count > 1 || view->format != PRINT_TEXT)
    put_classes(print, view);
  if (has_aggregates)
    put_aggregates(print, view);
  if (view->spread)
    model_show_spread(print, view);
  if (view->format == PRINT_CSV)
    put_matrix(print, view);
  model_describe_classes(view, text, sizeof text);
  print_sentence(print, "described", text);
  model_show_letters(print, view);
}

bool model_show_occupancy(struct print *print, const struct model_view *view, uint32_t state)
{
  static const struct print_column columns[] = {{"low", "From", PRINT_DURATION, false},
                                                {"high", "To", PRINT_DURATION, false},
                                                {"count", "Visits", PRINT_COUNT, false},
                                                {"below", "Up to here", PRINT_PROBABILITY, false}};
  const struct markov_distribution *occupancy = &view->model->list[state].occupancy;
  size_t count;
  struct markov_cell *cells = markov_distribution_cells(occupancy, &count);
  uint64_t below = 0;
  print_table(print, "occupancy", occupancy->exact ? "Occupancies" : "Occupancies, in buckets at most 1/128 wide",
              columns, COUNT_OF(columns), false);
  for (size_t i = 0; cells && i < count; i++) {
    below += cells[i].count;
    struct print_cell row[] = {print_number(cells[i].low), print_number(cells[i].high), print_number(cells[i].count),
                               print_real((double)below / (double)occupancy->count)};
    print_row(print, row);
  }
  print_table_end(print);
  free(cells);
  return cells || count == 0;
}

bool model_show_passage(struct print *print, const struct model_view *view, uint32_t target)
{
  static const struct print_column columns[] = {{"from", "From", PRINT_STRING, false},
                                                {"to", "To", PRINT_STRING, false},
                                                {"passage", "Mean passage", PRINT_MEAN, false}};
  const struct markov_model *model = view->model;
  struct markov_effort effort = {0};
  double *ticks = calloc((size_t)model->count + 1, sizeof *ticks);
  bool good = ticks;
  print_table(print, "passages", "From entering one state until next entering the other", columns, COUNT_OF(columns),
              false);
  for (uint32_t to = 0; good && to < model->count; to++) {
    if ((target != PES_NONE && to != target) || !markov_state_is_used(model, to))
      continue;
    good = markov_chain_passage(view->chain, to, ticks, &effort);
    for (uint32_t i = 0; good && i < model->count; i++) {
      struct print_cell cells[] = {print_string(view->names[i]), print_string(view->names[to]), print_finite(ticks[i])};
      if (!isnan(ticks[i]))
        print_row(print, cells);
    }
  }
  print_table_end(print);
  free(ticks);
  return good;
}

/* Series of models: the phases, and the tables of all models together. */

bool model_views_open(struct model_view *views, const struct markov_series *series, enum print_format format)
{
  bool good = true;
  for (uint32_t i = 0; i < series->count; i++) {
    const struct markov_model *model = series->models[i];
    views[i] = (struct model_view){.model = model,
                                   .chain = markov_chain_solve(model),
                                   .names = model_names(model->program, model->states),
                                   .format = format};
    good = good && views[i].chain && views[i].names;
  }
  return good;
}

void model_views_close(struct model_view *views, uint32_t count)
{
  for (uint32_t i = 0; i < count; i++) {
    markov_chain_free(views[i].chain);
    if (views[i].names)
      model_names_free(views[i].names, views[i].model->states);
  }
}

static double not_measured_of(const struct model_view *views, uint32_t count)
{
  double sum = 0, duration = 0;
  for (uint32_t i = 0; i < count; i++) {
    sum += not_measured_of_model(views[i].model) * (double)views[i].model->duration;
    duration += (double)views[i].model->duration;
  }
  return duration > 0 ? sum / duration : 0;
}

static void model_series_put_phases(struct print *print, const struct model_view *views, uint32_t count,
                                    uint64_t duration)
{
  static const struct print_column columns[] = {
      {"phase", "Phase", PRINT_NUMBER, false},           {"first", "First record", PRINT_COUNT, false},
      {"records", "Records", PRINT_COUNT, false},        {"begin", "Begin", PRINT_DURATION, false},
      {"duration", "Duration", PRINT_SHARE, false},      {"states", "States", PRINT_COUNT, false},
      {"classes", "Classes", PRINT_COUNT, false},        {"cycle", "Mean cycle", PRINT_MEAN, true},
      {"cycle_state", "from and to", PRINT_STRING, true}};
  uint64_t records = 0, begin = 0;
  print_table(print, "phases", "Phases", columns, COUNT_OF(columns), false);
  for (uint32_t i = 0; i < count; i++) {
    const struct markov_model *model = views[i].model;
    const struct markov_class *main_class = &views[i].chain->classes[views[i].chain->main_class];
    struct print_cell cells[] = {print_number(i + 1),
                                 print_number(records + 1),
                                 print_number(model->records),
                                 print_number(begin),
                                 print_share(model->duration, duration),
                                 print_number(views[i].chain->used),
                                 print_number(views[i].chain->class_count),
                                 print_finite(main_class->cycle),
                                 print_string(views[i].names[main_class->reference])};
    print_row(print, cells);
    records += model->records;
    begin += model->duration;
  }
  print_table_end(print);
}

void model_show_series(struct print *print, const struct model_view *views, uint32_t count)
{
  uint64_t records = 0, duration = 0;
  for (uint32_t i = 0; i < count; i++) {
    records += views[i].model->records;
    duration += views[i].model->duration;
  }
  model_show_program(print, views[0].model, not_measured_of(views, count));
  model_show_length(print, views[0].model, records, duration);
  model_series_put_phases(print, views, count, duration);
  model_show_states(print, views, count);
  model_show_transitions(print, views, count);
  print_sentence(print, "described",
                 "Long-run figures are of each phase alone, as if it went on for ever. The model of one phase with all "
                 "its tables: --phase N.");
  model_show_letters(print, &views[0]);
}

/* Graphs of models. */

/* As a quoted string of DOT: escaped once for terminals, and its quotes and backslashes for DOT. */
static void put_quoted(FILE *file, const char *name)
{
  char *escaped = escape_text(name);
  fputc('"', file);
  for (const char *at = escaped ? escaped : "?"; *at; at++) {
    if (*at == '"' || *at == '\\')
      fputc('\\', file);
    fputc(*at, file);
  }
  fputc('"', file);
  free(escaped);
}

void model_put_dot(FILE *file, const struct model_view *view)
{
  static const char *const shapes[] = {[PES_BASIC] = "ellipse", [PES_FILTER] = "box", [PES_PATTERN] = "hexagon"};
  const struct markov_model *model = view->model;
  fputs("digraph ", file);
  put_quoted(file, model->program->name);
  fputs(" {\n", file);
  for (uint32_t i = 0; i < model->count; i++) {
    if (!markov_state_is_used(model, i))
      continue;
    fprintf(file, "  s%" PRIu32 " [shape=%s, label=", i, shapes[pes_state(model->states, i)->kind]);
    put_quoted(file, view->names[i]);
    fprintf(file, ", tooltip=\"long-run %.4f\"];\n", view->chain->longrun[i]);
  }
  for (uint32_t i = 0; i < model->count; i++) {
    const struct markov_state *state = &model->list[i];
    for (uint32_t k = 0; k < state->edge_count; k++)
      fprintf(file, "  s%" PRIu32 " -> s%" PRIu32 " [label=\"%.4g\"];\n", i, state->edges[k].to,
              (double)state->edges[k].count / (double)state->left);
  }
  fputs("}\n", file);
}
