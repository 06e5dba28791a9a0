/* System calls that block. */
#ifndef HEDDLE_OTF2_CONVERT_SCAN_CALL_NAMES_H
#define HEDDLE_OTF2_CONVERT_SCAN_CALL_NAMES_H

#include <stdint.h>

/* "blocked in read", by 1 + the call's number; NULL: it has no name here. */
const char *call_name(uint64_t number);

#endif
