/* To which group of events (LIVE_NEED_... of live_control.h) records and rows of profiles belong. */
#ifndef HEDDLE_COMMON_PROFILE_PROFILE_GROUPS_H
#define HEDDLE_COMMON_PROFILE_PROFILE_GROUPS_H

#include "common/raw/raw_trace.h"

#include <stdint.h>

/* Of a kind of records; 0: they are of no group, and always count. */
uint32_t profile_group_of_record(unsigned kind, unsigned detail);

/* Of a kind of rows; 0: likewise. */
uint32_t profile_group_of_row(enum raw_row row, unsigned number);

#endif
