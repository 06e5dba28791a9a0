/* Private to locks/: what a table of locks knows, and its figures of acquisitions that are not recorded. */
#ifndef HEDDLE_ANALYZER_ANALYSES_LOCKS_TABLE_FIGURES_H
#define HEDDLE_ANALYZER_ANALYSES_LOCKS_TABLE_FIGURES_H

#include "analyzer/analyses/locks/hold.h"
#include "analyzer/analyses/locks/lane.h"
#include "analyzer/analyses/locks/parties.h"
#include "analyzer/analyses/locks/samples.h"
#include "base/hash.h"
#include "base/vector.h"

/* The thread that holds a lock, or held it last. */
struct holder {
  uint32_t location; /* TRACE_NONE: none yet */
  uint32_t region;   /* where it acquired the lock */
  uint64_t until;    /* UINT64_MAX: it holds the lock. Java: when it acquired the lock, as no more is known */
};

/* A virtual thread that waits for a lock, without a carrier. */
struct unmounted {
  struct lock_event request;
  uint32_t lock, location; /* of its last carrier */
  struct holder unparker;  /* location TRACE_NONE: none yet */
};

struct lock_table {
  const struct trace *trace;
  lock_sink *sink; /* NULL: waits are only summed */
  void *context;
  VECTOR(struct lock) locks;
  VECTOR(struct holder) holders; /* by lock */
  VECTOR(struct hold) holds;     /* by lock; Java's */
  struct hash index;             /* of what tells locks apart, or the next free key -> lock */
  struct parties threads, places;
  struct callers callers;
  bool weighted; /* the archive has weights */
  struct lock_samples samples;
  uint64_t unknown;           /* as in struct locks */
  uint64_t last;              /* time of the last event */
  struct hash kernel_threads; /* process << 32 | the kernel's id -> location */
  struct hash java_threads;   /* process << 32 | Thread.getId() -> location; virtual threads: that ran it last */
  struct holder *unparkers;   /* by location: the thread that last let it continue, and when */
  struct slots unmounted;     /* process << 32 | Thread.getId() -> struct unmounted: virtual threads that wait */
};

/* The sums to which an event of a thread at a place adds. */
struct counted {
  struct lock_sums *lock, *thread, *place;
};

/* Functions that return bool return false if there is no memory. */
bool table_count_for(struct lock_table *table, uint32_t lock, uint32_t location, uint32_t region,
                     struct counted *counted);

/* A recorded acquisition or release, or a test that failed (lock TRACE_NONE). */
bool table_take_sample(struct lock_table *table, uint32_t lock, uint32_t location, const struct lock_event *event,
                       enum lock_figure figure, uint64_t value);

/* The three figures of an acquisition. */
bool table_sample_acquisition(struct lock_table *table, uint32_t lock, uint32_t location,
                              const struct lock_event *event, uint64_t wait, uint64_t waits);

/* The end of a thread's samples at a place; so many instances follow. */
bool table_end_samples(struct lock_table *table, struct place_samples *samples, uint64_t instances);

#endif
