/*
 * Samples of Java code by thread and function, out of the file `samples` of a running process
 * (common/raw/live_control.h), which may say anything. One thread at a time.
 */
#ifndef HEDDLE_OTF2_CONVERT_LIVE_LIVE_SAMPLES_H
#define HEDDLE_OTF2_CONVERT_LIVE_LIVE_SAMPLES_H

#include "base/hash.h"
#include "base/vector.h"
#include "otf2-convert/plan/java_names.h"

#define LIVE_WITHOUT_ROOM "[without room]" /* the function of samples that have no place in the file */

/* Samples of a thread in a function, and in it or in what it called. */
struct live_function {
  uint32_t thread, function; /* the latter: a number of `functions` */
  uint64_t self, total;
};

struct live_samples;

/* All zero at the begin. */
struct live_sampled_functions {
  struct live_samples *file;        /* as it was read last; NULL: there is none */
  struct string_table functions;    /* names */
  VECTOR(uint32_t) places;          /* a place in each of them (java_names.h); 0: none is known */
  struct hash of_place;             /* place -> function */
  VECTOR(struct live_function) all; /* by thread, then by function */
  struct hash index;                /* thread << 32 | function -> index of `all` while it is made */
  VECTOR(uint32_t) seen;            /* by function: the last call that it was found in */
  VECTOR(bool) waits;               /* by thread: it has samples in calls that the process has not told yet */
};

/* Reads the file in a process directory; without one there are no samples. False: memory is short. */
bool live_samples_take(struct live_sampled_functions *samples, int directory);
/* Makes `all` of what was read. over: the process tells no further calls. False: memory is short. */
bool live_samples_sum(struct live_sampled_functions *samples, const struct java_calls *calls,
                      const struct java_names *names, bool over);
/* Those of a thread: *count. Valid until the next call above. */
const struct live_function *live_samples_of(const struct live_sampled_functions *samples, uint32_t thread,
                                            size_t *count);
/* Whether it has others, in calls that the process has not told yet. */
bool live_samples_wait(const struct live_sampled_functions *samples, uint32_t thread);
void live_samples_free(struct live_sampled_functions *samples);

#endif
