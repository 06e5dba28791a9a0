/*
 * Crews: threads that one thread created and that do the same, as long as one of them lives. In Java they run one
 * class; otherwise all that a thread creates are one crew. For both passes of the account.
 */
#ifndef HEDDLE_ANALYZER_ANALYSES_ACCOUNT_CREWS_H
#define HEDDLE_ANALYZER_ANALYSES_ACCOUNT_CREWS_H

#include "analyzer/trace/definitions.h"
#include "base/hash.h"
#include "base/vector.h"

/* Members of a crew: a join of one is a join of all. */
struct created_group {
  uint32_t alive, ended;
  bool of_pool; /* workers of one of the JDK's pools */
};

/* Where each thread belongs. The first pass fills it in. */
struct crews {
  uint32_t *of;       /* by location: its crew; TRACE_NONE: none, or not known yet */
  uint32_t *routines; /* by location: a number of the class that it runs; 0: unknown */
  bool *of_pool;      /* by location: a worker of one of the JDK's pools */
  struct hash index;  /* creator, routine -> crew */
  uint32_t count;
};

/* A worker of one of the JDK's pools. */
bool thread_is_of_pool(const struct trace *trace, uint32_t location);

/* False: no memory. */
bool crews_init(struct crews *crews, const struct trace *trace);
void crews_free(struct crews *crews);
/* A thread has a creator: it joins a crew. False: no memory. */
bool crews_add(struct crews *crews, uint32_t location, uint32_t creator);
/* True if both are in one crew and run one class of Java. */
bool crews_are_peers(const struct crews *crews, uint32_t location, uint32_t other);

void group_begin(struct created_group *group);
void group_end(struct created_group *group);
/* Whether the group has ever had more than one member at once, or one after another while one lived. */
bool group_is_team(const struct created_group *group);

#endif
