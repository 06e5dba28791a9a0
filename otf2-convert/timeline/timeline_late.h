/*
 * Inside a timeline: late ends of a region's last barrier. Records that may be such ends are held until the next record
 * shows what they are.
 */
#ifndef HEDDLE_OTF2_CONVERT_TIMELINE_TIMELINE_LATE_H
#define HEDDLE_OTF2_CONVERT_TIMELINE_TIMELINE_LATE_H

#include "otf2-convert/timeline/timeline_frames.h"

/* ATTEND_BARRIER. True if the record was processed. */
bool late_attend(struct timeline *t, const uint64_t *record, uint64_t time);
/* After the last record: a worker leaves a barrier that has ended; other held records are processed. */
void late_finish(struct timeline *t);

#endif
