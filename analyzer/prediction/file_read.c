/* Reads what was measured from JSON that anybody may have written. */
#include "analyzer/prediction/file.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#define SIZE_LIMIT (UINT64_C(256) << 20)

struct reading {
  const char *path;
  struct prediction_data *data;
  struct trace_error *error;
};

__attribute__((format(printf, 2, 3))) static bool bad(struct reading *reading, const char *format, ...)
{
  char what[256];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(what, sizeof what, format, arguments);
  va_end(arguments);
  return trace_fail(reading->error, "%s: is no sound fit: %s", reading->path, what);
}

static bool out_of_memory(struct reading *reading)
{
  return trace_fail(reading->error, "%s: out of memory", reading->path);
}

static bool number(struct reading *reading, const json_t *value, const char *what, uint64_t max, uint64_t *result)
{
  if (!json_is_integer(value) || json_integer_value(value) < 0 || (uint64_t)json_integer_value(value) > max)
    return bad(reading, "%s is missing, no whole number, or out of range", what);
  *result = (uint64_t)json_integer_value(value);
  return true;
}

/* A list, of `length` elements unless that is UINT32_MAX. */
static const json_t *list(struct reading *reading, const json_t *object, const char *key, uint32_t length)
{
  const json_t *value = json_object_get(object, key);
  if (json_is_array(value) && json_array_size(value) <= PREDICTION_SERIES_MAX &&
      (length == UINT32_MAX || json_array_size(value) == length))
    return value;
  bad(reading, "%s is no list, or not as long as it should be", key);
  return NULL;
}

static int nibble(char digit)
{
  static const char digits[] = "0123456789abcdef";
  const char *at = digit ? strchr(digits, digit) : NULL;
  return at ? (int)(at - digits) : -1;
}

/* The caller frees it. NULL: an error. */
static char *text(struct reading *reading, const json_t *value)
{
  const char *hex = json_string_value(json_object_get(value, "hex"));
  size_t length = hex ? strlen(hex) : 1;
  char *result = json_is_string(value) ? strdup(json_string_value(value)) : calloc(length / 2 + 1, 1);
  if (!result)
    out_of_memory(reading);
  if (!result || json_is_string(value))
    return result;
  bool good = length % 2 == 0;
  for (size_t i = 0; good && i < length; i += 2) {
    int high = nibble(hex[i]), low = nibble(hex[i + 1]);
    good = high >= 0 && low >= 0 && (high > 0 || low > 0);
    result[i / 2] = (char)(16 * high + low);
  }
  if (good)
    return result;
  bad(reading, "a text is missing, or has digits that are not hexadecimal");
  free(result);
  return NULL;
}

static bool read_states(struct reading *reading, const json_t *document)
{
  const json_t *states = list(reading, document, "states", UINT32_MAX);
  for (uint32_t i = 0; states && i < json_array_size(states); i++) {
    char *label = text(reading, json_array_get(states, i));
    uint32_t found = label ? prediction_state(reading->data, label) : i;
    bool good = label && (found == i || bad(reading, "two states have one name, or there are too many"));
    free(label);
    if (!good)
      return false;
  }
  return states && (reading->data->state_count > 0 || bad(reading, "it has no states"));
}

static bool read_end(struct reading *reading, const json_t *value, uint32_t *state)
{
  uint64_t found = PREDICTION_OUTSIDE;
  if (!json_is_null(value) && !number(reading, value, "a transition's state", reading->data->state_count - 1, &found))
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
      return bad(reading, "a transition is no pair");
    if (!read_end(reading, json_array_get(pair, 0), &from) || !read_end(reading, json_array_get(pair, 1), &to))
      return false;
    if (from == PREDICTION_OUTSIDE && to == PREDICTION_OUTSIDE)
      return bad(reading, "a transition has no state");
    if (prediction_edge(reading->data, from, to) != i)
      return bad(reading, "a transition is there twice, or there are too many");
  }
  return edges;
}

/* A run is one way from outside to outside: what enters a state leaves it, as often as it was visited. */
static bool check_flow(struct reading *reading, const struct prediction_run *run)
{
  const struct prediction_data *data = reading->data;
  uint32_t n = data->state_count;
  unsigned __int128 *in = calloc((size_t)n + 1, sizeof *in), *out = calloc((size_t)n + 1, sizeof *out), ticks = 0;
  bool good = in && out;
  if (!good)
    out_of_memory(reading);
  for (uint32_t e = 0; good && e < data->edge_count; e++) {
    out[data->edges[e].from == PREDICTION_OUTSIDE ? n : data->edges[e].from] += run->counts[e];
    in[data->edges[e].to == PREDICTION_OUTSIDE ? n : data->edges[e].to] += run->counts[e];
  }
  for (uint32_t s = 0; good && s <= n; s++) {
    uint64_t visits = s < n ? run->visits[s] : 1;
    good = (in[s] == visits && out[s] == visits) || bad(reading, "a run's transitions don't fit its visits");
    if (good && s < n && visits == 0 && run->ticks[s] > 0)
      good = bad(reading, "a state without visits has a time");
    ticks += s < n ? run->ticks[s] : 0;
  }
  free(in);
  free(out);
  return good && (ticks <= PREDICTION_COUNT_LIMIT || bad(reading, "a run's times are too large"));
}

static bool read_run(struct reading *reading, const json_t *object)
{
  struct prediction_data *data = reading->data;
  const json_t *visits = list(reading, object, "visits", data->state_count);
  const json_t *ticks = visits ? list(reading, object, "ticks", data->state_count) : NULL;
  const json_t *counts = ticks ? list(reading, object, "counts", data->edge_count) : NULL;
  char *value = counts ? text(reading, json_object_get(object, "value")) : NULL;
  struct prediction_run *run = value ? prediction_run_create(data, value) : NULL;
  if (value && !run)
    out_of_memory(reading);
  free(value);
  bool good = run;
  for (uint32_t s = 0; good && s < data->state_count; s++)
    good = number(reading, json_array_get(visits, s), "visits", PREDICTION_COUNT_LIMIT, &run->visits[s]) &&
           number(reading, json_array_get(ticks, s), "ticks", PREDICTION_COUNT_LIMIT, &run->ticks[s]);
  for (uint32_t e = 0; good && e < data->edge_count; e++)
    good = number(reading, json_array_get(counts, e), "counts", PREDICTION_COUNT_LIMIT, &run->counts[e]);
  return good && check_flow(reading, run);
}

/* Every state and transition is one of some run, so that none is without a way to it. */
static bool check_use(struct reading *reading)
{
  const struct prediction_data *data = reading->data;
  bool *reached = calloc((size_t)data->state_count + 1, sizeof *reached), more = true;
  bool good = reached || out_of_memory(reading);
  if (reached)
    reached[data->state_count] = true;
  for (uint32_t e = 0; good && e < data->edge_count; e++) {
    uint64_t count = 0;
    for (uint32_t i = 0; count == 0 && i < data->run_count; i++)
      count = data->runs[i].counts[e];
    good = count > 0 || bad(reading, "transition %u was never made", e);
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
      good = bad(reading, "its transitions are in an order that takes too long to check");
  }
  for (uint32_t s = 0; good && s < data->state_count; s++)
    good = reached[s] || bad(reading, "state %u can't be come to", s);
  free(reached);
  return good;
}

static bool read_document(struct reading *reading, const json_t *document)
{
  uint64_t version;
  struct prediction_data *data = reading->data;
  const char *format = json_string_value(json_object_get(document, "format"));
  if (!format || strcmp(format, "heddle fit") != 0)
    return trace_fail(reading->error, "%s: is no fit; `heddle fit -o FILE` makes one", reading->path);
  if (!number(reading, json_object_get(document, "version"), "version", INT64_MAX, &version))
    return false;
  if (version != PREDICTION_FILE_VERSION)
    return trace_fail(reading->error, "%s: is of version %llu; this program knows version %d", reading->path,
                      (unsigned long long)version, PREDICTION_FILE_VERSION);
  free(data->parameter);
  data->parameter = text(reading, json_object_get(document, "parameter"));
  data->program = data->parameter ? text(reading, json_object_get(document, "program")) : NULL;
  if (!data->program ||
      !number(reading, json_object_get(document, "ticks_per_second"), "ticks_per_second", INT64_MAX,
              &data->ticks_per_second) ||
      !read_states(reading, document) || !read_edges(reading, document))
    return false;
  const json_t *runs = list(reading, document, "runs", UINT32_MAX);
  if (!runs || json_array_size(runs) == 0)
    return runs && bad(reading, "it has no runs");
  for (uint32_t i = 0; i < json_array_size(runs); i++) {
    if (!read_run(reading, json_array_get(runs, i)))
      return false;
  }
  struct trace_error why = {{0}};
  return check_use(reading) && (prediction_data_group(data, &why) || bad(reading, "%s", why.message));
}

struct prediction_data *prediction_read_bytes(const char *bytes, size_t size, const char *path,
                                              struct trace_error *error)
{
  json_error_t where;
  struct reading reading = {.path = path, .error = error, .data = prediction_data_create("")};
  if (!reading.data) {
    out_of_memory(&reading);
    return NULL;
  }
  json_t *document = json_loadb(bytes, size, JSON_REJECT_DUPLICATES, &where);
  bool good = document;
  if (!good)
    trace_fail(error, "%s: line %d: is no JSON: %s", path, where.line, where.text);
  good = good && read_document(&reading, document);
  json_decref(document);
  if (good)
    return reading.data;
  prediction_data_free(reading.data);
  return NULL;
}

/* The whole file; the caller frees it. */
static char *slurp(FILE *file, const char *path, size_t *size, struct trace_error *error)
{
  char *bytes = NULL;
  size_t capacity = 0, got = 1;
  for (*size = 0; got > 0; *size += got) {
    if (*size == capacity) {
      capacity = capacity ? 2 * capacity : 65536;
      char *more = capacity <= SIZE_LIMIT ? realloc(bytes, capacity) : NULL;
      if (!more) {
        trace_fail(error, "%s: is larger than a fit can be, or memory ran out", path);
        free(bytes);
        return NULL;
      }
      bytes = more;
    }
    got = fread(bytes + *size, 1, capacity - *size, file);
  }
  if (!ferror(file))
    return bytes;
  trace_fail(error, "%s: cannot be read: %s", path, strerror(errno));
  free(bytes);
  return NULL;
}

struct prediction_data *prediction_read(const char *path, struct trace_error *error)
{
  bool own = strcmp(path, "-") != 0;
  FILE *file = own ? fopen(path, "r") : stdin;
  if (!file) {
    trace_fail(error, "%s: cannot be read: %s", path, strerror(errno));
    return NULL;
  }
  size_t size;
  char *bytes = slurp(file, path, &size, error);
  if (own)
    fclose(file);
  struct prediction_data *data = bytes ? prediction_read_bytes(bytes, size, path, error) : NULL;
  free(bytes);
  return data;
}
