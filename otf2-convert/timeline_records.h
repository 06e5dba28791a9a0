/*
 * Inside of a timeline: what a record does to it. A function a kind of record, by subject; `time` is the record's in
 * the archive. What a record leaves to the next one to decide (enum attention) is attended before that one is taken.
 */
#ifndef HEDDLE_OTF2_CONVERT_TIMELINE_RECORDS_H
#define HEDDLE_OTF2_CONVERT_TIMELINE_RECORDS_H

#include "otf2-convert/timeline_frames.h"

typedef void record_taker(struct timeline *t, const uint64_t *record, uint64_t time);

/* Any record: hands it to the one below that its kind has; the rest is the scan's, or no event in OTF2. */
record_taker take_record;
/* ATTEND_GAP: nothing tells more of a gap. */
void attend_gap(struct timeline *t, const uint64_t *record);

/* timeline_parallel.c */
record_taker take_parallel_begin, take_parallel_end, take_implicit_begin, take_implicit_end;

/* timeline_worksharing.c */
record_taker take_work_begin, take_work_end, take_chunk, take_section, take_cancel;
/* ATTEND_LOOP: a static loop was begun by a thread that is alone. */
void attend_loop(struct timeline *t, const uint64_t *record);
/* A barrier begins: what was cancelled before it is over. */
void close_cancelled_work(struct timeline *t, uint64_t time);

/* timeline_sync.c */
record_taker take_sync_begin, take_sync_end, take_wait_begin, take_wait_end;
record_taker take_mutex_acquire, take_mutex_acquired, take_mutex_released, take_nest_begin, take_doacross;
/* ATTEND_TEST: whether a lock that was tested was free. */
void attend_test(struct timeline *t, const uint64_t *record);

/* timeline_tasking.c */
record_taker take_task_create, take_task_switch, take_task_status;
/* ATTEND_CREATE: whether a task that was created has dependences. */
void attend_create(struct timeline *t, const uint64_t *record);

#endif
