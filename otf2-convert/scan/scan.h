/*
 * The scan of a slice: a cheap look at one thread's records, one slice ahead of their conversion, for what other
 * threads need to know: regions, team members, arrivals at barriers, tasks, locks.
 */
#ifndef HEDDLE_OTF2_CONVERT_SCAN_SCAN_H
#define HEDDLE_OTF2_CONVERT_SCAN_SCAN_H

#include "otf2-convert/scan/location.h"

/*
 * Scans the location's records before `until` (archive time). buffer: RAW_ITER_WORDS words. Returns 0 or an errno
 * value. Threads: one a location.
 */
int scan_slice(struct location *location, uint64_t until, uint64_t *buffer);

#endif
