/* Private to schedule/, but others see it through schedule.h: what is known of a loop, and what is predicted for it. */
#ifndef HEDDLE_ANALYZER_SCHEDULE_SCHEDULE_LOOP_H
#define HEDDLE_ANALYZER_SCHEDULE_SCHEDULE_LOOP_H

#include "analyzer/schedule/plan.h"
#include "base/totals.h"

#define SCHEDULE_WORTH 2.0 /* percent of a loop's time: schedules that differ by less are taken for equal */

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

#endif
