/*
 * Inside a timeline: the effects of records, with a function for each kind, by subject. `time` is the archive time of
 * the record. Decisions that a record postponed (enum attention) are made before the next record is processed.
 */
#ifndef HEDDLE_OTF2_CONVERT_TIMELINE_TIMELINE_RECORDS_H
#define HEDDLE_OTF2_CONVERT_TIMELINE_TIMELINE_RECORDS_H

#include "otf2-convert/timeline/timeline_frames.h"

typedef void record_taker(struct timeline *t, const uint64_t *record, uint64_t time);

/* Processes any record by the function of its kind. Other kinds are for the scan, or no event in OTF2. */
record_taker take_record;
/* ATTEND_GAP: no further record belongs to a gap. */
void attend_gap(struct timeline *t, const uint64_t *record);

/* Holds a reading of time without a processor. */
void hold_reading(struct timeline *t, const uint64_t *record, uint64_t time);
/* Writes the held reading if it is older than `time` and no older event can follow; last: writes it anyway. */
void show_reading(struct timeline *t, uint64_t time, bool last);

/* The same for readings of counters, which are not summed up. */
void hold_counters(struct timeline *t, const uint64_t *record, uint64_t time);
void show_counters(struct timeline *t, uint64_t time, bool last);

/* timeline_worksharing.c */
record_taker take_parallel_begin, take_parallel_end, take_implicit_begin, take_implicit_end;
record_taker take_work_begin, take_work_end, take_chunk, take_section, take_cancel;
/* ATTEND_LOOP: a thread that is a team of its own has begun a static loop. */
void attend_loop(struct timeline *t, const uint64_t *record);
/* A barrier begins: cancelled constructs before it have ended. */
void close_cancelled_work(struct timeline *t, uint64_t time);

/* timeline_sync.c */
record_taker take_sync_begin, take_sync_end, take_wait_begin, take_wait_end;
record_taker take_mutex_acquire, take_mutex_acquired, take_mutex_released, take_nest_begin, take_doacross;
record_taker take_doacross_wait;
/* ATTEND_TEST: decides whether a tested lock was free. */
void attend_test(struct timeline *t, const uint64_t *record);

/* timeline_tasking.c */
record_taker take_task_create, take_task_switch, take_task_status;
/* ATTEND_CREATE: decides whether a new task has dependences. */
void attend_create(struct timeline *t, const uint64_t *record);

/* timeline_java.c */
record_taker take_java_start, take_java_note, take_spin, take_gc_begin, take_gc_end;
record_taker take_virtual_mount, take_virtual_unmount;
/* Shows the time between the thread's start and its begin. */
void show_java_start(struct timeline *t, uint64_t started, uint64_t time);
/* Shows the wait of a thread that is older than the recording, from `started` on. False: it is not older. */
bool show_java_waiting(struct timeline *t, uint64_t started, uint64_t time);
/* Adds an object to the attributes of the next event. */
void add_object(struct timeline *t, uint64_t object);
/* ATTEND_GC: shows the pauses that began before the record. */
void attend_gc(struct timeline *t, const uint64_t *record, uint64_t time);
/* Shows the pauses up to the end of a slice, after its last record. */
void finish_gc(struct timeline *t, uint64_t until);
/* Shows the thread's allocation stalls after its last record, at the end of the process. */
void finish_stalls(struct timeline *t, uint64_t last);

/* timeline_user.c */
/* Returns the program's own region or event with a name. kind: of the record. */
uint32_t timeline_user_region(struct timeline *t, unsigned kind, uint64_t name);
record_taker take_user_enter, take_user_leave, take_user_phase, take_user_event;

record_taker take_call_enter, take_call_leave;

/* timeline_omitted.c */
record_taker take_omitted, take_weight, take_counted, take_counted_of;
/* Adds a number to the attributes of the next event. */
void timeline_number(struct timeline *t, enum attribute attribute, uint64_t number);
/* Counts the omitted instances that a weight represents. */
void timeline_count(struct timeline *t, unsigned kind, uint32_t weight);
/* Adds the attributes of a weight, unless it is 1. */
void timeline_weight(struct timeline *t, uint32_t weight);
/* Before a record of this kind: its weight, if it has one, becomes an attribute of the next event. */
void attend_weight(struct timeline *t, unsigned kind);
/* Returns the construct of a note (enum raw_note). */
enum construct construct_of_note(unsigned note);
/* ATTEND_OMITTED: decides whether the stretch of omitted instances continues. */
void attend_omitted(struct timeline *t, const uint64_t *record, uint64_t time);

/* timeline_profile.c */
record_taker take_profile_thread, take_profile_row, take_profile_metric;
/* Notes that the tool stopped the thread for `ticks` ticks. */
void note_stall(struct timeline *t, uint64_t ticks, uint64_t time);
/* At the thread's end: its current construct gets the rest of its time. */
void finish_profile(struct timeline *t, uint64_t time);

/* Waits of Java threads. */
record_taker take_block_begin, take_block_end;
/* ATTEND_BLOCK: a wait has begun; the record may have details of it. True: the record has no other effect. */
bool attend_block(struct timeline *t, const uint64_t *record, uint64_t time);
/* After the thread's last record; last: last time of its process. A line of the process file may describe an open wait.
 */
void finish_block(struct timeline *t, uint64_t last);
/*
 * Waits until another thread has initialized a class have no records: they are as long as the thread had no processor.
 * class_wait_in() returns the line about one; NULL: it was none, or has no end and is finish_block()'s.
 */
const void *class_wait_in(const struct timeline *t, const struct off_time *off);
/* Writes the begin or the end of such a wait; `of`: a struct timeline. For struct off_feed. */
void show_class_wait(void *of, const void *line, uint64_t time, bool begins);
/* True for a virtual thread with one known wait only. */
bool timeline_is_virtual(const struct timeline *t);
/* Shows that it waits from then on. */
void show_virtual_wait(struct timeline *t, uint64_t started);
/* After all records: ends its wait if it continued. */
void finish_virtual(struct timeline *t);

/* POSIX threads (timeline_sync.c). */
record_taker take_pthread_wait, take_pthread_waited, take_pthread_wake, take_pthread_released, take_pthread_count;
record_taker take_pthread_held, take_pthread_create;
/* Shows the time between the thread's creation and its begin. */
void show_pthread_start(struct timeline *t, uint64_t created, uint64_t time);
/* Returns the lock number and order of the next acquisition, from the scan (timeline_sync.c). */
struct acquisition next_acquisition(struct timeline *t);

#endif
