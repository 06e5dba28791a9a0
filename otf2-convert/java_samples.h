/*
 * Samples of Java threads (raw_trace.h, `call` and RAW_JAVA_SAMPLE): what the process file says of their calls, and
 * their way to samples.h. Lines with an invalid or repeated id are left out.
 */
#ifndef HEDDLE_OTF2_CONVERT_JAVA_SAMPLES_H
#define HEDDLE_OTF2_CONVERT_JAVA_SAMPLES_H

#include "base/vector.h"
#include "common/raw_trace.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define JAVA_CALLS_MAX  (1u << 20) /* further ones are unknown */
#define JAVA_DEPTH_MOST 1024u      /* of a stack; further callers are unknown */

struct java_call {
  bool known;
  uint32_t caller; /* a smaller id; 0: none, RAW_CALL_CUT: unknown */
  uint32_t place;  /* id; 0: unknown */
};

struct java_samples {
  uint64_t period;     /* ns of processor time; 0: Java threads were not sampled */
  uint64_t due, taken; /* as the process told last */
  uint64_t lost[RAW_SAMPLE_REASONS];
  VECTOR(struct java_call) calls; /* by id */
};

/* A sample of a thread. */
struct java_sample {
  uint64_t time; /* of the archive */
  uint32_t call;
};

/* Take the text after the line's key, and change it. False: out of memory. */
bool java_samples_add_call(struct java_samples *samples, char *value);
void java_samples_add_counts(struct java_samples *samples, char *value);
void java_samples_free(struct java_samples *samples);

/* The places of a call's stack as codes of samples.h, outermost first. Returns how many of JAVA_DEPTH_MOST + 1. */
uint32_t java_samples_path(const struct java_samples *samples, uint32_t call, uint64_t *path);

struct location;
struct plan;
struct samples;
/* Puts what the scan noted into the archive of samples, in the pause of the conversion. False: memory is short. */
bool java_samples_merge(struct samples *samples, const struct plan *plan, struct location *locations, uint32_t count);

/* How many samples were not taken in all processes; reasons: "12 garbage collection, 3 ...", "" none. */
uint64_t java_samples_lost(const struct plan *plan, char *reasons, size_t size);

#endif
