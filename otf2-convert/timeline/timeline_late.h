/*
 * Inside of a timeline: ends of a region's last barrier that the runtime reports late. Records that may be such
 * ends are held back until the next one shows what they are.
 */
#ifndef HEDDLE_OTF2_CONVERT_TIMELINE_TIMELINE_LATE_H
#define HEDDLE_OTF2_CONVERT_TIMELINE_TIMELINE_LATE_H

#include "otf2-convert/timeline/timeline_frames.h"

/* ATTEND_BARRIER: true when the record was dealt with. */
bool late_attend(struct timeline *t, const uint64_t *record, uint64_t time);
/* After the last record: a worker in a barrier that has ended has left it; other held records are taken. */
void late_finish(struct timeline *t);

#endif
