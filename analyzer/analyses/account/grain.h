/* Executions of parallel regions, and the work in them: which regions are so small that all lost time at them is due to
 * that. One thread. */
#ifndef HEDDLE_ANALYZER_ANALYSES_ACCOUNT_GRAIN_H
#define HEDDLE_ANALYZER_ANALYSES_ACCOUNT_GRAIN_H

#include "analyzer/analyses/account/causes.h"

struct grain_region {
  uint64_t executions, members;
  bool threads;        /* it is where threads are created: an execution is a thread */
  bool meets;          /* it is a barrier: its work is what lies between two executions */
  uint64_t work;       /* ticks, of all threads */
  uint64_t longest;    /* of the thread with the most */
  uint64_t omitted;    /* further executions, which were not recorded */
  uint64_t chunks;     /* of the loop */
  uint64_t made;       /* tasks, by threads whose work is at this region */
  uint64_t off;        /* ticks of work without a processor, by readings ... */
  uint64_t ready;      /* ... and in the run queue, */
  uint64_t off_most;   /* ... the largest reading, ... */
  uint32_t off_thread; /* ... and whose it is */
  /* Short times between two executions on the thread that forks, */
  uint32_t gap_place;            /* whose place then was this one; TRACE_NONE: outside of constructs */
  fine_ticks gap_work, gap_lost; /* booked as its work, and as others' idle time */
};

struct grain {
  struct grain_region *regions; /* by region; of no parallel region: zeros */
  uint32_t *within;             /* by region: the parallel region that it was seen in last; TRACE_NONE: none */
  uint32_t outside;             /* the index of what is outside of regions */
  struct hash work;             /* region << 32 | location -> ticks */
  struct hash locks;            /* place of the work + 1 << 32 | region of a lock -> acquisitions */
  uint64_t tasks;
  bool failed; /* no memory */
};

/* False: no memory. */
bool grain_init(struct grain *grain, const struct trace *trace);
void grain_free(struct grain *grain);
/* ACT_CHUNKS, ACT_MADE, ACT_OMITTED at a region. */
void grain_count(struct grain *grain, uint32_t region, unsigned step_kind, uint64_t number);
/* Acquisitions at the region of a lock, by threads whose work is at a place (TRACE_NONE: outside of regions). */
void grain_count_locks(struct grain *grain, uint32_t place, uint32_t lock, uint64_t number);
/* Ticks of work at a place (TRACE_NONE: outside of regions) that had no processor, and those in the run queue. */
void grain_add_off(struct grain *grain, uint32_t place, uint32_t location, uint64_t off, uint64_t ready);
/* A thread arrives at a barrier after `ticks` of work; the first one of its team counts. */
void grain_add_arrival(struct grain *grain, uint32_t barrier, uint32_t location, uint64_t ticks, bool counts);
/* A thread leaves the execution of a region. */
void grain_add_work(struct grain *grain, uint32_t region, uint32_t location, uint64_t ticks);
/* A thread that was created at a place ends. */
void grain_add_thread(struct grain *grain, uint32_t place, uint64_t ticks);
/* True if both regions are at one source line. */
bool grain_same_line(const struct trace *trace, uint32_t a, uint32_t b);
/* Moves ticks of a cause, at most what it has. */
void grain_move(struct causes *causes, uint32_t from, uint32_t to, fine_ticks ticks);
/* Moves what was lost at small constructs to ACCOUNT_GRAIN. */
void grain_apply(struct grain *grain, const struct trace *trace, struct causes *causes, struct account *account);

#endif
