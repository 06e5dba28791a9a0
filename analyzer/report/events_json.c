#include "analyzer/report/events_json.h"

#include "analyzer/command/print/json_writer.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* The attributes that a list's points have, in the order of their first occurrence. */
typedef VECTOR(uint32_t) attribute_list;

static bool find_attributes(const struct points_list *list, attribute_list *found)
{
  found->count = 0;
  for (size_t i = 0; i < list->values.count; i++) {
    uint32_t attribute = list->values.items[i].attribute;
    size_t k = 0;
    while (k < found->count && found->items[k] != attribute)
      k++;
    if (k == found->count && !vector_push(found, attribute))
      return false;
  }
  return true;
}

/* A value that is no number becomes null. */
static void points_json_put_value(struct json_writer *json, const struct trace_value *value)
{
  char text[TRACE_VALUE_SIZE];
  if (value && value->type == TRACE_TEXT) {
    char cut[PAGE_TEXT_MOST + 1];
    page_text(value->text, cut);
    json_put_text(json, NULL, cut);
    return;
  }
  bool number = value && isfinite(trace_value_number(value));
  json_put_raw(json, NULL, number ? trace_value_text(value, text) : NULL);
}

static const struct trace_value *points_json_value_of(const struct points_list *list, const struct kept_point *point,
                                                      uint32_t attribute)
{
  for (uint32_t i = 0; i < point->count; i++)
    if (list->values.items[point->first + i].attribute == attribute)
      return &list->values.items[point->first + i];
  return NULL;
}

static void put_later(struct json_writer *json, uint64_t time, uint64_t *before)
{
  json_put_count(json, NULL, time > *before ? time - *before : 0);
  *before = time > *before ? time : *before;
}

static void points_json_put_times(struct json_writer *json, const struct points_list *list, uint64_t start)
{
  uint64_t before = start;
  json_put_array(json, "later");
  for (size_t i = 0; i < list->points.count; i++)
    put_later(json, list->points.items[i].time, &before);
  json_put_end(json);
}

/* Without the weights where all are 1. */
static void put_weights(struct json_writer *json, const struct points_list *list)
{
  bool ones = true;
  for (size_t i = 0; ones && i < list->points.count; i++)
    ones = list->points.items[i].weight == 1;
  if (ones)
    return;
  json_put_array(json, "weights");
  for (size_t i = 0; i < list->points.count; i++)
    json_put_count(json, NULL, list->points.items[i].weight);
  json_put_end(json);
}

static void put_list(struct json_writer *json, const struct points_list *list, const attribute_list *attributes,
                     uint64_t start)
{
  json_put_object(json, NULL);
  json_put_count(json, "location", list->location);
  json_put_count(json, "region", list->type);
  json_put_count(json, "every", list->every);
  json_put_count(json, "missing", list->missing);
  points_json_put_times(json, list, start);
  put_weights(json, list);
  json_put_array(json, "attributes");
  for (size_t k = 0; k < attributes->count; k++)
    json_put_count(json, NULL, attributes->items[k]);
  json_put_end(json);
  json_put_array(json, "values");
  for (size_t k = 0; k < attributes->count; k++) {
    json_put_array(json, NULL);
    for (size_t i = 0; i < list->points.count; i++)
      points_json_put_value(json, points_json_value_of(list, &list->points.items[i], attributes->items[k]));
    json_put_end(json);
  }
  json_put_end(json);
  json_put_end(json);
}

static bool points_json_put_all(struct json_writer *json, const struct trace *trace, const struct points_kept *kept,
                                uint64_t start)
{
  attribute_list attributes = {0};
  bool good = true;
  json_put_object(json, NULL);
  json_put_array(json, "attributes");
  for (uint32_t i = 0; i < trace->attribute_count; i++)
    json_put_text(json, NULL, trace->attributes[i].of_user ? trace->attributes[i].name : NULL);
  json_put_end(json);
  json_put_array(json, "lists");
  for (size_t i = 0; good && i < kept->lists.count; i++)
    if ((good = find_attributes(&kept->lists.items[i], &attributes)))
      put_list(json, &kept->lists.items[i], &attributes, start);
  json_put_end(json);
  json_put_end(json);
  vector_free(&attributes);
  return good;
}

char *points_json(const struct trace *trace, const struct points_kept *kept, uint64_t start)
{
  char *text = NULL;
  size_t size;
  FILE *file = open_memstream(&text, &size);
  if (!file)
    return NULL;
  struct json_writer json = json_writer(file);
  bool good = points_json_put_all(&json, trace, kept, start);
  if (fclose(file) == 0 && good && !json.failed)
    return text;
  free(text);
  return NULL;
}

static void put_metrics(struct json_writer *json, const struct trace *trace)
{
  json_put_array(json, "metrics");
  for (uint32_t i = 0; i < trace->metric_count; i++) {
    json_put_object(json, NULL);
    json_put_text(json, "name", trace->metrics[i]);
    json_put_text(json, "unit", trace->metric_units[i].name);
    json_put_signed(json, "exponent", trace->metric_units[i].exponent);
    json_put_raw(json, "adds", trace->metric_counts[i] ? "true" : "false");
    json_put_end(json);
  }
  json_put_end(json);
}

/* Each value less the one before it: short numbers. What is no number becomes null. */
static void put_changes(struct json_writer *json, const struct metric_readings_list *list, unsigned place,
                        unsigned count)
{
  double before = 0;
  json_put_array(json, NULL);
  for (size_t i = 0; i < list->times.count; i++) {
    double value = list->values.items[i * count + place];
    json_put_real(json, NULL, value - before);
    before = isfinite(value) ? value : before;
  }
  json_put_end(json);
}

static void put_readings(struct json_writer *json, const struct trace *trace, const struct metric_readings_list *list,
                         uint64_t start)
{
  const struct trace_metric_class *class = &trace->metric_classes[list->class];
  uint64_t before = start;
  json_put_object(json, NULL);
  json_put_count(json, "location", list->location);
  json_put_count(json, "every", list->every);
  json_put_array(json, "later");
  for (size_t i = 0; i < list->times.count; i++)
    put_later(json, list->times.items[i], &before);
  json_put_end(json);
  json_put_array(json, "metrics");
  for (uint32_t k = 0; k < class->count; k++) {
    uint32_t metric = class->metrics[k];
    json_put_signed(json, NULL, metric == TRACE_NONE ? -1 : (int64_t)metric);
  }
  json_put_end(json);
  json_put_array(json, "changes");
  for (uint32_t k = 0; k < class->count; k++)
    put_changes(json, list, k, class->count);
  json_put_end(json);
  json_put_end(json);
}

char *readings_json(const struct trace *trace, const struct metric_readings *readings, uint64_t start)
{
  char *text = NULL;
  size_t size;
  FILE *file = open_memstream(&text, &size);
  if (!file)
    return NULL;
  struct json_writer json = json_writer(file);
  json_put_object(&json, NULL);
  put_metrics(&json, trace);
  json_put_array(&json, "lists");
  for (size_t i = 0; i < readings->lists.count; i++)
    put_readings(&json, trace, &readings->lists.items[i], start);
  json_put_end(&json);
  json_put_end(&json);
  if (fclose(file) == 0 && !json.failed)
    return text;
  free(text);
  return NULL;
}

/* The symbols that the specification gives to events. */
static void put_events(struct json_writer *json, const struct spec *spec)
{
  static const char *const symbols[] = {
      [SPEC_PLUS] = "plus", [SPEC_X] = "x", [SPEC_BOX] = "box", [SPEC_DIAMOND] = "diamond"};
  json_put_array(json, "events");
  for (const struct spec_event *event = spec->events; event; event = event->next) {
    if (event->symbol == SPEC_NO_SYMBOL)
      continue;
    char *end = NULL;
    long offset = event->offset ? strtol(event->offset, &end, 10) : 0;
    json_put_object(json, NULL);
    json_put_text(json, "name", event->name);
    json_put_text(json, "symbol", symbols[event->symbol]);
    json_put_signed(json, "offset", end && *end ? 0 : offset);
    json_put_end(json);
  }
  json_put_end(json);
}

static void put_figures(struct json_writer *json, const struct interval_result *result)
{
  const struct lengths *lengths = &result->lengths;
  json_put_count(json, "count", lengths->count);
  json_put_count(json, "unmatched_starts", result->counts.unmatched_starts);
  json_put_count(json, "unmatched_ends", result->counts.unmatched_ends);
  json_put_real(json, "mean", lengths_mean(lengths));
  json_put_count(json, "min", lengths->min);
  json_put_count(json, "median", lengths_percentile(lengths, 0.5));
  json_put_count(json, "p99", lengths_percentile(lengths, 0.99));
  json_put_count(json, "max", lengths->max);
}

enum column { FROM, TO, LATER, LENGTH, WEIGHT, TOTAL };

/* `before`: the begin of the one before. */
static uint64_t intervals_json_value_of(const struct kept_interval *interval, enum column column, uint64_t before)
{
  switch (column) {
  case FROM:
    return interval->from;
  case TO:
    return interval->to;
  case LATER:
    return interval->begin > before ? interval->begin - before : 0;
  case LENGTH:
    return interval->end - interval->begin;
  case WEIGHT:
    return interval->weight;
  default:
    return interval->total;
  }
}

static void put_column(struct json_writer *json, const char *name, const struct kept_kind *kind, enum column column,
                       uint64_t start)
{
  uint64_t before = start;
  json_put_array(json, name);
  for (size_t i = 0; i < kind->list.count; i++) {
    const struct kept_interval *interval = &kind->list.items[i];
    json_put_count(json, NULL, intervals_json_value_of(interval, column, before));
    before = interval->begin > before ? interval->begin : before;
  }
  json_put_end(json);
}

/* Larger integers are no numbers of the page's language. */
#define PAGE_INTEGER_MOST (INT64_C(1) << 53)

/* Texts, and integers that are texts for the page, are cut where they are long. */
static void intervals_json_put_value(struct json_writer *json, const struct spec_value *value)
{
  char text[PAGE_TEXT_MOST + 1];
  switch (value->type) {
  case SPEC_INTEGER:
    snprintf(text, sizeof text, "%" PRId64, value->integer);
    if (value->integer > PAGE_INTEGER_MOST || value->integer < -PAGE_INTEGER_MOST)
      json_put_text(json, NULL, text);
    else
      json_put_raw(json, NULL, text);
    return;
  case SPEC_REAL:
    json_put_real(json, NULL, value->real);
    return;
  case SPEC_TEXT:
    page_text(value->text, text);
    json_put_text(json, NULL, text);
    return;
  default:
    json_put_raw(json, NULL, NULL);
  }
}

static bool has_values(const struct kept_kind *kind, uint32_t column)
{
  for (size_t i = 0; i < kind->list.count; i++)
    if (kind->values.items[kind->list.items[i].values + column].type != SPEC_ANY)
      return true;
  return false;
}

/* Only attributes that the ends have. */
static void put_attributes(struct json_writer *json, const struct kept_kind *kind)
{
  json_put_array(json, "attributes");
  for (uint32_t k = 0; k < kind->columns.count; k++) {
    if (!has_values(kind, k))
      continue;
    json_put_object(json, NULL);
    json_put_text(json, "name", kind->columns.list[k].name);
    json_put_array(json, "values");
    for (size_t i = 0; i < kind->list.count; i++)
      intervals_json_put_value(json, &kind->values.items[kind->list.items[i].values + k]);
    json_put_end(json);
    json_put_end(json);
  }
  json_put_end(json);
}

static void put_kind(struct json_writer *json, const struct interval_result *result, const struct kept_kind *kind,
                     uint64_t start)
{
  static const char *const drawn[] = {[SPEC_NO_LINE] = NULL, [SPEC_LINE] = "line", [SPEC_RECTANGLE] = "rectangle"};
  const struct spec_interval *interval = kind->interval;
  json_put_object(json, NULL);
  json_put_text(json, "name", interval->name);
  json_put_text(json, "drawn", drawn[interval->line]);
  put_figures(json, result);
  json_put_count(json, "every", kind->every);
  put_column(json, "from", kind, FROM, start);
  put_column(json, "to", kind, TO, start);
  put_column(json, "later", kind, LATER, start);
  put_column(json, "length", kind, LENGTH, start);
  if (kind->every > 1) {
    put_column(json, "weights", kind, WEIGHT, start);
    put_column(json, "totals", kind, TOTAL, start);
  }
  put_attributes(json, kind);
  json_put_end(json);
}

static void intervals_json_put_all(struct json_writer *json, const struct spec *spec, const struct intervals *intervals,
                                   const struct intervals_kept *kept, uint64_t start)
{
  json_put_object(json, NULL);
  put_events(json, spec);
  json_put_array(json, "kinds");
  for (uint32_t i = 0; i < kept->count; i++)
    put_kind(json, &intervals->list[i], &kept->kinds[i], start);
  json_put_end(json);
  json_put_array(json, "assertions");
  for (uint32_t i = 0; i < intervals->assertion_count; i++) {
    json_put_object(json, NULL);
    json_put_text(json, "text", intervals->assertions[i].assertion->text);
    json_put_count(json, "held", intervals->assertions[i].held);
    json_put_count(json, "violated", intervals->assertions[i].violated);
    json_put_end(json);
  }
  json_put_end(json);
  json_put_end(json);
}

char *intervals_json(const struct spec *spec, const struct intervals *intervals, const struct intervals_kept *kept,
                     uint64_t start)
{
  char *text = NULL;
  size_t size;
  FILE *file = open_memstream(&text, &size);
  if (!file)
    return NULL;
  struct json_writer json = json_writer(file);
  intervals_json_put_all(&json, spec, intervals, kept, start);
  if (fclose(file) == 0 && !json.failed)
    return text;
  free(text);
  return NULL;
}
