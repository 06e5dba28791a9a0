/*
 * Matcher of the shares of all locations: puts them together to executions of loops. Private to loops/. Shares must
 * come in order of time. A thread joins the oldest execution of a team that it is not in and that no member has left.
 * Within a team, the k-th time that a member meets a loop belongs to the k-th execution of the loop. Only unfinished
 * executions are in memory. If executions never finish because events of threads are lost, only the newest of each
 * process are kept.
 */
#ifndef HEDDLE_ANALYZER_ANALYSES_LOOPS_LOOP_MATCHER_H
#define HEDDLE_ANALYZER_ANALYSES_LOOPS_LOOP_MATCHER_H

#include "analyzer/analyses/loops/loop_watcher.h"
#include "base/statistics.h"

/* Sums over all executions of a loop, and a sample of executions. */

#define RECORD_SAMPLES 16 /* executions of a loop whose chunks are kept, each with at most PROFILE_PIECES pieces */

/* Names an execution of a loop. It depends neither on how the trace is split nor on the order of reading. */
struct execution_id {
  uint32_t team, occurrence; /* of the loop in that execution of the team's region */
  uint64_t crew;             /* which execution of the region, by this team */
};

/* One execution. */
struct execution {
  struct execution_id id;
  uint64_t hash;            /* of the id and the loop: the smallest hashes are the sample */
  uint64_t leave;           /* when the last thread left */
  uint64_t ticks;           /* from the entry of the first thread until the last one leaves */
  uint64_t busy;            /* of all threads */
  uint32_t threads;         /* of the team */
  double *arrivals;         /* of each thread: ticks from the first entry to its first chunk */
  struct piece_list pieces; /* chunks of all threads */
};

struct loop_record {
  uint64_t calls;
  uint64_t incomplete;     /* without the events of all threads, or with incomplete ones: not used */
  uint64_t excluded;       /* executions that the restriction includes in part; in no other figure */
  uint64_t empty;          /* executions whose chunks have no iterations: not used */
  uint64_t scattered;      /* executions in which the times of some chunks are unknown */
  uint64_t chunkless;      /* ... with no recorded chunk */
  bool ordered;            /* its iterations wait for each other */
  wide_total present, off; /* ticks of all threads, and those without a processor */
  wide_total ticks;        /* of used executions */
  struct fine_total ideal; /* ... if all threads had ended together */
  wide_total iterations;
  uint64_t chunks;
  uint64_t longest;     /* iterations of a chunk */
  uint64_t most_chunks; /* of one thread in one execution */
  uint32_t threads_least, threads_most;
  uint64_t gaps; /* between two chunks of a thread */
  wide_total gap_ticks;
  uint64_t entry_least;                     /* from the entry to the first chunk */
  uint64_t chunk_least;                     /* of a chunk; ticks */
  struct execution samples[RECORD_SAMPLES]; /* of used executions with known chunks: see loop_record_sample() */
  uint32_t sample_count;
};

/* Makes it empty. */
void loop_record_begin(struct loop_record *record);

static inline bool execution_is(const struct execution *execution, const struct execution_id *id)
{
  return execution->id.team == id->team && execution->id.crew == id->crew && execution->id.occurrence == id->occurrence;
}

void execution_free(struct execution *execution);

/*
 * Offers an execution to the sample: the executions with the smallest hashes, ordered by their ends. So all have the
 * same chance, and the sample does not depend on the order of the offers. The execution's id and `leave` must be set;
 * the hash is set here. Takes over the memory of the execution, which is empty then.
 */
void loop_record_sample(struct loop_record *record, uint32_t region, struct execution *execution);

/* Adds the record that other processes of the trace have of the same loop; `from` is empty then. */
void loop_record_merge(struct loop_record *into, struct loop_record *from, uint32_t region);
void loop_record_free(struct loop_record *record);

struct loop_matcher;

/* `records`, one a region, get the sums. They and the trace must outlive the matcher. NULL: out of memory. */
struct loop_matcher *loop_matcher_create(const struct trace *trace, struct loop_record *records);
void loop_matcher_destroy(struct loop_matcher *matcher);

/* Takes the next share of a location. False: out of memory. */
bool loop_matcher_take(struct loop_matcher *matcher, uint32_t location, const struct share *share);

/* After the last share: unfinished executions count as incomplete. */
void loop_matcher_finish(struct loop_matcher *matcher);

#endif
