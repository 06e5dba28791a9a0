/* Constructs, from the list in common/raw/archive_names.h. A region is a construct at a place in the source. */
#ifndef HEDDLE_OTF2_CONVERT_TIMELINE_CONSTRUCTS_H
#define HEDDLE_OTF2_CONVERT_TIMELINE_CONSTRUCTS_H

#include "common/raw/archive_names.h"

#include <otf2/otf2.h>
#include <stdbool.h>

enum construct {
#define X(constant, ...) C_##constant,
  REGIONS(X)
#undef X
      CONSTRUCT_COUNT
};

struct construct_facts {
  const char *name;
  const char *description;
  OTF2_RegionRole role;
};

extern const struct construct_facts construct_facts[CONSTRUCT_COUNT];

/* True for Java's own constructs; its runtimes for parallel regions use OpenMP's constructs. */
static inline bool construct_is_java(enum construct construct)
{
  return construct >= C_THREAD_START;
}

/* True for constructs of POSIX threads. */
static inline bool construct_is_pthread(enum construct construct)
{
  return construct >= C_PTHREAD_MUTEX && construct <= C_PTHREAD_COUNT;
}

/* True for constructs of the measurement itself. */
static inline bool construct_is_tool(enum construct construct)
{
  return construct >= C_TRACEFLUSH && construct <= C_PROCESSOR_FREE;
}

/* True for the program's own constructs, which it names. */
static inline bool construct_is_user(enum construct construct)
{
  return construct >= C_USER_REGION && construct <= C_USER_EVENT;
}

/* True for functions of instrumented code. */
static inline bool construct_is_call(enum construct construct)
{
  return construct == C_CALL;
}

OTF2_Paradigm construct_paradigm(enum construct construct);

/* Return the construct of an OMPT number (ompt_work_t, ompt_sync_region_t, ompt_mutex_t), even an unknown one. */
enum construct construct_of_work(unsigned work);
enum construct construct_of_sync(unsigned sync);
enum construct construct_of_sync_wait(unsigned sync);
enum construct construct_of_mutex(unsigned mutex);

/* Returns the construct of a Java thread that is parked with a blocker of this class. */
enum construct construct_of_blocker(const char *class_name);

#endif
