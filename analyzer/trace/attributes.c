#include "analyzer/trace/attributes.h"

#include "analyzer/trace/definitions.h"
#include "common/raw/archive_names.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

uint32_t trace_value_count(const struct trace_event *event)
{
  return event->attributes ? OTF2_AttributeList_GetNumberOfElements(event->attributes) : 0;
}

/* The name of what a value refers to; NULL: the type is no reference to something with a name. */
static const char *name_of(const struct trace *trace, OTF2_Type type, OTF2_AttributeValue value)
{
  uint32_t index;
  switch (type) {
  case OTF2_TYPE_STRING:
    index = ref_map_get(&trace->string_of, value.stringRef);
    return index == REF_MAP_NONE ? NULL : trace->strings[index];
  case OTF2_TYPE_REGION:
    index = ref_map_get(&trace->region_of, value.regionRef);
    return index == REF_MAP_NONE ? NULL : trace->regions[index].name;
  case OTF2_TYPE_LOCATION:
    index = ref_map_get(&trace->location_of, value.locationRef);
    return index == REF_MAP_NONE ? NULL : trace->locations[index].name;
  default:
    return NULL;
  }
}

static bool is_real(OTF2_Type type, OTF2_AttributeValue value, double *number)
{
  if (type == OTF2_TYPE_FLOAT)
    *number = (double)value.float32;
  else if (type == OTF2_TYPE_DOUBLE)
    *number = value.float64;
  else
    return false;
  return true;
}

bool trace_value_at(const struct trace *trace, const struct trace_event *event, uint32_t at, struct trace_value *value)
{
  OTF2_AttributeRef ref;
  OTF2_Type type;
  OTF2_AttributeValue raw;
  if (OTF2_AttributeList_GetAttributeByIndex(event->attributes, at, &ref, &type, &raw) != OTF2_SUCCESS)
    return false;
  *value = (struct trace_value){.attribute = ref_map_get(&trace->attribute_of, ref)};
  if (value->attribute == REF_MAP_NONE)
    return false;
  if (value_signed(type, raw, &value->integer))
    value->type = TRACE_INTEGER;
  else if (value_unsigned(type, raw, &value->natural))
    value->type = TRACE_NATURAL;
  else if (is_real(type, raw, &value->real))
    value->type = TRACE_REAL;
  else if ((value->text = name_of(trace, type, raw)))
    value->type = TRACE_TEXT;
  else
    return false;
  return true;
}

double trace_value_number(const struct trace_value *value)
{
  switch (value->type) {
  case TRACE_INTEGER:
    return (double)value->integer;
  case TRACE_NATURAL:
    return (double)value->natural;
  case TRACE_REAL:
    return value->real;
  default:
    return NAN;
  }
}

/* The fewest digits that distinguish a number from all others. */
static void put_real(double real, char buffer[TRACE_VALUE_SIZE])
{
  for (int digits = 15; digits <= 17; digits++) {
    snprintf(buffer, TRACE_VALUE_SIZE, "%.*g", digits, real);
    if (strtod(buffer, NULL) == real)
      break;
  }
}

const char *trace_value_text(const struct trace_value *value, char buffer[TRACE_VALUE_SIZE])
{
  switch (value->type) {
  case TRACE_INTEGER:
    snprintf(buffer, TRACE_VALUE_SIZE, "%" PRId64, value->integer);
    return buffer;
  case TRACE_NATURAL:
    snprintf(buffer, TRACE_VALUE_SIZE, "%" PRIu64, value->natural);
    return buffer;
  case TRACE_REAL:
    put_real(value->real, buffer);
    return buffer;
  default:
    return value->text;
  }
}

bool trace_region_is_user_event(const struct trace_region *region)
{
  return region->paradigm == OTF2_PARADIGM_USER && trace_region_says(region, FACT_KIND, VALUE_KIND_EVENT);
}
