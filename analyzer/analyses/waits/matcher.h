/* Matcher of waits: finds what ended each of them, of the steps of all locations in order of time. */
#ifndef HEDDLE_ANALYZER_ANALYSES_WAITS_MATCHER_H
#define HEDDLE_ANALYZER_ANALYSES_WAITS_MATCHER_H

#include "analyzer/analyses/waits/objects.h"
#include "analyzer/analyses/waits/paths.h"
#include "analyzer/analyses/waits/results.h"
#include "analyzer/analyses/waits/sums.h"
#include "base/hash.h"

enum { WAITS_KEPT = 16, ENDS_KEPT = 16 };

struct recent_wait {
  uint64_t begin, end;
  uint32_t region;
};

struct matched_thread {
  struct path_part did; /* last */
  uint64_t did_until;
  uint64_t busy_until; /* it neither waited nor idled, last */
  uint64_t left_team;
  uint64_t stopped;                      /* its last event; 0: not yet */
  uint32_t instance;                     /* of the barrier at which it waits */
  struct waker permit, interrupt, start; /* location TRACE_NONE: none */
  struct recent_wait waits[WAITS_KEPT];
  unsigned wait_count;
  uint64_t met; /* the round of a tick that met it last */
  bool blocked; /* in this round it goes no further */
};

/* A wait of a virtual thread that goes on without a carrier. */
struct unmounted_wait {
  struct waker_step step;
  struct waker permit; /* location TRACE_NONE: none */
};

struct matcher {
  const struct trace *trace;
  const struct waits_listener *listener; /* NULL: none */
  struct matched_thread *threads;        /* by location */
  struct edges *edges;
  struct waited_objects objects;
  struct task_children children;
  struct slots unmounted; /* table of struct unmounted_wait, by process and id of the virtual thread */
  struct slots early;     /* table of struct waker, by the same key: its last unpark since it was mounted */
  struct paths *paths;
  struct wait_sums sums;
  struct hash java_threads, kernel_threads; /* by the ids that events name them by */
  struct hash posix_threads, creators;      /* the same of threads that POSIX threads created, by number */
  struct hash released_in;                  /* process and lock -> construct + 1 */
  struct waker ends[ENDS_KEPT];             /* threads that ended, of all processes */
  unsigned end_count;
  uint64_t rounds;  /* of ticks */
  struct edge edge; /* into the thread that takes a step: the latest one */
  bool edge_found;
  bool failed;
  uint64_t *hops, *lost; /* by process, the last ones of threads that are in none */
};

/* False: no memory. matcher_free() in any case. */
bool matcher_init(struct matcher *matcher, const struct trace *trace);
void matcher_free(struct matcher *matcher);
/* Virtual threads that wait when the trace ends. Once, after all steps. */
void matcher_cut(struct matcher *matcher, uint64_t time);
bool matcher_take(struct matcher *matcher, uint32_t location, const struct waker_step *step);

/*
 * Steps of one tick. Within a tick, actions that end waits precede the ends of waits, in any order of their locations.
 * Converters end a wait at the very time of the last arrival.
 */

struct tick {
  VECTOR(struct tick_step {
    struct waker_step step;
    uint32_t location;
  })
  steps;
};

/* Hands the steps of earlier ticks on to the matcher. False: no memory. */
bool tick_take(struct tick *tick, struct matcher *matcher, uint32_t location, const struct waker_step *step);
/* Hands all steps on. */
bool tick_finish(struct tick *tick, struct matcher *matcher);
void tick_free(struct tick *tick);

#endif
