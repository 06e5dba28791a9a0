/*
 * One thread's records become a balanced and monotonic stream of OTF2 events: constructs nest in a stack of open
 * frames, ends that the runtime reported late get their true time, missing ends are added and marked.
 * The rules are those of docs/otf2.md.
 *
 * One thread at a time works on a timeline, a slice at a time.
 */
#ifndef HEDDLE_OTF2_CONVERT_TIMELINE_TIMELINE_H
#define HEDDLE_OTF2_CONVERT_TIMELINE_TIMELINE_H

#include "otf2-convert/scan/location.h"
#include "otf2-convert/timeline/conversion.h"

struct timeline;

/* NULL when memory is short. The location's event writer is opened with the first record. */
struct timeline *timeline_new(const struct conversion *conversion, struct location *location);
void timeline_free(struct timeline *timeline);

/*
 * Converts the location's records before `until` (archive time). slice: number of the slice, which picks the
 * acquisitions. Returns 0 or an errno value: memory or a read failed. Failed writes are the archive's.
 */
int timeline_slice(struct timeline *timeline, struct worker *worker, uint64_t until, uint32_t slice);

/* Closes what is open, after the last slice. last: the last time seen of the process. Returns 0 or an errno value. */
int timeline_finish(struct timeline *timeline, struct worker *worker, uint64_t last);

/* Events written; valid until the archive is finished. */
uint64_t timeline_events(const struct timeline *timeline);
struct timeline_counts timeline_counts(const struct timeline *timeline);

#endif
