/*
 * All that the analyses find out about one run, in one pass over its events, and the findings that follow: so the
 * commands that show a part of it agree on what to look at first.
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

/* What is asked for beyond that. */
struct facts_options {
  bool waits;      /* who waited for whom, in `imbalance` */
  lock_sink *sink; /* is told of each wait for a lock; NULL: nobody */
  void *sink_context;
  const uint32_t *threads; /* further sizes of teams for `schedules` */
  uint32_t thread_count;
  const struct subscriber *const *also; /* take part in the pass; FACTS_ALSO_MOST at most */
  unsigned also_count;
};

/* False: an error. Free with facts_free(), also then. */
bool facts_find(const struct trace *trace, struct pool *pool, const struct facts_options *options, struct facts *facts,
                struct error *error);
void facts_free(struct facts *facts);

#endif
