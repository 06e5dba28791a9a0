/* How many instances a recorded one stands for. */
#ifndef HEDDLE_OTF2_CONVERT_TIMELINE_WEIGHT_H
#define HEDDLE_OTF2_CONVERT_TIMELINE_WEIGHT_H

#include "common/raw/raw_record.h"

/* Of a RAW_WEIGHT; another recorder's may be damaged. */
static inline uint32_t weight_of(const uint64_t *record)
{
  uint64_t value = raw_value_of(record[0]);
  return value < UINT32_MAX ? (uint32_t)value : UINT32_MAX;
}

#endif
