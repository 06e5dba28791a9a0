/* Files of fits as JSON: the observations, and the functions for other programs to read. */
#include "analyzer/models/prediction/file.h"

#include "analyzer/models/json_file/json_file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

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

/* `parameters`: number of parameters; `count`: number of coefficients. */
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

/* Reads observations from untrusted JSON. */

struct reading {
  struct json_file file;
  struct prediction_data *data;
};

/* Returns a list of `length` elements; UINT32_MAX: of any length. */
static const json_t *list(struct reading *reading, const json_t *object, const char *key, uint32_t length)
{
  const json_t *value = json_object_get(object, key);
  if (json_is_array(value) && json_array_size(value) <= PREDICTION_SERIES_MAX &&
      (length == UINT32_MAX || json_array_size(value) == length))
    return value;
  json_file_damaged(&reading->file, "%s is not a list, or has a wrong length", key);
  return NULL;
}

/* Reads a text at `key`, or a list of several at the plural of `key`. */
static bool read_texts(struct reading *reading, const json_t *object, const char *key, uint32_t count, char **texts)
{
  char plural[32];
  snprintf(plural, sizeof plural, "%ss", key);
  const json_t *several = count > 1 ? list(reading, object, plural, count) : NULL;
  bool good = count == 1 || several;
  for (uint32_t i = 0; good && i < count; i++) {
    texts[i] = json_file_text(&reading->file, several ? json_array_get(several, i) : json_object_get(object, key));
    good = texts[i];
  }
  return good;
}

static bool read_states(struct reading *reading, const json_t *document)
{
  const json_t *states = list(reading, document, "states", UINT32_MAX);
  for (uint32_t i = 0; states && i < json_array_size(states); i++) {
    char *label = json_file_text(&reading->file, json_array_get(states, i));
    uint32_t found = label ? prediction_state(reading->data, label) : i;
    bool good =
        label && (found == i ||
                  json_file_damaged(&reading->file, "two states have the same name, or there are too many states"));
    free(label);
    if (!good)
      return false;
  }
  return states && (reading->data->state_count > 0 || json_file_damaged(&reading->file, "it has no states"));
}

static bool read_end(struct reading *reading, const json_t *value, uint32_t *state)
{
  uint64_t found = PREDICTION_OUTSIDE;
  if (!json_is_null(value) &&
      !json_file_number(&reading->file, value, "a transition's state", reading->data->state_count - 1, &found))
    return false;
  *state = (uint32_t)found;
  return true;
}

static bool read_edges(struct reading *reading, const json_t *document)
{
  const json_t *edges = list(reading, document, "transitions", UINT32_MAX);
  for (uint32_t i = 0; edges && i < json_array_size(edges); i++) {
    const json_t *pair = json_array_get(edges, i);
    uint32_t from, to;
    if (json_array_size(pair) != 2)
      return json_file_damaged(&reading->file, "a transition is not a pair");
    if (!read_end(reading, json_array_get(pair, 0), &from) || !read_end(reading, json_array_get(pair, 1), &to))
      return false;
    if (from == PREDICTION_OUTSIDE && to == PREDICTION_OUTSIDE)
      return json_file_damaged(&reading->file, "a transition has no state");
    if (prediction_edge(reading->data, from, to) != i)
      return json_file_damaged(&reading->file, "a transition occurs twice, or there are too many transitions");
  }
  return edges;
}

/* Checks a run: it is one path from outside to outside, so arrivals, departures and visits of a state are equal. */
static bool check_flow(struct reading *reading, const struct prediction_run *run)
{
  const struct prediction_data *data = reading->data;
  uint32_t n = data->state_count;
  unsigned __int128 *in = calloc((size_t)n + 1, sizeof *in), *out = calloc((size_t)n + 1, sizeof *out), ticks = 0;
  bool good = in && out;
  if (!good)
    json_file_no_memory(&reading->file);
  for (uint32_t e = 0; good && e < data->edge_count; e++) {
    out[data->edges[e].from == PREDICTION_OUTSIDE ? n : data->edges[e].from] += run->counts[e];
    in[data->edges[e].to == PREDICTION_OUTSIDE ? n : data->edges[e].to] += run->counts[e];
  }
  for (uint32_t s = 0; good && s <= n; s++) {
    uint64_t visits = s < n ? run->visits[s] : 1;
    good = (in[s] == visits && out[s] == visits) ||
           json_file_damaged(&reading->file, "a run's transitions don't fit its visits");
    if (good && s < n && visits == 0 && run->ticks[s] > 0)
      good = json_file_damaged(&reading->file, "a state without visits has a time");
    ticks += s < n ? run->ticks[s] : 0;
  }
  free(in);
  free(out);
  return good && (ticks <= PREDICTION_COUNT_LIMIT || json_file_damaged(&reading->file, "a run's times are too large"));
}

static bool read_run(struct reading *reading, const json_t *object)
{
  struct prediction_data *data = reading->data;
  const json_t *visits = list(reading, object, "visits", data->state_count);
  const json_t *ticks = visits ? list(reading, object, "ticks", data->state_count) : NULL;
  const json_t *counts = ticks ? list(reading, object, "counts", data->edge_count) : NULL;
  char *values[PREDICTION_PARAMETERS_MAX] = {NULL};
  bool named = counts && read_texts(reading, object, "value", data->parameter_count, values);
  struct prediction_run *run = named ? prediction_run_create(data, (const char *const *)values) : NULL;
  if (named && !run)
    json_file_no_memory(&reading->file);
  for (uint32_t p = 0; p < data->parameter_count; p++)
    free(values[p]);
  bool good = run;
  for (uint32_t s = 0; good && s < data->state_count; s++)
    good = json_file_number(&reading->file, json_array_get(visits, s), "visits", PREDICTION_COUNT_LIMIT,
                            &run->visits[s]) &&
           json_file_number(&reading->file, json_array_get(ticks, s), "ticks", PREDICTION_COUNT_LIMIT, &run->ticks[s]);
  for (uint32_t e = 0; good && e < data->edge_count; e++)
    good =
        json_file_number(&reading->file, json_array_get(counts, e), "counts", PREDICTION_COUNT_LIMIT, &run->counts[e]);
  return good && check_flow(reading, run);
}

/* Checks that every state and transition occurs in a run, so that each can be reached. */
static bool check_use(struct reading *reading)
{
  const struct prediction_data *data = reading->data;
  bool *reached = calloc((size_t)data->state_count + 1, sizeof *reached), more = true;
  bool good = reached || json_file_no_memory(&reading->file);
  if (reached)
    reached[data->state_count] = true;
  for (uint32_t e = 0; good && e < data->edge_count; e++) {
    uint64_t count = 0;
    for (uint32_t i = 0; count == 0 && i < data->run_count; i++)
      count = data->runs[i].counts[e];
    good = count > 0 || json_file_damaged(&reading->file, "transition %u was never made", e);
  }
  for (uint32_t round = 0; good && more; round++) {
    more = false;
    for (uint32_t e = 0; e < data->edge_count; e++) {
      const struct prediction_edge *edge = &data->edges[e];
      if (edge->to == PREDICTION_OUTSIDE || reached[edge->to] ||
          !reached[edge->from == PREDICTION_OUTSIDE ? data->state_count : edge->from])
        continue;
      reached[edge->to] = more = true;
    }
    if (round > 2000) /* a long line of states against the order of their transitions; files list them the other way */
      good = json_file_damaged(&reading->file, "its transitions are in an order that takes too long to check");
  }
  for (uint32_t s = 0; good && s < data->state_count; s++)
    good = reached[s] || json_file_damaged(&reading->file, "state %u cannot be reached", s);
  free(reached);
  return good;
}

static bool read_document(struct reading *reading, const json_t *document)
{
  struct prediction_data *data = reading->data;
  data->parameter_count = (uint32_t)json_integer_value(json_object_get(document, "version"));
  bool named = read_texts(reading, document, "parameter", data->parameter_count, data->parameters);
  data->program = named ? json_file_text(&reading->file, json_object_get(document, "program")) : NULL;
  if (!data->program ||
      !json_file_number(&reading->file, json_object_get(document, "ticks_per_second"), "ticks_per_second", INT64_MAX,
                        &data->ticks_per_second) ||
      !read_states(reading, document) || !read_edges(reading, document))
    return false;
  const json_t *runs = list(reading, document, "runs", UINT32_MAX);
  if (!runs || json_array_size(runs) == 0)
    return runs && json_file_damaged(&reading->file, "it has no runs");
  for (uint32_t i = 0; i < json_array_size(runs); i++) {
    if (!read_run(reading, json_array_get(runs, i)))
      return false;
  }
  struct error why = {{0}};
  return check_use(reading) &&
         (prediction_data_group(data, &why) || json_file_damaged(&reading->file, "%s", why.message));
}

struct prediction_data *prediction_read_bytes(const char *bytes, size_t size, const char *path, struct error *error)
{
  struct reading reading = {.file = {.path = path, .kind = "fit", .error = error},
                            .data = prediction_data_create(NULL, 0)};
  if (!reading.data) {
    json_file_no_memory(&reading.file);
    return NULL;
  }
  json_t *document = json_file_document(&reading.file, bytes, size, PREDICTION_FILE_VERSION_MAX);
  bool good = document && read_document(&reading, document);
  json_decref(document);
  if (good)
    return reading.data;
  prediction_data_free(reading.data);
  return NULL;
}

struct prediction_data *prediction_read(const char *path, struct error *error)
{
  struct json_file file = {.path = path, .kind = "fit", .error = error};
  size_t size;
  char *bytes = json_file_bytes(&file, &size);
  struct prediction_data *data = bytes ? prediction_read_bytes(bytes, size, path, error) : NULL;
  free(bytes);
  return data;
}
