#include "analyzer/analyses/events/events_list.h"

#include "analyzer/analyses/events/stream.h"
#include "analyzer/analyses/events/sums.h"
#include "analyzer/command/print/escape.h"
#include "base/vector.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TIME, THREAD, NAME, EVENT, WEIGHT, FIXED }; /* columns before those of attributes; text has no weight */

#define ATTRIBUTES_MOST 1000 /* columns */

struct list {
  const struct analysis_run *run;
  uint32_t *column_of; /* an attribute: its column; TRACE_NONE: none */
  VECTOR(struct print_column) columns;
  VECTOR(char *) keys;
  VECTOR(char) text; /* of the attributes of one event */
  struct print_cell *cells;
  char (*numbers)[TRACE_VALUE_SIZE]; /* a column */
};

static bool events_list_append(struct list *list, const char *text)
{
  bool good = true;
  for (; good && *text; text++)
    good = vector_push(&list->text, *text);
  return good;
}

/* All attributes in one text: `step=3 norm=0.25`; and how many events this one stands for, if others were not recorded.
 */
static bool events_list_put_text(struct list *list, const struct point *point)
{
  char number[TRACE_VALUE_SIZE];
  bool good = true;
  list->text.count = 0;
  for (uint32_t i = 0; good && i < point->count; i++)
    good = (i == 0 || events_list_append(list, " ")) &&
           events_list_append(list, point_attribute_name(list->run->trace, point->values[i].attribute)) &&
           events_list_append(list, "=") && events_list_append(list, trace_value_text(&point->values[i], number));
  if (point->weight != 1) {
    snprintf(number, sizeof number, " (x%" PRIu64 ")", point->weight);
    good = good && events_list_append(list, number + (point->count == 0));
  }
  good = good && vector_push(&list->text, '\0');
  if (good)
    list->cells[WEIGHT] = print_string(list->text.items);
  return good;
}

/* Each attribute in its column; of several with one name the last one. */
static void put_columns(struct list *list, const struct point *point)
{
  for (size_t i = FIXED; i < list->columns.count; i++)
    list->cells[i] = print_none();
  for (uint32_t i = 0; i < point->count; i++) {
    uint32_t column = list->column_of[point->values[i].attribute];
    if (column != TRACE_NONE)
      list->cells[column] = print_string(trace_value_text(&point->values[i], list->numbers[column]));
  }
}

static bool put_point(void *context, const struct point *point)
{
  struct list *list = context;
  const struct trace *trace = list->run->trace;
  list->cells[TIME] = print_number(point->time > trace->first_tick ? point->time - trace->first_tick : 0);
  list->cells[THREAD] = print_number(point->location);
  list->cells[NAME] = print_string(trace->locations[point->location].name);
  list->cells[EVENT] = print_string(point_type_name(trace, point->type));
  if (list->run->format == PRINT_TEXT && !events_list_put_text(list, point))
    return false;
  if (list->run->format != PRINT_TEXT) {
    list->cells[WEIGHT] = print_number(point->weight);
    put_columns(list, point);
  }
  print_row(list->run->print, list->cells);
  return true;
}

static bool events_list_add_column(struct list *list, char *key, enum print_type type)
{
  struct print_column column = {key, key, type, false};
  return key && vector_push(&list->keys, key) && vector_push(&list->columns, column);
}

/* A column for each attribute of the points: a pass before the other one finds them. */
static bool find_columns(struct list *list, const struct point_selection *selection, struct error *error)
{
  const struct trace *trace = list->run->trace;
  struct points_sums sums;
  bool good = points_add_up(trace, list->run->pool, selection, &sums, error);
  for (size_t i = 0; good && i < sums.totals.count; i++) {
    for (size_t k = 0; good && k < sums.totals.items[i].values.count; k++) {
      const struct points_values *values = &sums.totals.items[i].values.items[k];
      uint32_t *column = &list->column_of[values->attribute];
      if (*column != TRACE_NONE) {
        if (values->texts > 0)
          list->columns.items[*column].type = PRINT_STRING;
        continue;
      }
      *column = (uint32_t)list->columns.count;
      if (list->columns.count >= FIXED + ATTRIBUTES_MOST) {
        good = error_set(error, "%s: events with more than %d attributes: choose some by --type", trace->anchor,
                         ATTRIBUTES_MOST);
        break;
      }
      char *name = escape_text(point_attribute_name(trace, values->attribute)), *key = NULL;
      if (name && asprintf(&key, "attribute.%s", name) < 0)
        key = NULL;
      free(name);
      good = events_list_add_column(list, key, values->texts > 0 ? PRINT_STRING : PRINT_VALUE) ||
             error_set(error, "%s: out of memory", trace->anchor);
    }
  }
  points_sums_free(&sums);
  return good;
}

static bool open_columns(struct list *list, const struct point_selection *selection, struct error *error)
{
  static const struct print_column fixed[FIXED] = {{"time", "Time", PRINT_DURATION, false},
                                                   {"location", "No.", PRINT_NUMBER, false},
                                                   {"thread", "Thread", PRINT_STRING, false},
                                                   {"event", "Event", PRINT_STRING, false},
                                                   {"weight", "Weight", PRINT_COUNT, false}};
  static const struct print_column text = {"attributes", "Attributes", PRINT_STRING, false};
  uint32_t attributes = point_attribute_count(list->run->trace);
  bool good = (list->column_of = malloc((attributes + 1) * sizeof *list->column_of));
  for (uint32_t i = 0; good && i < attributes; i++)
    list->column_of[i] = TRACE_NONE;
  for (unsigned i = 0; good && i < (list->run->format == PRINT_TEXT ? WEIGHT : FIXED); i++)
    good = vector_push(&list->columns, fixed[i]);
  if (!good)
    return error_set(error, "%s: out of memory", list->run->trace->anchor);
  if (list->run->format == PRINT_TEXT)
    good = vector_push(&list->columns, text);
  else if (!find_columns(list, selection, error))
    return false;
  list->cells = calloc(list->columns.count + 1, sizeof *list->cells);
  list->numbers = calloc(list->columns.count + 1, sizeof *list->numbers);
  return (good && list->cells && list->numbers) || error_set(error, "%s: out of memory", list->run->trace->anchor);
}

bool events_list_put(const struct analysis_run *run, const struct point_selection *selection, struct error *error)
{
  struct list list = {.run = run};
  bool good = open_columns(&list, selection, error);
  if (good) {
    print_table(run->print, "events", NULL, list.columns.items, list.columns.count, true);
    good = points_in_order(run->trace, run->pool, selection, put_point, &list, error);
    print_table_end(run->print);
  }
  for (size_t i = 0; i < list.keys.count; i++)
    free(list.keys.items[i]);
  vector_free(&list.keys);
  vector_free(&list.columns);
  vector_free(&list.text);
  free(list.column_of);
  free(list.cells);
  free(list.numbers);
  return good;
}
