/*
 * Timeline of a thread: its records become a balanced and monotonic stream of OTF2 events (rules: docs/otf2.md).
 * Constructs nest in a stack of open frames. Ends that the runtime reports late get their true time; missing ends are
 * added and marked.
 *
 * One thread at a time works on a timeline, one slice after the other.
 */
#ifndef HEDDLE_OTF2_CONVERT_TIMELINE_TIMELINE_H
#define HEDDLE_OTF2_CONVERT_TIMELINE_TIMELINE_H

#include "otf2-convert/scan/location.h"
#include "otf2-convert/timeline/conversion.h"

struct timeline;

/* Makes a timeline. Its writer is opened with the first record. NULL: out of memory. */
struct timeline *timeline_new(const struct conversion *conversion, struct location *location);
/* NULL: nothing. */
void timeline_free(struct timeline *timeline);

/*
 * Converts the location's records before `until` (archive time). slice: number of the slice, which picks the
 * acquisitions. Returns 0 or an errno value: memory or a read failed. Failed writes are the archive's. It also finishes
 * a timeline whose thread has ended.
 */
int timeline_slice(struct timeline *timeline, struct worker *worker, uint64_t until, uint32_t slice);

/* Closes all open frames and the file, after the last slice, and hands the counts to the location.
 * last: last known time of the process. Returns 0 or an errno value. */
int timeline_finish(struct timeline *timeline, struct worker *worker, uint64_t last);

#endif
