/* Writes what was measured, and the functions for other programs to read, as JSON. */
#include "analyzer/models/prediction/file.h"

#include "analyzer/models/json_file/json_file.h"

#include <math.h>

/* A failed addition shows when the document is complete: then something is missing. */
static bool file_write_add(json_t *array, json_t *value)
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
    good &= file_write_add(states, json_file_from_text(data->states[s]));
  for (uint32_t e = 0; e < data->edge_count; e++) {
    json_t *pair = json_array();
    good &= file_write_add(pair, state_or_null(data->edges[e].from)) &&
            file_write_add(pair, state_or_null(data->edges[e].to));
    good &= file_write_add(edges, pair);
  }
  bool kept = set(document, "states", states);
  return set(document, "transitions", edges) && kept && good;
}

static json_t *texts(char *const *list, uint32_t count)
{
  json_t *array = json_array();
  bool good = true;
  for (uint32_t i = 0; i < count; i++)
    good &= file_write_add(array, json_file_from_text(list[i]));
  if (good)
    return array;
  json_decref(array);
  return NULL;
}

static bool put_runs(json_t *document, const struct prediction_data *data)
{
  json_t *runs = json_array();
  bool good = true;
  for (uint32_t i = 0; i < data->run_count; i++) {
    const struct prediction_run *run = &data->runs[i];
    json_t *object = json_object(), *visits = json_array(), *ticks = json_array(), *counts = json_array();
    for (uint32_t s = 0; s < data->state_count; s++) {
      good &= file_write_add(visits, json_file_from_number(prediction_visits(run, s)));
      good &= file_write_add(ticks, json_file_from_number(prediction_ticks(run, s)));
    }
    for (uint32_t e = 0; e < data->edge_count; e++)
      good &= file_write_add(counts, json_file_from_number(prediction_count(run, e)));
    good &= data->parameter_count == 1 ? set(object, "value", json_file_from_text(run->values[0]))
                                       : set(object, "values", texts(run->values, data->parameter_count));
    good &= set(object, "visits", visits);
    good &= set(object, "ticks", ticks);
    good &= set(object, "counts", counts);
    good &= file_write_add(runs, object);
  }
  return set(document, "runs", runs) && good;
}

/* `parameters`: how many; `count`: how many coefficients. */
static json_t *function(const struct prediction_shape *shape, uint32_t parameters, const double *c, uint32_t count,
                        double error)
{
  json_t *object = json_object(), *coefficients = json_array();
  bool good = true;
  for (uint32_t i = 0; i < count; i++)
    good &= file_write_add(coefficients, json_real(c[i]));
  good &= set(object, "form", json_string(prediction_shape_name(shape)));
  if (parameters > 1) {
    json_t *of = json_array();
    for (uint32_t p = 0; p < parameters; p++)
      good &= file_write_add(of, json_string(prediction_form_name(shape->of[p])));
    good &= set(object, "of", of);
  }
  good &= set(object, "coefficients", coefficients);
  good &= set(object, "error", isnan(error) ? json_null() : json_real(error));
  if (good)
    return object;
  json_decref(object);
  return NULL;
}

static json_t *state_function(const struct prediction_function *of, uint32_t parameters)
{
  return function(&of->shape, parameters, of->c, parameters + 2, of->error);
}

static bool put_functions(json_t *document, const struct prediction *prediction)
{
  json_t *functions = json_object(), *occupancy = json_array(), *visits = json_array(), *probability = json_array();
  uint32_t parameters = prediction->data->parameter_count;
  bool good = true;
  for (uint32_t s = 0; s < prediction->data->state_count; s++) {
    good &= file_write_add(occupancy, state_function(&prediction->occupancy[s], parameters));
    good &= file_write_add(visits, state_function(&prediction->visits[s], parameters));
  }
  for (uint32_t e = 0; e < prediction->data->edge_count; e++) {
    const struct prediction_probability *of = &prediction->probability[e];
    good &= file_write_add(probability, function(&of->shape, parameters, of->c, 2 * parameters, of->error));
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
  good &= set(document, "version", json_file_from_number(data->parameter_count));
  good &= set(document, "program", json_file_from_text(data->program));
  good &= data->parameter_count == 1 ? set(document, "parameter", json_file_from_text(data->parameters[0]))
                                     : set(document, "parameters", texts(data->parameters, data->parameter_count));
  good &= set(document, "ticks_per_second", json_file_from_number(data->ticks_per_second));
  good = put_lists(document, data) && put_runs(document, data) &&
         (!prediction || put_functions(document, prediction)) && good;
  if (!good)
    error_set(error, "out of memory");
  good = good && json_file_write(document, path, error);
  json_decref(document);
  return good;
}
