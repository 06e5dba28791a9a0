/*
 * Inside of a timeline: what a record does to it. A function a kind of record, by subject; `time` is the record's in
 * the archive. What a record leaves to the next one to decide (enum attention) is attended before that one is taken.
 */
#ifndef HEDDLE_OTF2_CONVERT_TIMELINE_TIMELINE_RECORDS_H
#define HEDDLE_OTF2_CONVERT_TIMELINE_TIMELINE_RECORDS_H

#include "otf2-convert/timeline/timeline_frames.h"

typedef void record_taker(struct timeline *t, const uint64_t *record, uint64_t time);

/* Any record: hands it to the one below that its kind has; the rest is the scan's, or no event in OTF2. */
record_taker take_record;
/* ATTEND_GAP: no further record belongs to a gap. */
void attend_gap(struct timeline *t, const uint64_t *record);

/* timeline_readings.c */
void hold_reading(struct timeline *t, const uint64_t *record, uint64_t time);
/* Writes what is held, if it is of before `time` and no event of before can come any more; last: writes it anyway. */
void show_reading(struct timeline *t, uint64_t time, bool last);

/* timeline_counters.c; likewise, but that each of them stays by itself */
void hold_counters(struct timeline *t, const uint64_t *record, uint64_t time);
void show_counters(struct timeline *t, uint64_t time, bool last);

/* timeline_parallel.c */
record_taker take_parallel_begin, take_parallel_end, take_implicit_begin, take_implicit_end;

/* timeline_worksharing.c */
record_taker take_work_begin, take_work_end, take_chunk, take_section, take_cancel;
/* ATTEND_LOOP: a static loop was begun by a thread that is alone. */
void attend_loop(struct timeline *t, const uint64_t *record);
/* A barrier begins: constructs that were cancelled before it have ended. */
void close_cancelled_work(struct timeline *t, uint64_t time);

/* timeline_sync.c */
record_taker take_sync_begin, take_sync_end, take_wait_begin, take_wait_end;
record_taker take_mutex_acquire, take_mutex_acquired, take_mutex_released, take_nest_begin, take_doacross;
record_taker take_doacross_wait;
/* ATTEND_TEST: whether a lock that was tested was free. */
void attend_test(struct timeline *t, const uint64_t *record);

/* timeline_tasking.c */
record_taker take_task_create, take_task_switch, take_task_status;
/* ATTEND_CREATE: whether a task that was created has dependences. */
void attend_create(struct timeline *t, const uint64_t *record);

/* timeline_java.c */
record_taker take_java_start, take_java_note, take_spin, take_gc_begin, take_gc_end;
record_taker take_virtual_mount, take_virtual_unmount;
/* The thread was started before it began. */
void show_java_start(struct timeline *t, uint64_t started, uint64_t time);
/* What a thread that is older than the recording did from `started` on. False: it is not older. */
bool show_java_waiting(struct timeline *t, uint64_t started, uint64_t time);
/* Puts an object into the attributes of the next event. */
void add_object(struct timeline *t, uint64_t object);
/* ATTEND_GC: shows the pauses that began before the record ... */
void attend_gc(struct timeline *t, const uint64_t *record, uint64_t time);
/* ... and those that ended up to the end of a slice, before which there is no more record. */
void finish_gc(struct timeline *t, uint64_t until);
/* At the end of the process: the thread's allocation stalls behind its last record. */
void finish_stalls(struct timeline *t, uint64_t last);

/* timeline_user.c */
/* The region of the program's own, or event, with a name. kind: of the record that has it. */
uint32_t timeline_user_region(struct timeline *t, unsigned kind, uint64_t name);
record_taker take_user_enter, take_user_leave, take_user_phase, take_user_event;

/* timeline_calls.c */
record_taker take_call_enter, take_call_leave;

/* timeline_skipped.c */
record_taker take_skipped, take_weight, take_counted, take_counted_of;
/* A number as an attribute of the next event. */
void timeline_number(struct timeline *t, enum attribute attribute, uint64_t number);
/* Counts the instances that a weight has besides the recorded one. */
void timeline_count(struct timeline *t, unsigned kind, uint32_t weight);
/* The attributes of the weight, unless the event stands for itself. */
void timeline_weight(struct timeline *t, uint32_t weight);
/* A record of that kind is the next: what it stands for, if that is more than itself, is an attribute of the next
 * event. */
void attend_weight(struct timeline *t, unsigned kind);
/* What a note (enum raw_note) is. */
enum construct construct_of_note(unsigned note);
/* ATTEND_SKIPPED: whether the stretch of time without recorded instances continues. */
void attend_skipped(struct timeline *t, const uint64_t *record, uint64_t time);

/* timeline_profile.c */
record_taker take_profile_thread, take_profile_row, take_profile_metric;
/* The tool kept the thread for so many ticks. */
void note_stall(struct timeline *t, uint64_t ticks, uint64_t time);
/* The thread ends: the construct that it is in has the rest of its time. */
void finish_profile(struct timeline *t, uint64_t time);

/* timeline_java_block.c */
record_taker take_block_begin, take_block_end;
/* ATTEND_BLOCK: a wait has begun, and the record may say more about it. True: it does nothing else. */
bool attend_block(struct timeline *t, const uint64_t *record, uint64_t time);
/* The thread's records end; `last`: the last time of its process. A wait that is open may have been told apart. */
void finish_block(struct timeline *t, uint64_t last);
/* Whether it is a virtual thread, of which one wait alone is known. */
bool timeline_is_virtual(const struct timeline *t);
/* It waits from then on. */
void show_virtual_wait(struct timeline *t, uint64_t started);
/* All is known: if it went on, it ends then. */
void finish_virtual(struct timeline *t);

/* timeline_pthread.c */
record_taker take_pthread_wait, take_pthread_waited, take_pthread_wake, take_pthread_released, take_pthread_count;
record_taker take_pthread_held, take_pthread_create;
/* The thread was created before it began. */
void show_pthread_start(struct timeline *t, uint64_t created, uint64_t time);
/* The lock number and turn of the next acquisition, as the scan found them (timeline_sync.c). */
struct acquisition next_acquisition(struct timeline *t);

#endif
