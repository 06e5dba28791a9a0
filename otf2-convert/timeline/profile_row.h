/* What the rows of profiles are about (common/raw/raw_trace.h, "Profiles"). */
#ifndef HEDDLE_OTF2_CONVERT_TIMELINE_PROFILE_ROW_H
#define HEDDLE_OTF2_CONVERT_TIMELINE_PROFILE_ROW_H

#include "otf2-convert/timeline/definitions.h"

/* What a row is, from its head, and the construct that it is about; CONSTRUCT_COUNT: none. */
enum fixed_string profile_row_means(const struct definitions *definitions, uint32_t process, uint64_t head,
                                    enum construct *construct);

/* What a wait (enum raw_block) at a place for an object is, each 0: unknown. */
enum construct construct_of_block(const struct definitions *definitions, uint32_t process, unsigned kind, uint64_t code,
                                  uint64_t object);

#endif
