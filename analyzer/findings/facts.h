/*
 * The results of all analyses of one run, from one pass over its events, and the findings that follow from them. All
 * commands use them, so all commands agree on what to look at first.
 */
#ifndef HEDDLE_ANALYZER_FINDINGS_FACTS_H
#define HEDDLE_ANALYZER_FINDINGS_FACTS_H

#include "analyzer/analyses/overhead/budget.h"
#include "analyzer/analyses/tasks/tasks.h"
#include "analyzer/analyses/unrecorded/unrecorded.h"
#include "analyzer/findings/findings.h"

struct facts {
  const struct trace *trace;
  struct unrecorded skipped;
  struct overhead overhead;
  struct budget budget;
  struct states_sums sums;
  struct imbalance imbalance;
  struct locks locks;
  struct schedules schedules;
  struct processors processors;
  struct deadlocks deadlocks;
  struct counters counters;
  struct tasks tasks; /* of Java's pools; else none */
  struct awaited awaited;
  struct findings findings;
};

#define FACTS_ALSO_MOST 8

/* What to find beside the facts. Zeros: nothing. */
struct facts_options {
  struct imbalance_options imbalance;
  lock_sink *sink; /* receives each wait for a lock; NULL: none */
  void *sink_context;
  const uint32_t *threads; /* further sizes of teams for `schedules` */
  uint32_t thread_count;
  const struct subscriber *const *also; /* further subscribers of the pass; at most FACTS_ALSO_MOST */
  unsigned also_count;
};

/* Analyzes the trace. False: an error. facts_free() in any case; the trace outlives the facts. */
bool facts_find(const struct trace *trace, struct pool *pool, const struct facts_options *options, struct facts *facts,
                struct error *error);
void facts_free(struct facts *facts);

/* All that findings are made of. */
struct findings_of facts_for_findings(const struct facts *facts);

#endif
