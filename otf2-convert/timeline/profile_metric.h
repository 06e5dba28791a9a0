/* What the metrics of profiles are about (common/raw/raw_trace.h, enum raw_metric). */
#ifndef HEDDLE_OTF2_CONVERT_TIMELINE_PROFILE_METRIC_H
#define HEDDLE_OTF2_CONVERT_TIMELINE_PROFILE_METRIC_H

#include "otf2-convert/timeline/definitions.h"

/* What a metric is, from its record, and the construct that it is about; CONSTRUCT_COUNT: none. */
enum fixed_string profile_metric_means(const struct definitions *definitions, uint32_t process, const uint64_t *record,
                                       enum construct *construct);

/* The name of its lock, monitor or event; "": it has none. */
void profile_metric_object(struct definitions *definitions, uint32_t process, const uint64_t *record, char *name,
                           size_t size);
/* The name of the attribute that its values are of; "": there is none. */
const char *profile_metric_attribute(const struct definitions *definitions, uint32_t process, const uint64_t *record);

/* Whether SUM and LAST are of type double. */
static inline bool profile_metric_is_real(const uint64_t *record)
{
  unsigned detail = raw_detail_of(record[0]);
  return detail == raw_metric_detail(RAW_METRIC_VALUE, RAW_USER_REAL);
}

#endif
