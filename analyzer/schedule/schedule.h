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
#include "analyzer/schedule/plan.h"
#include "base/totals.h"

#define SCHEDULE_CANDIDATES 160 /* static, and three kinds with up to 2^46 iterations a chunk; the recorded ones */
#define SCHEDULE_TEAMS      16  /* sizes of teams that can be asked for */
#define SCHEDULE_WORTH      2.0 /* percent of a loop's time: schedules that differ by less are taken for equal */

/* One schedule; ticks of all executions of the loop. */
struct schedule_candidate {
  struct plan plan;
  double ticks;       /* if the iterations of a chunk cost the same */
  double least, most; /* whatever is in the chunks */
};

enum schedule_verdict {
  SCHEDULE_ADVISED,     /* `best` is better, surely */
  SCHEDULE_GOOD,        /* the recorded one is as good as it gets */
  SCHEDULE_UNSURE,      /* `best` may be better, but the executions or single chunks differ too much */
  SCHEDULE_TOO_COARSE,  /* `best` may be better, but what is in the chunks is not known */
  SCHEDULE_NOT_RECORDED /* which is the best of that size; there is nothing that was measured to compare with */
};

/* The schedules for one size of the team. */
struct schedule_team {
  uint32_t threads;                      /* 0: as recorded */
  struct schedule_candidate *candidates; /* the first is static */
  uint32_t count;
  uint32_t best; /* the simplest of those that differ by less than SCHEDULE_WORTH from the shortest */
  enum schedule_verdict verdict;
  /* What `best` saves, percent of the recorded time; and its interval: see docs/heddle-schedule.1.md. */
  double gain, gain_low, gain_high;
};

enum schedule_overhead { OVERHEAD_OF_LOOP, OVERHEAD_OF_TRACE, OVERHEAD_UNKNOWN };

enum schedule_obstacle {
  OBSTACLE_NONE,
  OBSTACLE_INCOMPLETE, /* no execution has the chunks of all threads */
  OBSTACLE_CHUNKLESS,  /* the archive has no chunks of it */
  OBSTACLE_EMPTY,      /* its executions had no iterations, or none that took time */
  OBSTACLE_SCATTERED,  /* the times of its chunks are not known, only those of its threads */
  OBSTACLE_ORDERED     /* its iterations wait for each other, which is not simulated */
};

struct schedule_loop {
  uint32_t region;
  uint64_t calls, incomplete; /* executions; and those that could not be used */
  uint32_t sampled;           /* executions that were simulated */
  wide_total ticks;           /* of the loop, from the first entry until the last thread is done; those that are used */
  struct fine_total ideal;    /* ... if its threads had all finished together */
  wide_total iterations;
  uint64_t chunks;
  uint32_t threads; /* the largest team */
  struct plan recorded;
  enum plan_runtime runtime;
  double overhead; /* of a chunk that is handed out to whoever is free; ticks */
  enum schedule_overhead overhead_from;
  double error; /* percent: how far the simulation of what was recorded is from what was measured; NAN: not known */
  enum schedule_obstacle obstacle;
  uint64_t suggested;          /* chunk size of a dynamic schedule that would show more */
  struct schedule_team *teams; /* the recorded size first; none where there is an obstacle */
  uint32_t team_count;
};

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
/* Predicts, also for so many other numbers of threads. False: an error. Free with schedules_free(), also then. */
bool schedules_end(struct schedules_finder *finder, struct pool *pool, const uint32_t *threads, uint32_t thread_count,
                   struct schedules *schedules, struct error *error);
void schedules_drop(struct schedules_finder *finder);

/*
 * After both passes: adds what was found at other locations of the same trace, where each process' locations are in one
 * of both; drops `from`.
 */
void schedules_merge(struct schedules_finder *into, struct schedules_finder *from);

/*
 * Reads the whole trace. `threads`: further sizes of teams to simulate. Memory grows with threads, loops and the chunks
 * that are kept of each (bounded), never with events. False: an error. Free with schedules_free(), also after an error.
 */
bool schedules_find(const struct trace *trace, struct pool *pool, const uint32_t *threads, uint32_t thread_count,
                    struct schedules *schedules, struct error *error);
void schedules_free(struct schedules *schedules);

#endif
