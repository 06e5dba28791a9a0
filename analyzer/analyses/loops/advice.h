/* Advice that follows from the record of a loop, by simulation of schedules. Private to loops/. */
#ifndef HEDDLE_ANALYZER_ANALYSES_LOOPS_ADVICE_H
#define HEDDLE_ANALYZER_ANALYSES_LOOPS_ADVICE_H

#include "analyzer/analyses/loops/loop_matcher.h"
#include "analyzer/analyses/loops/loop_watcher.h"
#include "analyzer/analyses/loops/schedule_loop.h"

/* How long a loop takes under a schedule, if its iterations have the costs of a profile. */

#define SIMULATE_CHUNKS 16384 /* if there are more, several are handed out at a time */
#define SIMULATE_SHARE                                                                                                 \
  64 /* static,c: from so many chunks a thread on shares are taken to be equal, if there are more */

struct simulate_team {
  enum plan_runtime runtime;
  uint32_t threads;
  const double *arrivals; /* when each thread can begin its first chunk; ticks from the beginning of the loop */
  double overhead;        /* cost of handing out a chunk, DYNAMIC and GUIDED; ticks */
};

/*
 * Ticks from the beginning of the loop until its last thread ends, if all iterations of a piece cost the same. Also the
 * least and the most ticks that the pieces allow.
 */
struct simulated {
  double ticks, least, most;
};

/* Simulates list scheduling: a chunk goes to the thread that is free first. False: out of memory. */
bool simulate(const struct plan *plan, const struct profile *profile, const struct simulate_team *team,
              struct simulated *simulated);

/* The least ticks of any schedule: all threads end together, and handing out chunks costs nothing. */
double simulate_ideal(double cost, const struct simulate_team *team);

/* Simulates a loop under all candidates, and sets `error`, `teams` and the verdicts of `loop`. False: out of memory. */
bool advice_give(struct schedule_loop *loop, const struct loop_record *record, bool overhead_inside,
                 const uint32_t *threads, uint32_t thread_count);

#endif
