/*
 * What another schedule would do for a loop: from the recorded chunks, what its iterations cost; from that, by
 * simulation, how long the loop takes under static, static,c, dynamic,c and guided,c.
 *
 * Each execution of a loop (of a sample of up to 16) is simulated for itself, so that loads which differ from execution
 * to execution do not average out. What the data cannot say is not said: inside a chunk the cost of the iterations is
 * not known, and the least and the most that a schedule can take follow from that.
 */
#ifndef HEDDLE_ANALYZER_SCHEDULE_SCHEDULE_H
#define HEDDLE_ANALYZER_SCHEDULE_SCHEDULE_H

#include "analyzer/pass/pass.h"
#include "analyzer/schedule/schedule_loop.h"

#define SCHEDULE_TEAMS 16 /* sizes of teams that can be asked for */

struct schedules {
  struct schedule_loop *loops; /* those executed by teams; most time first */
  uint32_t count;
  uint64_t left_out; /* executions of which only a part is looked at (trace/restriction.h); in no figure */
};

/*
 * Finds loops in a pass in order of time (pass.h). NULL: no memory. After the pass: schedules_end(), or
 * schedules_drop() where it failed.
 */
struct schedules_finder;
struct schedules_finder *schedules_begin(const struct trace *trace, struct error *error);
const struct subscriber *schedules_subscriber(const struct schedules_finder *finder);
/*
 * Predicts, also for `thread_count` other sizes of teams, in parallel. Memory grows with threads, loops and the chunks
 * that are kept of each (bounded), never with events. False: an error. Free with schedules_free(), also then.
 */
bool schedules_end(struct schedules_finder *finder, struct pool *pool, const uint32_t *threads, uint32_t thread_count,
                   struct schedules *schedules, struct error *error);
void schedules_drop(struct schedules_finder *finder);

/*
 * After both passes: adds what was found at other locations of the same trace, where each process' locations are in one
 * of both; drops `from`.
 */
void schedules_merge(struct schedules_finder *into, struct schedules_finder *from);

void schedules_free(struct schedules *schedules);

#endif
