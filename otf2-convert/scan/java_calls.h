/*
 * What a process file says of the samples of Java threads (raw_trace.h): the lines `call:` and `java-samples:`. Lines
 * with an invalid or repeated id are left out.
 */
#ifndef HEDDLE_OTF2_CONVERT_SCAN_JAVA_CALLS_H
#define HEDDLE_OTF2_CONVERT_SCAN_JAVA_CALLS_H

#include "base/vector.h"
#include "common/raw/raw_trace.h"

#include <stdbool.h>
#include <stdint.h>

#define JAVA_CALLS_MAX (1u << 20) /* further ones are unknown */

struct java_call {
  bool known;
  uint32_t caller; /* a smaller id; 0: none, RAW_CALL_CUT: unknown */
  uint32_t place;  /* id (java_names.h); 0: unknown */
  uint32_t leaf;   /* its node + 1 (samples.h), once a sample was there; 0: none was. What its samples are: */
  bool cut, unnamed;
};

struct java_calls {
  uint64_t period;     /* ns of processor time; 0: Java threads were not sampled */
  uint64_t due, taken; /* samples, as the process told last ... */
  uint64_t lost[RAW_SAMPLE_REASONS];
  VECTOR(struct java_call) items; /* by id */
};

/* Take the text after the line's key, and change it. False: out of memory. */
bool java_calls_add(struct java_calls *calls, char *value);
void java_calls_add_counts(struct java_calls *calls, char *value);
void java_calls_free(struct java_calls *calls);

/* NULL: there is none with that id. */
struct java_call *java_call(const struct java_calls *calls, uint32_t id);

#endif
