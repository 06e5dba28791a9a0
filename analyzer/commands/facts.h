/*
 * The results of all analyses of one run, from one pass over its events, and the findings that follow. So all commands
 * agree on what to look at first, whichever part they show.
 */
#ifndef HEDDLE_ANALYZER_COMMANDS_FACTS_H
#define HEDDLE_ANALYZER_COMMANDS_FACTS_H

#include "analyzer/findings/findings.h"
#include "analyzer/unrecorded/unrecorded.h"

struct facts {
  const struct trace *trace;
  struct unrecorded skipped;
  struct overhead overhead;
  struct states_sums sums;
  struct imbalance imbalance;
  struct locks locks;
  struct schedules schedules;
  struct findings findings;
};

#define FACTS_ALSO_MOST 4

/* Further wishes. */
struct facts_options {
  bool waits;      /* who waited for whom, in `imbalance` */
  lock_sink *sink; /* gets each wait for a lock; NULL: none */
  void *sink_context;
  const uint32_t *threads; /* further sizes of teams for `schedules` */
  uint32_t thread_count;
  const struct subscriber *const *also; /* also take part in the pass; at most FACTS_ALSO_MOST */
  unsigned also_count;
};

/* False: an error. Free with facts_free(), also then. */
bool facts_find(const struct trace *trace, struct pool *pool, const struct facts_options *options, struct facts *facts,
                struct error *error);
void facts_free(struct facts *facts);

#endif
