/*
 * Location: a thread of the run in the archive, with the data that one pass over its records hands to the next. One
 * thread at a time works on a location.
 */
#ifndef HEDDLE_OTF2_CONVERT_SCAN_LOCATION_H
#define HEDDLE_OTF2_CONVERT_SCAN_LOCATION_H

#include "base/vector.h"
#include "otf2-convert/plan/plan.h"
#include "otf2-convert/scan/jvm_pauses.h"
#include "otf2-convert/scan/locks.h"
#include "otf2-convert/scan/teams.h"
#include "otf2-convert/timeline/archive.h"
#include "otf2-convert/timeline/timeline_counts.h"

#include <stdint.h>

/* Begin of a member or a region, or arrival at a barrier. The scan notes it, and the pause adds it to `teams`. */
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
struct scan_team {
  uint64_t parallel;
  uint32_t index;
};

/* State of the scan. */
struct scan {
  struct raw_mark mark;
  uint64_t last_time;
  VECTOR(struct scan_team) teams; /* the thread's open implicit tasks, SCAN_DEPTH at most; as many as were ever open */
  uint32_t depth;                 /* may count beyond SCAN_DEPTH */
  uint32_t generation;            /* of the last created task */
  uint32_t blocks;                /* number of blocks of ids, so far */
  uint64_t block;                 /* the newest of them; 0: none */
  uint64_t last_task_id;
  uint32_t task_weight;     /* of the next task that is created; 0: 1 */
  uint64_t pause_begin;     /* of the pause that the thread reports; 0: none */
  struct stack_note *stack; /* the newest note without continuation, held; NULL: none */
  uint64_t stack_ticks;     /* time of its record */
  bool is_another;          /* it has become another Java thread */
};

/* Facts on the thread as a whole, from the scan. */
struct thread_facts {
  char name[17];
  uint64_t tid;
  unsigned type; /* ompt_thread_t */
  bool any;      /* a record at all */
  uint64_t first_time, last_time;
  uint64_t first_ticks;  /* first_time, as recorded; of a profile */
  uint64_t profile_last; /* last time in its profile; 0: it has none */
  uint32_t first_index;  /* thread number in its first team, UINT32_MAX: none */
  uint64_t events_lost, chunks_lost, not_measured, bad_chunks;
  uint64_t lost_after;     /* events after the last record: recording stopped before the thread did */
  bool paused_after;       /* measurement was switched off after the last record, and the thread continued */
  bool paused;             /* likewise between two records */
  bool has_program_events; /* not only the recorder's own */
  bool is_java;
  unsigned java_flags;   /* enum raw_java_thread, or'ed */
  uint64_t java_id;      /* Thread.getId; 0: a thread of the JVM itself, for example its garbage collector */
  uint64_t java_since;   /* time at which the agent saw the Java thread */
  uint64_t java_started; /* its start(); 0 unknown. It is the thread's first time then */
  char *java_name, *java_group, *java_class; /* owned; NULL unknown */
  char *user_name;                           /* set by the program; likewise */
  unsigned counters_scaled;                  /* bit n: counter n did not count all the time */
  char *bound_to;                            /* processors, as "0-3,8"; likewise. NULL: all */
  uint64_t pthread_number; /* among the threads that the process created; 0: it is none of them, or unknown */
  uint64_t start_code;     /* the address of its start function; 0 unknown */
  uint64_t created;        /* time of pthread_create; 0 unknown. It is the thread's first time then */
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
  size_t samples_next;                     /* index of the first note that is not in the archive yet */
  VECTOR(struct stack_note *) stack_notes; /* in order of time */
  size_t stack_next;                       /* likewise (samples.h) */
  int64_t waited;                          /* ns of waits that no sample represents yet */
  /* Handed to the conversion, from the sink's next one on. */
  VECTOR(struct off_time) off;
  bool is_switched; /* `switches` knows its thread */
  uint32_t later;   /* the next location of the same thread, + 1; 0: there is none */
  /* Handed to the conversion: of the slice scanned last and of the one before. */
  acquisitions acquired[2];
  /* Handed from the conversion to the pause after it. */
  VECTOR(uint64_t) regions_done; /* ids */
  VECTOR(uint64_t) pages_done;   /* a task id of each page that may be freed */
  struct timeline *timeline;     /* NULL: it has not begun, or it has ended */
  bool over;                     /* timeline_finish() was called: the next two are final */
  uint64_t events;
  struct timeline_counts counts;
};

#endif
