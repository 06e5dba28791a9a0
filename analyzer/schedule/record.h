/* Private to schedule/: what is kept of a loop: sums over all executions, and a sample of some. */
#ifndef HEDDLE_ANALYZER_SCHEDULE_RECORD_H
#define HEDDLE_ANALYZER_SCHEDULE_RECORD_H

#include "analyzer/schedule/profile.h"
#include "base/totals.h"

#define RECORD_SAMPLES 16 /* executions of a loop whose chunks are kept; each with PROFILE_PIECES pieces at most */

/* Which execution of its loop it is: the same however the trace is split and in whatever order it is read. */
struct execution_id {
  uint32_t team, occurrence; /* of the loop in that execution of the team's region */
  uint64_t crew;             /* which execution of the region, by this team */
};

/* One execution. */
struct execution {
  struct execution_id id;
  uint64_t hash;            /* of it, and the loop: random as far as the sample goes */
  uint64_t leave;           /* when the last thread left */
  uint64_t ticks;           /* from the first thread's entry until the last one leaves */
  uint64_t busy;            /* of all threads */
  uint32_t threads;         /* of the team */
  double *arrivals;         /* of each thread: when its first chunk began, from the first entry */
  struct piece_list pieces; /* chunks of all threads */
};

struct loop_record {
  uint64_t calls;
  uint64_t incomplete;     /* of which not all threads' events were there, or not whole: not used */
  uint64_t left_out;       /* executions of which only a part is looked at; in no other figure */
  uint64_t empty;          /* whose chunks have no iterations: nothing to use */
  uint64_t scattered;      /* executions in which some chunks' times are not known */
  uint64_t chunkless;      /* ... in which the archive has no chunks */
  bool ordered;            /* its iterations wait for each other */
  wide_total ticks;        /* of those that are used */
  struct fine_total ideal; /* the same if all threads had finished together */
  wide_total iterations;
  uint64_t chunks;
  uint64_t longest;     /* iterations of a chunk */
  uint64_t most_chunks; /* of one thread in one execution */
  uint32_t threads_least, threads_most;
  uint64_t gaps; /* between two chunks of a thread */
  wide_total gap_ticks;
  uint64_t entry_least;                     /* from the entry to the first chunk */
  uint64_t chunk_least;                     /* of a chunk; ticks */
  struct execution samples[RECORD_SAMPLES]; /* of those that are used and whose chunks are known: see below */
  uint32_t sample_count;
};

/* An empty one. */
void loop_record_begin(struct loop_record *record);

static inline bool execution_is(const struct execution *execution, const struct execution_id *id)
{
  return execution->id.team == id->team && execution->id.crew == id->crew && execution->id.occurrence == id->occurrence;
}

void execution_free(struct execution *execution);

/*
 * Offers an execution to the sample, which is made of those with the smallest hashes, in the order in which they were
 * over: so each gets in with the same probability, and it is the same sample whatever comes first. Its id and `leave`
 * must be there; the hash is made here. Takes over what it owns.
 */
void loop_record_sample(struct loop_record *record, uint32_t region, struct execution *execution);

/* Adds the record of the same loop from other processes of the same trace; `from` is empty then. */
void loop_record_merge(struct loop_record *into, struct loop_record *from, uint32_t region);
void loop_record_free(struct loop_record *record);

#endif
