/* The iterations of a JOMP loop, from its LoopData objects, and the records of its chunks. */
#ifndef HEDDLE_JVMTI_AGENT_RUNTIMES_LOOP_H
#define HEDDLE_JVMTI_AGENT_RUNTIMES_LOOP_H

#include "jvmti-agent/runtimes/batch.h"
#include "jvmti-agent/weaver/weave.h"

#include <jni.h>

struct hook;

struct iterations {
  int64_t start, stop, step;
};

/* A thread's next share of them. */
struct chunk {
  int64_t start, stop;
  int64_t start_step; /* distance to the thread's next chunk; 0: no other follows */
  bool is_last;
};

/* The fields that hooks of calls with a LoopData of the loop and one of the chunk get. */
extern const struct hook_field loop_fields[];

/*
 * The loop, and the chunk that a call gave out: the hook has their values, or the LoopData objects. False: there are
 * none, or they have no such fields.
 */
bool loop_read(const struct hook *hook, struct iterations *whole);
bool loop_read_chunk(const struct hook *hook, struct chunk *chunk);

/* How many there are. */
uint64_t loop_iterations(const struct iterations *whole);

/* Adds the record of the chunk that the calling thread got of a loop. work: its ompt_work_t. */
void loop_emit_chunk(struct batch *batch, unsigned work, const struct iterations *whole, const struct chunk *chunk);

#endif
