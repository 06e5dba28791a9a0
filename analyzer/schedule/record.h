/* Private to schedule/: what is kept of a loop: sums over all executions, and a sample of some. */
#ifndef HEDDLE_ANALYZER_SCHEDULE_RECORD_H
#define HEDDLE_ANALYZER_SCHEDULE_RECORD_H

#include "analyzer/schedule/profile.h"

#define RECORD_SAMPLES 16 /* executions of a loop whose chunks are kept; each with PROFILE_PIECES pieces at most */

/* One execution. */
struct execution {
  uint64_t ticks;           /* from the first thread's entry until the last one leaves */
  uint64_t busy;            /* of all threads */
  uint32_t threads;         /* of the team */
  double *arrivals;         /* of each thread: when its first chunk began, from the first entry */
  struct piece_list pieces; /* chunks of all threads */
};

struct loop_record {
  uint64_t calls;
  uint64_t incomplete; /* of which not all threads' events were there, or not whole: not used */
  uint64_t empty;      /* whose chunks have no iterations: nothing to use */
  uint64_t scattered;  /* executions in which some chunks' times are not known */
  uint64_t chunkless;  /* ... in which the archive has no chunks */
  bool ordered;        /* its iterations wait for each other */
  uint64_t ticks;      /* of those that are used */
  double ideal;        /* the same if all threads had finished together */
  uint64_t iterations, chunks;
  uint64_t longest;     /* iterations of a chunk */
  uint64_t most_chunks; /* of one thread in one execution */
  uint32_t threads_least, threads_most;
  uint64_t gaps, gap_ticks;                 /* between two chunks of a thread */
  uint64_t entry_least;                     /* from the entry to the first chunk */
  uint64_t chunk_least;                     /* of a chunk; ticks */
  struct execution samples[RECORD_SAMPLES]; /* of those that are used and whose chunks are known */
  uint32_t sample_count;
  uint64_t seen;   /* executions that could have been sampled */
  uint64_t random; /* state of the generator that chooses: the same trace gives the same sample */
};

void execution_free(struct execution *execution);

/* Offers an execution to the sample: each gets in with the same probability. Takes over what it owns. */
void loop_record_sample(struct loop_record *record, struct execution *execution);
void loop_record_free(struct loop_record *record);

#endif
