/* The iterations of a JOMP loop, from its LoopData objects, and the records of its chunks. */
#ifndef HEDDLE_JVMTI_AGENT_RUNTIMES_LOOP_H
#define HEDDLE_JVMTI_AGENT_RUNTIMES_LOOP_H

#include <jni.h>
#include <stdbool.h>
#include <stdint.h>

struct site;

struct iterations {
  int64_t start, stop, step;
};

/* A thread's next share of them. */
struct chunk {
  int64_t start, stop;
  int64_t start_step; /* distance to the thread's next chunk; 0: no other follows */
  bool is_last;
};

/* Read a LoopData that was given to a call. False: there is none, or it has no such fields. */
bool loop_read(JNIEnv *jni, struct site *site, jobject data, struct iterations *whole);
bool loop_read_chunk(JNIEnv *jni, struct site *site, jobject data, struct chunk *chunk);

/* How many there are. */
uint64_t loop_count(const struct iterations *whole);

/* Emits the chunk that the calling thread got of a loop. work: its ompt_work_t. */
void loop_emit_chunk(unsigned work, const struct iterations *whole, const struct chunk *chunk);

#endif
