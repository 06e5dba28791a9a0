/* Writes what was measured, and the functions for other programs to read, as JSON. */
#include "analyzer/prediction/file.h"

#include "analyzer/json_file/json_file.h"

#include <math.h>

/* A failed addition shows when the document is complete: then something is missing. */
static bool add(json_t *array, json_t *value)
{
  return json_array_append_new(array, value) == 0;
}

static bool set(json_t *object, const char *key, json_t *value)
{
  return json_object_set_new(object, key, value) == 0;
}

static json_t *state_or_null(uint32_t state)
{
  return state == PREDICTION_OUTSIDE ? json_null() : json_file_from_number(state);
}

static bool put_lists(json_t *document, const struct prediction_data *data)
{
  json_t *states = json_array(), *edges = json_array();
  bool good = true;
  for (uint32_t s = 0; s < data->state_count; s++)
    good &= add(states, json_file_from_text(data->states[s]));
  for (uint32_t e = 0; e < data->edge_count; e++) {
    json_t *pair = json_array();
    good &= add(pair, state_or_null(data->edges[e].from)) && add(pair, state_or_null(data->edges[e].to));
    good &= add(edges, pair);
  }
  bool kept = set(document, "states", states);
  return set(document, "transitions", edges) && kept && good;
}

static bool put_runs(json_t *document, const struct prediction_data *data)
{
  json_t *runs = json_array();
  bool good = true;
  for (uint32_t i = 0; i < data->run_count; i++) {
    const struct prediction_run *run = &data->runs[i];
    json_t *object = json_object(), *visits = json_array(), *ticks = json_array(), *counts = json_array();
    for (uint32_t s = 0; s < data->state_count; s++) {
      good &= add(visits, json_file_from_number(prediction_visits(run, s)));
      good &= add(ticks, json_file_from_number(prediction_ticks(run, s)));
    }
    for (uint32_t e = 0; e < data->edge_count; e++)
      good &= add(counts, json_file_from_number(prediction_count(run, e)));
    good &= set(object, "value", json_file_from_text(run->value));
    good &= set(object, "visits", visits);
    good &= set(object, "ticks", ticks);
    good &= set(object, "counts", counts);
    good &= add(runs, object);
  }
  return set(document, "runs", runs) && good;
}

static json_t *function(const char *name, const double *c, int count, double error)
{
  json_t *object = json_object(), *coefficients = json_array();
  bool good = true;
  for (int i = 0; i < count; i++)
    good &= add(coefficients, json_real(c[i]));
  good &= set(object, "form", json_string(name));
  good &= set(object, "coefficients", coefficients);
  good &= set(object, "error", isnan(error) ? json_null() : json_real(error));
  if (good)
    return object;
  json_decref(object);
  return NULL;
}

static json_t *state_function(const struct prediction_function *of)
{
  return function(prediction_form_name(of->form), of->c, 3, of->error);
}

static bool put_functions(json_t *document, const struct prediction *prediction)
{
  json_t *functions = json_object(), *occupancy = json_array(), *visits = json_array(), *probability = json_array();
  bool good = true;
  for (uint32_t s = 0; s < prediction->data->state_count; s++) {
    good &= add(occupancy, state_function(&prediction->occupancy[s]));
    good &= add(visits, state_function(&prediction->visits[s]));
  }
  for (uint32_t e = 0; e < prediction->data->edge_count; e++) {
    const struct prediction_probability *of = &prediction->probability[e];
    good &= add(probability, function(prediction_form_name(of->form), of->c, 2, of->error));
  }
  good &= set(functions, "occupancy", occupancy);
  good &= set(functions, "visits", visits);
  good &= set(functions, "probability", probability);
  return set(document, "functions", functions) && good;
}

bool prediction_write(const struct prediction_data *data, const struct prediction *prediction, const char *path,
                      struct error *error)
{
  json_t *document = json_object();
  bool good = set(document, "format", json_string("heddle fit"));
  good &= set(document, "version", json_file_from_number(PREDICTION_FILE_VERSION));
  good &= set(document, "program", json_file_from_text(data->program));
  good &= set(document, "parameter", json_file_from_text(data->parameter));
  good &= set(document, "ticks_per_second", json_file_from_number(data->ticks_per_second));
  good = put_lists(document, data) && put_runs(document, data) &&
         (!prediction || put_functions(document, prediction)) && good;
  if (!good)
    error_set(error, "out of memory");
  good = good && json_file_write(document, path, error);
  json_decref(document);
  return good;
}
