/* Table of all locks so far, their holders and sums. Private to locks/. */
#ifndef HEDDLE_ANALYZER_ANALYSES_LOCKS_HOLDERS_H
#define HEDDLE_ANALYZER_ANALYSES_LOCKS_HOLDERS_H

#include "analyzer/analyses/locks/lane.h"
#include "analyzer/analyses/locks/lock.h"
#include "analyzer/analyses/omitted/estimates/estimate.h"
#include "analyzer/trace/definitions.h"
#include "base/hash.h"
#include "base/vector.h"

/*
 * Which thread held a lock of Java's while others waited for it. The JVM reports neither releases nor uncontended
 * acquisitions. But while a thread waits, another thread holds the lock. A thread that waited holds the lock until the
 * next acquisition, or until it calls Object.wait. While no thread waits, nothing is known.
 */

struct hold {
  uint32_t waiting;          /* threads that wait now */
  bool open;                 /* a thread has held the lock since then, and another has waited since then */
  uint64_t since;            /* ticks */
  uint32_t location, region; /* the holder, and where it acquired the lock; TRACE_NONE: unknown */
};

/* A thread begins to wait. It may know the holder (else TRACE_NONE). */
void hold_requested(struct hold *hold, uint64_t time, uint32_t location, uint32_t region);

/* A thread waits no longer. If it acquires the lock, hold_passed() comes before. */
void hold_wait_ended(struct hold *hold);

/*
 * The lock passes to another thread; TRACE_NONE: it is released, and the next holder is unknown. True: *before is the
 * hold that ends here, of `time` - before->since ticks.
 */
bool hold_passed(struct hold *hold, uint64_t time, uint32_t location, uint32_t region, struct hold *before);

/* The recorded acquisitions of each place on each thread, where others are omitted. */

/* Acquisitions of one thread at one place; the domains are locks, TRACE_NONE for a test that failed. */
struct place_samples {
  uint32_t location, region;
  struct sampling figures[LOCK_FIGURES];
};

struct lock_samples {
  VECTOR(struct place_samples) list;
  struct hash index; /* location << 32 | region -> place in the list */
  size_t last;       /* the place in the list that was wanted last */
  bool omitted;      /* acquisitions were omitted, so the last holder of a lock may not be recorded */
};

/* Valid until the next call; NULL: no memory. */
struct place_samples *lock_samples_of(struct lock_samples *samples, uint32_t location, uint32_t region);

/* True if an acquisition without a recorded holder waited for a holder without a record: it took longer than the
 * acquisition of a free lock. Times are ticks. */
bool lock_samples_show_wait(const struct lock_samples *samples, uint64_t wait, uint64_t ticks_per_second);

void lock_samples_free(struct lock_samples *samples);

/* What a table of locks knows, and its figures of acquisitions that are not recorded. */

/* The thread that holds a lock, or held it last. */
struct holder {
  uint32_t location; /* TRACE_NONE: none yet */
  uint32_t region;   /* where it acquired the lock */
  uint64_t until;    /* UINT64_MAX: it holds the lock. Java: when it acquired the lock, as no more is known */
};

/* The last wait of a thread for a read-write lock of Java's: who let it go on. */
struct reader {
  uint64_t end;
  uint32_t lock; /* + 1; 0: none */
  struct holder by;
};

/* A virtual thread that waits for a lock, without a carrier. */
struct unmounted {
  struct lock_event request;
  uint32_t lock, location; /* of its last carrier */
  struct holder unparker;  /* location TRACE_NONE: none yet */
};

struct lock_holders {
  const struct trace *trace;
  lock_sink *sink; /* NULL: waits are only summed */
  void *context;
  VECTOR(struct lock) locks;
  VECTOR(struct holder) holders; /* by lock */
  VECTOR(struct hold) holds;     /* by lock; Java's */
  struct hash index;             /* identity of a lock, or the next free key -> lock */
  struct parties threads, places;
  struct callers callers;
  bool weighted; /* the archive has weights */
  struct lock_samples samples;
  uint64_t unknown;           /* as in struct locks */
  uint64_t last;              /* time of the last event */
  struct hash kernel_threads; /* process << 32 | the kernel's id -> location */
  struct hash java_threads;   /* process << 32 | Thread.getId() -> location; virtual threads: that ran it last */
  struct reader *readers;     /* by location */
  struct holder *unparkers;   /* by location: the thread that last let it continue, and when */
  wide_total unmounted_ticks; /* that virtual threads waited without a location */
  struct slots unmounted;     /* process << 32 | Thread.getId() -> struct unmounted: virtual threads that wait */
};

/* The sums to which an event of a thread at a place adds. */
struct counted {
  struct lock_sums *lock, *thread, *place;
};

/* Functions that return bool return false if there is no memory. */
bool table_count_for(struct lock_holders *table, uint32_t lock, uint32_t location, uint32_t region,
                     struct counted *counted);

/* A recorded acquisition or release, or a test that failed (lock TRACE_NONE). */
bool table_take_sample(struct lock_holders *table, uint32_t lock, uint32_t location, const struct lock_event *event,
                       enum lock_figure figure, uint64_t value);

/* The three figures of an acquisition. */
bool table_sample_acquisition(struct lock_holders *table, uint32_t lock, uint32_t location,
                              const struct lock_event *event, uint64_t wait, uint64_t waits);

/* The end of a thread's samples at a place; so many instances follow. */
bool table_end_samples(struct lock_holders *table, struct place_samples *samples, uint64_t instances);

struct lock_holders;

/* The sink (may be NULL) gets each wait. NULL: no memory. */
struct lock_holders *lock_holders_create(const struct trace *trace, lock_sink *sink, void *context);
void lock_holders_destroy(struct lock_holders *table);

/* Takes the next event of all locations, in order of time. False: no memory. */
bool lock_holders_take(struct lock_holders *table, uint32_t location, const struct lock_event *event);

/* Moves the sums into `locks`, sorted. False: no memory. */
bool lock_holders_finish(struct lock_holders *table, struct locks *locks);

#endif
