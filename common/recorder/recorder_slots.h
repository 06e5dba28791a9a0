/*
 * The recorders' memory: slots, one a thread. It is reserved once a process, and wiped in any child, also of _Fork and
 * of a raw clone, in which no handler runs. Any thread may call all but recorder_slots_reserve and
 * recorder_slots_leave; no allocation.
 */
#ifndef HEDDLE_COMMON_RECORDER_RECORDER_SLOTS_H
#define HEDDLE_COMMON_RECORDER_RECORDER_SLOTS_H

#include "common/raw/raw_record.h"

#include <stdatomic.h>
#include <stdbool.h>

/* What becomes of a slot whose recording has ended (recording_restart.h). */
enum slot_later {
  SLOT_STAYS = 0,
  SLOT_RENEWED, /* it has no window; its thread gives it back when it records next */
  SLOT_DESERTED /* its thread has left it, with its records in the window: free for the next recording */
};

/* The most words of a record of fixed length; longer ones are recorder_emit_list's. */
#define RECORDER_WORDS 6u

/* No short record can follow before a whole one: no time is that far from it. */
#define RECORDER_NO_BASE (1ull << 63)
#define RECORDER_NO_LOCK (~0ull)

/*
 * One slot: a window and the thread that has it. Only the hot path in recorder.h, recorder.c, window.c and recording.c
 * look inside. In a child of fork, also of _Fork and of a raw clone, all slots are zero. Cursor and limit are equal
 * then, and the first emit finds out.
 */
struct recorder {
  uint64_t *cursor;          /* where the next head goes; it is zero now */
  _Atomic(uint64_t *) limit; /* the first place where no record may begin; NULL: ask recorder_turn first */
  atomic_uintptr_t busy;     /* the stack pointer of the emit that is under way on this thread; 0: none */
  struct raw_entry *entries; /* RAW_ENTRIES */
  uint64_t
      due; /* ticks: when the next reading (cpu_time_reading.h) or fold (profile_updates.h) is; UINT64_MAX: never */
  uint64_t due_waiting; /* the same for records that begin a wait; not later */
  uint64_t base;        /* ticks that the next short record counts from */
  uint64_t lock;        /* raw_lock_of what was acquired last in this chunk; RECORDER_NO_LOCK: nothing */
  uint64_t *acquiring;  /* its RAW_SHORT_MOVED, if ACQUIRED may become part of it; NULL: none */
  uint64_t *newest;     /* recorder_emit_first: that record; NULL: none in this chunk; ... */
  uint64_t newest_head; /* ... and its head, were it not short */
  uint64_t *stack;      /* the newest RAW_STACK of this chunk that nothing continues; NULL: none */
  uint64_t sample_due;  /* ns of the thread's processor time (timer_samples.h) */
  int timer;            /* the kernel's number + 1; 0: none */
  uint64_t next_id, end_of_ids;
  struct raw_header *window;     /* NULL: no window was made yet */
  struct raw_header *old_window; /* from the recording before, until all threads have left it (recording_restart.h) */
  uint64_t stalled;              /* ticks that turns and readings took, so far */
  uint64_t *reach;               /* what limit is while recording: `last`, or less, up to where pages were touched */
  uint64_t *last;                /* the first place where no record may begin any more */
  atomic_uint taken;             /* the slot has a thread */
  atomic_uint later;             /* enum slot_later */
  uint64_t gap_begin;            /* ticks; 0: no gap is open */
  uint64_t *busy_at;             /* cursor when an event was last kept from being recorded by busy, ... */
  uint64_t busy_since;           /* ... CLOCK_MONOTONIC of the first one there, in ns, ... */
  uint64_t gap_events;
  unsigned gap_reason;  /* enum raw_gap */
  unsigned busy_events; /* ... and how many there were */
  uint32_t thread, sequence;
  unsigned slot;
  bool in_file;            /* the window */
  bool block_told;         /* the chunk says which block the thread's ids are of */
  bool untraced;           /* the chunk is RAW_UNTRACED ... */
  bool introduced;         /* name and affinity were read since the thread began */
  bool keeps;              /* chosen constructs stay in the untraced chunk (construct_filter.h) */
  uint64_t needs;          /* needs_word as the thread last recorded it, or as it began */
  uint64_t untraced_since; /* ... as all that the thread recorded since then, in ticks */
  char name[16];           /* thread name as last recorded */
  uint64_t bound;          /* what cpu_affinity_record() said last; 0: nothing */

  struct {
    uint64_t due;                               /* ticks: when the next reading of time is; UINT64_MAX: never */
    uint64_t ticks, monotonic_ns, processor_ns; /* the clocks at the last reading, ... */
    uint64_t delay_ns;                          /* ... what schedstat said when it was last read; 0: never, ... */
    uint64_t blocked;                           /* ... how often the thread had blocked, ... */
    int64_t carried;                            /* ... and ns that are not reported yet */
  } reading;
  struct live_profile *beside;                 /* live_profile.h; NULL: none */
  struct construct_filter *chosen;             /* construct_filter.h; NULL: none */
  uint64_t profile_update, profile_update_due; /* ticks (profile_updates.h); UINT64_MAX: never */
  uint64_t counters_due;                       /* ticks: when the next reading of counters is; UINT64_MAX: never */
  struct thread_counters *counters;            /* counters.h; NULL: none */
} __attribute__((aligned(64)));

/* Reserves them, unless this was done; they are this process' from here on. False: there is no memory. */
bool recorder_slots_reserve(void);

/* True if this is the process that has them, and not a child of it. */
bool recorder_slots_are_ours(void);

/* In a child: wipes what the kernel has not wiped. They are nobody's until recorder_slots_reserve. */
void recorder_slots_leave(void);

/* The first free slot, which is the caller's until it stores 0 in `taken`; NULL: there is none. */
struct recorder *recorder_slots_take(void);

/* The slot, in which a recording before has left nothing, is free. */
void recorder_slots_give_back(struct recorder *slot);

/* Slots with a number below this were taken at some time. */
unsigned recorder_slots_used(void);
struct recorder *recorder_slots_at(unsigned number);

#endif
