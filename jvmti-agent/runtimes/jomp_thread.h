/*
 * Parallel regions that a thread of a JOMP program is in, with the open worksharing construct and the loop of each. The
 * functions are for the calling thread. They add records to a batch in the order of libomp's OMPT callbacks.
 */
#ifndef HEDDLE_JVMTI_AGENT_RUNTIMES_JOMP_THREAD_H
#define HEDDLE_JVMTI_AGENT_RUNTIMES_JOMP_THREAD_H

#include "jvmti-agent/runtimes/batch.h"
#include "jvmti-agent/runtimes/sites.h"
#include "jvmti-agent/weaver/weave.h"

#include <jni.h>

struct hook;

/* Iterations of a loop, from JOMP's LoopData objects. */
struct iterations {
  int64_t start, stop, step;
};

/* A thread's next share of them. */
struct chunk {
  int64_t start, stop;
  int64_t start_step; /* distance to the thread's next chunk; 0: no other follows */
  bool is_last;
};

/* Fields of the two LoopData objects, of the loop and of the chunk, for hooks of calls that have them as arguments. */
extern const struct hook_field loop_fields[];

/*
 * Read the loop, and the chunk that a call gave out, from the hook's values or LoopData objects. False: there are none,
 * or they have no such fields.
 */
bool loop_read(const struct hook *hook, struct iterations *whole);
bool loop_read_chunk(const struct hook *hook, struct chunk *chunk);

/* Adds the record of a loop's chunk that the calling thread got. work: its ompt_work_t. */
void loop_emit_chunk(struct batch *batch, unsigned work, const struct iterations *whole, const struct chunk *chunk);

enum region_state {
  REGION_BEGUN, /* the master is in doParallel, and not yet in go */
  REGION_BODY,  /* in go; in a region of one thread, in doParallel */
  REGION_LAST_BARRIER,
  REGION_OVER /* the master has left the barrier, and not yet doParallel */
};

struct region {
  uint64_t id, code;
  const struct site *site; /* NULL: unknown */
  unsigned size, index;
  bool owner; /* the thread that encountered the construct */
  enum region_state state;
  unsigned inner_bodies;        /* calls of go that the runtime did not make */
  unsigned work;                /* ompt_work_t of the open worksharing construct; 0: none */
  const struct site *work_site; /* ... also after its end */
  uint64_t work_code;           /* its place, likewise */
  struct iterations whole;      /* of the open loop */
  bool chunks_done;             /* the open loop has no more chunks for this thread */
  unsigned wait;                /* ompt_sync_region_t of the open wait in the body; 0: none */
  unsigned wait_pauses;         /* sites_pauses() when that began: after a pause its end is unknown */
  bool after_work; /* nothing happened since the end of a worksharing construct: a barrier now is its own */
};

/* Frees the state of the calling thread, which ends. */
void jomp_thread_end(void);

/* Returns the innermost region whose body the thread executes; NULL: none. Ends an open wait in it, because a wait that
 * threw reports no end. */
struct region *jomp_body(struct batch *batch);

/*
 * True if the region has one thread only. Then its body begins and ends with it, without hooks of go, and a wait ends
 * where it begins.
 */
static inline bool jomp_is_alone(const struct region *region)
{
  return region->owner && region->size == 1;
}

/* site NULL: the call has no hook. code: its place; 0: unknown. */
void jomp_parallel_begin(struct batch *batch, const struct site *site, uint64_t code, unsigned team_size);
void jomp_parallel_end(struct batch *batch);
/* go begins and ends. */
void jomp_body_begin(struct batch *batch, unsigned index, JNIEnv *jni);
void jomp_body_end(struct batch *batch);
/* A barrier of all threads has ended. */
void jomp_left_global_barrier(struct batch *batch);

/* Ends the open worksharing construct. True if the worksharing construct that begins at the site is recorded. */
bool jomp_takes_work(struct batch *batch, struct region *region, const struct site *site);
/* Begins a worksharing construct; a loop. */
void jomp_work_begin(struct batch *batch, struct region *region, unsigned work, const struct site *site,
                     uint64_t count);
void jomp_loop_begin(struct batch *batch, struct region *region, const struct site *site,
                     const struct iterations *whole);
/* Ends the open worksharing construct, if there is one. */
void jomp_work_end(struct batch *batch, struct region *region);

/* A barrier begins; at the end of a worksharing construct it has the construct's place. */
void jomp_barrier_begin(struct batch *batch, struct region *region, uint64_t code);
/* A reduction begins: like libomp's reduction in a tree, but every thread reports it. */
void jomp_reduction_begin(struct batch *batch, struct region *region, uint64_t code);

#endif
