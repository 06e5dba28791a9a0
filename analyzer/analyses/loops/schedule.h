/*
 * Predictions of what another schedule would do for a loop. The recorded chunks give the cost of the iterations; a
 * simulation gives the loop's time under static, static,c, dynamic,c and guided,c.
 *
 * Each execution of a sample (up to 16 a loop) is simulated by itself, so that loads which differ between executions do
 * not average out. The cost of single iterations in a chunk is unknown: therefore each schedule has a least and a most
 * time.
 */
#ifndef HEDDLE_ANALYZER_ANALYSES_LOOPS_SCHEDULE_H
#define HEDDLE_ANALYZER_ANALYSES_LOOPS_SCHEDULE_H

#include "analyzer/analyses/loops/schedule_loop.h"
#include "analyzer/trace/pass/pass.h"

#define SCHEDULE_TEAMS 16 /* sizes of teams that can be asked for */

struct schedules {
  struct schedule_loop *loops; /* that teams executed; most time first */
  uint32_t count;
  uint64_t excluded; /* executions that the restriction (trace/restriction.h) includes in part; in no figure */
};

struct schedules_options {
  const uint32_t *threads; /* further sizes of teams to predict for */
  uint32_t thread_count;
};

/*
 * Finds loops in a pass in order of time, and predicts for the recorded size of the team. Options: struct
 * schedules_options; result: struct schedules. Memory grows with threads, loops and their samples (bounded), not with
 * events.
 */
extern const struct analysis schedules_analysis;

/*
 * After both passes, in place of a merge of results: adds the loops of other locations of the same trace. All locations
 * of a process must be in one of the two. Drops `from`.
 */
void schedules_merge(struct running_analysis *into, struct running_analysis *from);

#endif
