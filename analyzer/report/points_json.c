#include "analyzer/report/points_json.h"

#include "analyzer/command/print/json_writer.h"
#include "analyzer/report/page_text.h"

#include <math.h>
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

/* What is no number is null. */
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

static void points_json_put_times(struct json_writer *json, const struct points_list *list, uint64_t start)
{
  uint64_t before = start;
  json_put_array(json, "later");
  for (size_t i = 0; i < list->points.count; i++) {
    uint64_t time = list->points.items[i].time;
    json_put_count(json, NULL, time > before ? time - before : 0);
    before = time > before ? time : before;
  }
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
