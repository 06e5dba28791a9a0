/*
 * Origins of parallel regions and explicit tasks, by id (raw_trace.h): their code, and when a region began. The
 * thread that creates one notes it; others ask when they fold their records into a profile (profile_fold.h), which may
 * be long after. So there is room for the newest PROFILE_ORIGINS ids of the process; older ones are forgotten.
 *
 * Any thread, no lock; an answer is of that id or none.
 */
#ifndef HEDDLE_COMMON_PROFILE_PROFILE_ORIGIN_H
#define HEDDLE_COMMON_PROFILE_PROFILE_ORIGIN_H

#include <stdbool.h>
#include <stdint.h>

#define PROFILE_ORIGINS (1u << 17)

struct profile_origin {
  uint64_t code, begin; /* begin: ticks */
};

/* Reserves the memory, which is used as ids come. Once, before all else. False: there is none. */
bool profile_origins_begin(void);
void profile_origin_note(uint64_t id, struct profile_origin origin);
/* False: it is not known, or not any more. */
bool profile_origin_find(uint64_t id, struct profile_origin *origin);

#endif
