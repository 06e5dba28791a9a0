#include "analyzer/models/model_components.h"

#include "analyzer/models/model_show.h"
#include "analyzer/models/transforms/transforms.h"
#include "base/count_of.h"

#include <math.h>
#include <stdio.h>

#define LEVEL 0.05

/* What is shown. A view is of one component's model. */
struct model_components_shown {
  const struct pes_program *program;
  struct markov_model *models[MARKOV_COMPONENTS_MOST];
  struct model_view views[MARKOV_COMPONENTS_MOST];
  struct markov_dependence *dependence;
};

static const char *model_components_name_of(const struct model_components_shown *shown, uint32_t component)
{
  return shown->program->components[component].name;
}

/* The model of one component: the sequence of its values alone. */
static struct markov_model *model_one(struct pes_stream *stream, uint32_t component, const struct markov_options *rules,
                                      struct error *error)
{
  char number[16];
  snprintf(number, sizeof number, "%u", component);
  struct transforms *list = transforms_create();
  bool good = list ? transforms_add(list, "project", number, error) : error_set(error, "out of memory");
  struct pes_stream *whole = good ? markov_slice(stream, 0, UINT64_MAX, error) : NULL; /* leaves the stream open */
  struct pes_stream *projected = whole ? transforms_open(list, 1, whole, error) : NULL;
  struct markov_model *model = projected ? markov_model_of(projected, rules, error) : NULL;
  pes_close(projected);
  transforms_free(list);
  return model;
}

static bool model_all(struct model_components_shown *shown, struct pes_stream *stream,
                      const struct markov_options *rules, struct error *error)
{
  bool good = true;
  for (uint32_t i = 0; good && i < shown->dependence->components; i++) {
    shown->models[i] = model_one(stream, i, rules, error);
    struct markov_series one = {.models = {shown->models[i]}, .count = 1};
    good =
        shown->models[i] && (model_views_open(&shown->views[i], &one, PRINT_TEXT) || error_set(error, "out of memory"));
  }
  return good;
}

static void model_components_put_components(struct print *print, const struct model_components_shown *shown)
{
  static const struct print_column columns[] = {
      {"component", "Component", PRINT_STRING, false}, {"records", "Records", PRINT_COUNT, false},
      {"states", "States", PRINT_COUNT, false},        {"entropy", "Entropy (bits)", PRINT_PROBABILITY, false},
      {"cycle", "Mean cycle", PRINT_MEAN, true},       {"cycle_state", "from and to", PRINT_STRING, true}};
  print_table(print, "components", "Components", columns, COUNT_OF(columns), false);
  for (uint32_t i = 0; i < shown->dependence->components; i++) {
    const struct model_view *view = &shown->views[i];
    const struct markov_class *main_class = &view->chain->classes[view->chain->main_class];
    struct print_cell cells[] = {print_string(model_components_name_of(shown, i)),
                                 print_number(view->model->records),
                                 print_number(view->chain->used),
                                 print_real(shown->dependence->entropies[i]),
                                 print_finite(main_class->cycle),
                                 print_string(view->names[main_class->reference])};
    print_row(print, cells);
  }
  print_table_end(print);
}

static void model_components_put_states(struct print *print, const struct model_components_shown *shown)
{
  static const struct print_column columns[] = {{"component", "Component", PRINT_STRING, false},
                                                {"state", "State", PRINT_STRING, false},
                                                {"visits", "Visits", PRINT_COUNT, false},
                                                {"total", "Total", PRINT_SHARE, false},
                                                {"mean", "Mean", PRINT_MEAN, true},
                                                {"stationary", "Stationary", PRINT_PROBABILITY, false},
                                                {"longrun", "Long-run", PRINT_PROBABILITY, false}};
  print_table(print, "states", "States", columns, COUNT_OF(columns), false);
  for (uint32_t i = 0; i < shown->dependence->components; i++) {
    const struct model_view *view = &shown->views[i];
    for (uint32_t k = 0; k < view->model->count; k++) {
      const struct markov_distribution *occupancy = &view->model->list[k].occupancy;
      if (!markov_state_is_used(view->model, k))
        continue;
      struct print_cell cells[] = {print_string(model_components_name_of(shown, i)),
                                   print_string(view->names[k]),
                                   print_number(occupancy->count),
                                   print_share(occupancy->total, view->model->duration),
                                   occupancy->count > 0 ? print_real(markov_distribution_mean(occupancy))
                                                        : print_none(),
                                   print_real(view->chain->stationary[k]),
                                   print_real(view->chain->longrun[k])};
      print_row(print, cells);
    }
  }
  print_table_end(print);
}

static void model_components_put_edges(struct print *print, const struct model_components_shown *shown)
{
  static const struct print_column columns[] = {{"component", "Component", PRINT_STRING, false},
                                                {"from", "From", PRINT_STRING, false},
                                                {"to", "To", PRINT_STRING, false},
                                                {"count", "Count", PRINT_COUNT, false},
                                                {"probability", "Probability", PRINT_PROBABILITY, false}};
  print_table(print, "edges", "Transitions", columns, COUNT_OF(columns), false);
  for (uint32_t i = 0; i < shown->dependence->components; i++) {
    const struct model_view *view = &shown->views[i];
    for (uint32_t k = 0; k < view->model->count; k++) {
      const struct markov_state *state = &view->model->list[k];
      for (uint32_t e = 0; e < state->edge_count; e++) {
        struct print_cell cells[] = {print_string(model_components_name_of(shown, i)), print_string(view->names[k]),
                                     print_string(view->names[state->edges[e].to]), print_number(state->edges[e].count),
                                     print_real((double)state->edges[e].count / (double)state->left)};
        print_row(print, cells);
      }
    }
  }
  print_table_end(print);
}

/* The smaller entropy: with that much information, one component determines the other. */
static double most_of(const struct markov_dependence *dependence, const struct markov_pair *pair)
{
  return fmin(dependence->entropies[pair->first], dependence->entropies[pair->second]);
}

static const char *outcome_of(const struct markov_pair *pair)
{
  return isnan(pair->p) ? "not tested" : pair->p <= LEVEL ? "depend" : "no sign";
}

static void put_pairs(struct print *print, const struct model_components_shown *shown)
{
  static const struct print_column columns[] = {{"first", "Component", PRINT_STRING, false},
                                                {"second", "and", PRINT_STRING, false},
                                                {"outcome", "Outcome", PRINT_STRING, false},
                                                {"information", "Information (bits)", PRINT_PROBABILITY, false},
                                                {"chance", "by chance", PRINT_PROBABILITY, true},
                                                {"excess", "beyond", PRINT_PROBABILITY, true},
                                                {"part", "of possible", PRINT_PERCENT, true},
                                                {"smallest", "Would show", PRINT_PROBABILITY, true},
                                                {"p", "p", PRINT_PROBABILITY, true}};
  const struct markov_dependence *dependence = shown->dependence;
  print_table(print, "dependence", "Dependence", columns, COUNT_OF(columns), false);
  for (uint32_t i = 0; i < dependence->pair_count; i++) {
    const struct markov_pair *pair = &dependence->pairs[i];
    bool done = !isnan(pair->p);
    double excess = markov_pair_excess(pair), most = most_of(dependence, pair);
    struct print_cell cells[] = {print_string(model_components_name_of(shown, pair->first)),
                                 print_string(model_components_name_of(shown, pair->second)),
                                 print_string(outcome_of(pair)),
                                 print_real(pair->information),
                                 done ? print_real(pair->chance) : print_none(),
                                 done ? print_real(excess) : print_none(),
                                 done ? print_finite(100 * excess / most) : print_none(),
                                 print_finite(pair->smallest),
                                 print_finite(pair->p)};
    print_row(print, cells);
  }
  print_table_end(print);
}

static void model_components_put_verdict(struct print *print, const struct model_components_shown *shown)
{
  const struct markov_dependence *dependence = shown->dependence;
  const struct markov_pair *best = NULL;
  uint32_t depend = 0, tested = 0;
  char text[512];
  for (uint32_t i = 0; i < dependence->pair_count; i++) {
    const struct markov_pair *pair = &dependence->pairs[i];
    tested += !isnan(pair->p);
    if (!(pair->p <= LEVEL))
      continue;
    depend++;
    best = !best || markov_pair_excess(pair) > markov_pair_excess(best) ? pair : best;
  }
  if (tested == 0)
    snprintf(text, sizeof text, "There are no two components that change: nothing could be tested.");
  else if (!best)
    snprintf(text, sizeof text,
             "No two components depend on each other, as far as the test sees: their models hold side by side.");
  else
    snprintf(
        text, sizeof text,
        "%u of %u pairs depend on each other, %s and %s most: who knows one of them knows %.2g of the %.2g bits of "
        "the other. Models of the components alone lose this.",
        depend, tested, model_components_name_of(shown, best->first), model_components_name_of(shown, best->second),
        markov_pair_excess(best), most_of(dependence, best));
  print_sentence(print, "verdict", text);
}

static void model_components_put_facts(struct print *print, const struct model_components_shown *shown,
                                       uint64_t duration)
{
  print_csv_facts(print);
  print_fact(print, "program", "Program", PRINT_STRING, print_string(shown->program->name));
  print_fact(print, "duration", "Duration", PRINT_DURATION, print_number(duration));
  print_fact(print, "level", "Level", PRINT_PROBABILITY, print_real(LEVEL));
  print_fact(print, "rotations", "Rotations", PRINT_COUNT, print_number(shown->dependence->rotations));
}

static bool model_components_show(const struct model_components_shown *shown, enum print_format format,
                                  struct error *error)
{
  struct print *print = print_open(format, stdout, shown->program->ticks_per_second);
  if (!print)
    return error_set(error, "out of memory");
  model_components_put_facts(print, shown, shown->dependence->components > 0 ? shown->models[0]->duration : 0);
  model_components_put_components(print, shown);
  model_components_put_states(print, shown);
  model_components_put_edges(print, shown);
  put_pairs(print, shown);
  model_components_put_verdict(print, shown);
  return print_close(print);
}

bool model_components(const char *path, const struct markov_options *rules, enum print_format format,
                      struct error *error)
{
  static const struct markov_dependence_options usual = {.level = LEVEL, .seed = 1};
  struct error why = {{0}};
  struct model_components_shown shown = {0};
  struct pes_stream *stream = pes_open(path, error);
  if (!stream)
    return false;
  shown.program = stream->program;
  shown.dependence = markov_dependence_of(stream, &usual, &why);
  bool good =
      (shown.dependence && model_all(&shown, stream, rules, &why)) || error_set(error, "%s: %s", path, why.message);
  good = good && model_components_show(&shown, format, error);
  for (uint32_t i = 0; shown.dependence && i < shown.dependence->components; i++) {
    if (shown.models[i])
      model_views_close(&shown.views[i], 1);
    markov_model_free(shown.models[i]);
  }
  markov_dependence_free(shown.dependence);
  pes_close(stream);
  return good;
}
