/*
 * The first pass of the account. It finds the action that ended each wait, and how many threads had something to do at
 * once. Records of waits lie on disk until the second pass reads them; memory depends on threads, teams, locks and open
 * waits.
 */
#ifndef HEDDLE_ANALYZER_ANALYSES_ACCOUNT_RELEASES_H
#define HEDDLE_ANALYZER_ANALYSES_ACCOUNT_RELEASES_H

#include "analyzer/analyses/account/activity.h"
#include "analyzer/analyses/account/crews.h"
#include "analyzer/analyses/account/forever.h"
#include "analyzer/analyses/account/wait_records.h"
#include "analyzer/trace/output.h"

enum service { NO_SERVICE, SERVICE_OF_JVM, SERVICE_DAEMON };

struct releases {
  const struct trace *trace;
  struct region_meaning *meanings;
  struct running_code *code; /* NULL: no samples */
  uint32_t *creators;        /* by location; TRACE_NONE: unknown, as below */
  uint32_t *created_at;      /* ... the region in which its creator created it */
  struct crews crews;
  struct last_wait *last_waits; /* by location: at the end */
  uint8_t *services;            /* by location: enum service */
  bool switches;                /* the trace has context switches: without, threads of a JVM seem to run all the time */
  uint32_t processors;          /* that the run could use; 0: unknown */
  uint32_t most;                /* threads that had something to do at once, for 1 % of the time at least */
  uint32_t stuck;               /* a thread that waits for ever, as all others of its process do; TRACE_NONE: none */
  uint32_t stuck_at;            /* ... the region of its wait */
  uint32_t largest_team;        /* of OpenMP; 0: no region */
  uint32_t takers;              /* threads that executed tasks of Java's pools */
  bool lone_taker;              /* one thread executed all of them, and the pool has no other */
  uint64_t begin, end;          /* ticks: first and last event of threads */
  struct release_block_list *blocks; /* by location */
  struct spool *spool;
};

void releases_free(struct releases *releases);

/* The pass: an activity_sink, with a finder as its context. */
struct release_finder;
/* NULL: no memory. `releases` outlive it, and are to be freed in any case. */
struct release_finder *release_finder_create(struct releases *releases, const struct trace *trace);
bool release_finder_take(void *finder, uint32_t location, const struct account_step *step);
/* After the pass. False: an error. */
bool release_finder_finish(struct release_finder *finder, struct error *error);
/* The reason of a failure, if it is known: else memory was short. */
void release_finder_explain(const struct release_finder *finder, struct error *error);
void release_finder_free(struct release_finder *finder); /* NULL is allowed */

/* Reads the records of a thread in the order of its waits' begins. */
struct release_reader;
/* NULL: no memory. */
struct release_reader *release_reader_open(const struct releases *releases, uint32_t location);
void release_reader_close(struct release_reader *reader);
/* False: there is no record. */
bool release_reader_take(struct release_reader *reader, uint64_t ordinal, struct wait_record *record);

#endif
