/* How many instances a recorded one stands for. */
#ifndef HEDDLE_OTF2_CONVERT_WEIGHT_H
#define HEDDLE_OTF2_CONVERT_WEIGHT_H

#include "common/raw_record.h"

struct weight {
  uint32_t seen;    /* itself, and those left out before it that were seen */
  uint32_t regions; /* parallel regions that its own one stands for, for others were unseen; 0: it stands for itself */
};

/* With those that were not seen. */
static inline uint64_t weight_of_all(struct weight weight)
{
  return (uint64_t)weight.seen * (weight.regions > 0 ? weight.regions : 1);
}

/* Of a RAW_WEIGHT; another recorder's may be damaged. */
static inline struct weight weight_of(const uint64_t *record)
{
  uint64_t value = raw_value_of(record[0]);
  if ((raw_detail_of(record[0]) & RAW_WEIGHT_ESTIMATE) != 0)
    return (struct weight){(uint32_t)value, (uint32_t)(value >> RAW_WEIGHT_REGIONS)};
  return (struct weight){value < UINT32_MAX ? (uint32_t)value : UINT32_MAX, 0};
}

#endif
