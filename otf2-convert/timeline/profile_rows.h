/* Rows and metrics of profiles (common/raw/raw_trace.h, "Profiles" and enum raw_metric): kinds, constructs, names. */
#ifndef HEDDLE_OTF2_CONVERT_TIMELINE_PROFILE_ROWS_H
#define HEDDLE_OTF2_CONVERT_TIMELINE_PROFILE_ROWS_H

#include "otf2-convert/timeline/definitions.h"

/* Returns the kind of a row, from its head. *construct: its construct; CONSTRUCT_COUNT: none. */
enum fixed_string profile_row_means(const struct definitions *definitions, uint32_t process, uint64_t head,
                                    enum construct *construct);

/* Returns the construct of a wait (enum raw_block) at a place for an object; place and object may be 0: unknown. */
enum construct construct_of_block(const struct definitions *definitions, uint32_t process, unsigned kind, uint64_t code,
                                  uint64_t object);

/* Returns the kind of a metric, from its record. *construct: as above. */
enum fixed_string profile_metric_means(const struct definitions *definitions, uint32_t process, const uint64_t *record,
                                       enum construct *construct);

/* Writes the name of a metric's lock, monitor or event; "": it has none. */
void profile_metric_object(struct definitions *definitions, uint32_t process, const uint64_t *record, char *name,
                           size_t size);
/* Returns the name of the attribute with a metric's values; "": there is none. */
const char *profile_metric_attribute(const struct definitions *definitions, uint32_t process, const uint64_t *record);

/* True if SUM and LAST are doubles. */
static inline bool profile_metric_is_real(const uint64_t *record)
{
  unsigned detail = raw_detail_of(record[0]);
  return detail == raw_metric_detail(RAW_METRIC_VALUE, RAW_USER_REAL);
}

#endif
