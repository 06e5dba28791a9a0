/*
 * One thread of the run as a location of the archive, with what one pass over its records hands to the next. One thread
 * at a time works on a location.
 */
#ifndef HEDDLE_OTF2_CONVERT_SCAN_LOCATION_H
#define HEDDLE_OTF2_CONVERT_SCAN_LOCATION_H

#include "base/vector.h"
#include "otf2-convert/plan/plan.h"
#include "otf2-convert/scan/jvm_pauses.h"
#include "otf2-convert/scan/locks.h"
#include "otf2-convert/scan/teams.h"
#include "otf2-convert/timeline/archive.h"

#include <stdint.h>

/* A member's or a region's begin, or an arrival at a barrier, seen by the scan and put into `teams` afterwards. */
struct team_note {
  uint64_t id : 48;
  uint64_t kind : 16; /* enum team_note_kind */
  uint64_t value;     /* region: code | league << 48; member: index << 32 | size; arrival: time */
};
enum team_note_kind { NOTE_REGION, NOTE_MEMBER, NOTE_ARRIVAL };

/* A sample of a Java thread. */
struct java_sample {
  uint64_t time;
  uint32_t call; /* id (java_calls.h) */
};

/* A thread that this one created. */
struct thread_note {
  uint64_t number; /* in the process */
  uint64_t time;
};

struct stack_note; /* stacks.h */

#define SCAN_DEPTH 256u

/* Where the scan stands. */
struct scan {
  struct raw_mark mark;
  uint64_t last_time;
  struct {
    uint64_t parallel;
    uint32_t index;
  } teams[SCAN_DEPTH]; /* the implicit tasks that the thread is in */
  uint32_t depth;      /* may count beyond SCAN_DEPTH */
  uint32_t generation; /* of the task created last */
  uint32_t blocks;     /* of ids, taken so far */
  uint64_t block;      /* the newest of them; 0: none */
  uint64_t last_task_id;
  uint32_t task_weight;     /* of the next task that is created; 0: 1 */
  uint64_t pause_begin;     /* of the pause that the thread reports; 0: none */
  struct stack_note *stack; /* the newest that nothing continues, held; NULL: none ... */
  uint64_t stack_ticks;     /* ... and its record's time */
  bool is_another;          /* Java thread than it was first */
};

/* What the scan knows about the thread as a whole. */
struct thread_facts {
  char name[17];
  uint64_t tid;
  unsigned type; /* ompt_thread_t */
  bool any;      /* a record at all */
  uint64_t first_time, last_time;
  uint64_t first_ticks;  /* first_time, as recorded; of a profile */
  uint64_t profile_last; /* the last time that its profile has; 0: it has none */
  uint32_t first_index;  /* thread number in its first team, UINT32_MAX: none */
  uint64_t events_lost, chunks_lost, skipped, bad_chunks;
  uint64_t lost_after;     /* events after the last record: recording stopped before the thread did */
  bool paused_after;       /* measurement was switched off after the last record, and the thread continued */
  bool paused;             /* ... or between two */
  bool has_program_events; /* not only the recorder's own */
  bool is_java;
  unsigned java_flags;          /* enum raw_java_thread, or'ed */
  uint64_t java_id;             /* Thread.getId; 0: a thread of the JVM itself, as the one that collects garbage */
  uint64_t java_since;          /* when the agent saw that it is a Java thread */
  uint64_t java_started;        /* its start(); 0 unknown. It is the thread's first time then */
  char *java_name, *java_group; /* owned; NULL unknown */
  char *user_name;              /* that the program gave; likewise */
  unsigned counters_scaled;     /* bit n: counter n did not count all the time */
  char *bound_to;               /* processors, as "0-3,8"; likewise. NULL: all */
  uint64_t pthread_number;      /* among those that the process created; 0: it is none of them, or unknown */
  uint64_t start_code;          /* the address of its start function; 0 unknown */
  uint64_t created;             /* when pthread_create was called; 0 unknown. It is the thread's first time then */
};

struct location {
  uint32_t number; /* in the archive */
  struct process *process;
  struct task_table *tasks;
  struct raw_log *log;
  struct scan scan;
  struct thread_facts facts;
  /* Handed from the scan to the pause after it. */
  VECTOR(struct team_note) region_notes;
  VECTOR(struct team_note) member_notes;
  lock_notes lock_notes;
  VECTOR(struct thread_note) thread_notes;
  gc_pause_list pause_notes;
  VECTOR(struct java_sample) sample_notes;
  size_t samples_next;                     /* those before it are in the archive */
  VECTOR(struct stack_note *) stack_notes; /* in order of time ... */
  size_t stack_next;                       /* ... of which so many were taken (samples.h), ... */
  int64_t waited;                          /* ... and ns that these do not stand for yet */
  /* Handed to the conversion; from the sink's next one on. */
  VECTOR(struct off_time) off;
  bool is_switched; /* `switches` know its thread */
  uint32_t later;   /* the next location of the same thread, + 1; 0: there is none */
  /* Handed to the conversion: of the slice scanned last and of the one before. */
  acquisitions acquired[2];
  /* Handed from the conversion to the pause after it. */
  VECTOR(uint64_t) regions_done; /* ids */
  VECTOR(uint64_t) pages_done;   /* a task id of each page that may go */
  struct timeline *timeline;
};

#endif
