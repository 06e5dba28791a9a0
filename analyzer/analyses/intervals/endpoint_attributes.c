#include "analyzer/analyses/intervals/endpoint_attributes.h"

#include "analyzer/analyses/intervals/evaluate.h"
#include "analyzer/analyses/intervals/source.h"
#include "analyzer/analyses/intervals/spec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool has_slot(const struct spec *spec, const char *attribute)
{
  for (uint32_t i = 0; i < spec->slot_count; i++)
    if (!spec->slots[i].intrinsic && source_is_attribute(spec->slots[i].name, attribute))
      return true;
  return false;
}

/* With `_` for a blank, as conditions write it. */
static bool want_own(struct spec *spec, const char *attribute)
{
  uint32_t slot;
  if (has_slot(spec, attribute))
    return true;
  char *name = spec_allocate(spec, strlen(attribute) + 1);
  if (!name)
    return false;
  for (size_t i = 0; attribute[i]; i++)
    name[i] = attribute[i] == ' ' ? '_' : attribute[i];
  return terms_slot(spec, name, false, &slot);
}

static bool want_declared(struct spec *spec, const struct spec_event *event)
{
  uint32_t slot;
  for (const struct spec_attribute *a = event->attributes; a; a = a->next)
    if (!terms_slot(spec, a->name, false, &slot))
      return false;
  return true;
}

bool ends_want(struct spec *spec, const struct trace *trace, struct error *error)
{
  bool good = true, own = false;
  for (const struct spec_interval *interval = spec->intervals; good && interval; interval = interval->next) {
    own |= !interval->start->event->declared || !interval->end->event->declared;
    good = want_declared(spec, interval->start->event) && want_declared(spec, interval->end->event);
  }
  uint32_t count = 0;
  for (uint32_t i = 0; good && own && i < trace->attribute_count && count < ENDS_OWN_MOST; i++)
    if (!trace->attributes[i].of_user && trace->attributes[i].name[0]) {
      good = want_own(spec, trace->attributes[i].name);
      count++;
    }
  return good || error_set(error, "out of memory");
}

static bool add_column(struct end_columns *columns, const char *label, const char *attribute, uint32_t slot,
                       bool of_start)
{
  struct end_column column = {.slot = slot, .of_start = of_start};
  if (asprintf(&column.name, "%s.%s", label, attribute) < 0)
    return false;
  columns->list[columns->count++] = column;
  return true;
}

static bool is_declared(const struct spec_event *event, const char *attribute)
{
  for (const struct spec_attribute *a = event->attributes; a; a = a->next)
    if (strcmp(a->name, attribute) == 0)
      return true;
  return false;
}

bool ends_columns(const struct spec *spec, const struct spec_interval *interval, struct end_columns *columns)
{
  const struct spec_end *ends[] = {interval->start, interval->end};
  const char *labels[] = {end_label(ends[0]), end_label(ends[1])};
  if (strcmp(labels[0], labels[1]) == 0) { /* two events of one type, without labels */
    labels[0] = "begin";
    labels[1] = "end";
  }
  *columns = (struct end_columns){.list = calloc(2 * (size_t)spec->slot_count + 1, sizeof *columns->list)};
  bool good = columns->list;
  for (unsigned side = 0; side < 2; side++)
    for (uint32_t i = 0; good && i < spec->slot_count; i++)
      if (!spec->slots[i].intrinsic &&
          (!ends[side]->event->declared || is_declared(ends[side]->event, spec->slots[i].name)))
        good = add_column(columns, labels[side], spec->slots[i].name, i, side == 0);
  return good;
}

void ends_columns_free(struct end_columns *columns)
{
  for (uint32_t i = 0; i < columns->count; i++)
    free(columns->list[i].name);
  free(columns->list);
  *columns = (struct end_columns){0};
}

struct spec_value end_value(const struct end_column *column, const struct match_point *start,
                            const struct match_point *end)
{
  const struct spec_value *values = (column->of_start ? start : end)->values;
  return values ? values[column->slot] : (struct spec_value){.type = SPEC_ANY};
}
