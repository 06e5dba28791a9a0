/*
 * What another schedule would do for a loop. The recorded chunks give the cost of the iterations; a simulation gives
 * the loop's time under static, static,c, dynamic,c and guided,c.
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
  uint64_t left_out; /* executions that the restriction (trace/restriction.h) includes in part; in no figure */
};

/*
 * Finds loops in a pass in order of time (pass.h). NULL: out of memory. After the pass: schedules_end(), or
 * schedules_drop() if the pass failed.
 */
struct schedules_finder;
struct schedules_finder *schedules_begin(const struct trace *trace, struct error *error);
const struct subscriber *schedules_subscriber(const struct schedules_finder *finder);
/*
 * Predicts for the recorded size of the team, and for `thread_count` other sizes; drops the finder. Memory grows with
 * threads, loops and their samples (bounded), not with events. False: an error. Free with schedules_free(), also then.
 */
bool schedules_end(struct schedules_finder *finder, struct pool *pool, const uint32_t *threads, uint32_t thread_count,
                   struct schedules *schedules, struct error *error);
void schedules_drop(struct schedules_finder *finder);

/*
 * After both passes: adds the results of other locations of the same trace; all locations of a process must be in one
 * of the two. Drops `from`.
 */
void schedules_merge(struct schedules_finder *into, struct schedules_finder *from);

void schedules_free(struct schedules *schedules);

#endif
