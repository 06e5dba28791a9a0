/* Private to trace/: the value of an OTF2 attribute or property as a number. */
#ifndef HEDDLE_ANALYZER_TRACE_VALUE_H
#define HEDDLE_ANALYZER_TRACE_VALUE_H

#include <otf2/otf2.h>
#include <stdbool.h>
#include <stdint.h>

/* True and the number for every unsigned type. */
static inline bool value_unsigned(OTF2_Type type, OTF2_AttributeValue value, uint64_t *number)
{
  switch (type) {
  case OTF2_TYPE_UINT8:
    *number = value.uint8;
    return true;
  case OTF2_TYPE_UINT16:
    *number = value.uint16;
    return true;
  case OTF2_TYPE_UINT32:
    *number = value.uint32;
    return true;
  case OTF2_TYPE_UINT64:
    *number = value.uint64;
    return true;
  default:
    return false;
  }
}

/* True and the number for every signed type. */
static inline bool value_signed(OTF2_Type type, OTF2_AttributeValue value, int64_t *number)
{
  switch (type) {
  case OTF2_TYPE_INT8:
    *number = value.int8;
    return true;
  case OTF2_TYPE_INT16:
    *number = value.int16;
    return true;
  case OTF2_TYPE_INT32:
    *number = value.int32;
    return true;
  case OTF2_TYPE_INT64:
    *number = value.int64;
    return true;
  default:
    return false;
  }
}

#endif
