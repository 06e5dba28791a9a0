/*
 * The codes of the constructs that are traced (construct_filter.h): as records have them, or RAW_CODE_USER | name. Any
 * thread, at any time; while they change, some of both lists count.
 */
#ifndef HEDDLE_COMMON_RECORDER_CHOSEN_CODES_H
#define HEDDLE_COMMON_RECORDER_CHOSEN_CODES_H

#include <stdbool.h>
#include <stdint.h>

/* At most LIVE_CODES. */
void filter_codes_set(const uint64_t *codes, uint32_t count);
bool filter_codes_have(uint64_t code);

#endif
