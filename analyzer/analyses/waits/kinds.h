/* Which regions are waits, and which end waits of other threads. */
#ifndef HEDDLE_ANALYZER_ANALYSES_WAITS_KINDS_H
#define HEDDLE_ANALYZER_ANALYSES_WAITS_KINDS_H

#include "analyzer/trace/states/machine.h"

enum wait_match {
  MATCH_NONE,
  /* Of objects, which exist while a thread waits for them: */
  MATCH_QUEUE,   /* a signal for the same object, which one waiting thread takes, or all of them */
  MATCH_RELEASE, /* the last release of the same object */
  MATCH_ARRIVAL, /* the last arrival at the same barrier: of the team, or the object */
  MATCH_OWNER,   /* the owner that the wait names, or the last thread that acquired the object meanwhile */
  /* Others: */
  MATCH_PERMIT, /* a signal for this thread */
  MATCH_IDLE,   /* the same, of a thread without work: it does not wait, but continues the path of who gives it some */
  MATCH_END,    /* the end of another thread */
  MATCH_CLOCK,  /* time itself */
  MATCH_IO,     /* something outside of the run */
  MATCH_TASKS,  /* the end of the last child task */
  MATCH_LOCK    /* the release of an OpenMP lock; the wait ends with its acquisition */
};

enum signal {
  SIGNAL_NONE,
  SIGNAL_ONE,
  SIGNAL_ALL,
  SIGNAL_RELEASE,
  SIGNAL_THREAD,
  SIGNAL_INTERRUPT,
  SIGNAL_START,
  SIGNAL_MOUNT
};

enum wait_domain {
  DOMAIN_TEAM,
  DOMAIN_JAVA,
  DOMAIN_MONITOR,
  DOMAIN_LOCK,
  DOMAIN_CONDITION,
  DOMAIN_SEMAPHORE,
  DOMAIN_BARRIER,
  DOMAIN_POSIX
};

struct wait_kind {
  uint8_t match;  /* enum wait_match */
  uint8_t signal; /* enum signal */
  uint8_t domain; /* objects of different domains differ; MATCH_END: who numbered the thread, enum wait_domain */
};

/* The kind of each region; the caller frees the array. NULL: no memory. */
struct wait_kind *wait_kinds(const struct trace *trace, const uint8_t *rules);

#endif
