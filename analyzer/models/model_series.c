/* How a series of models is shown: the phases, and the tables of all models together. */
#include "analyzer/models/model_show.h"
#include "analyzer/models/unmeasured_fact.h"
#include "base/count_of.h"

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

static double unmeasured_of(const struct model_view *views, uint32_t count)
{
  double sum = 0, duration = 0;
  for (uint32_t i = 0; i < count; i++) {
    sum += unmeasured_of_model(views[i].model) * (double)views[i].model->duration;
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
  model_show_program(print, views[0].model, unmeasured_of(views, count));
  model_show_length(print, views[0].model, records, duration);
  model_series_put_phases(print, views, count, duration);
  model_show_states(print, views, count);
  model_show_transitions(print, views, count);
  print_sentence(print, "described",
                 "Long-run figures are of each phase alone, as if it went on for ever. The model of one phase with all "
                 "its tables: --phase N.");
  model_show_letters(print, &views[0]);
}
