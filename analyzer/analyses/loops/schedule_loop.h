/* Loop, its schedule and the predictions for it. Other folders include schedule.h, which includes this. */
#ifndef HEDDLE_ANALYZER_ANALYSES_LOOPS_SCHEDULE_LOOP_H
#define HEDDLE_ANALYZER_ANALYSES_LOOPS_SCHEDULE_LOOP_H

#include "base/statistics.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * Which iterations a schedule hands out together, as the runtimes do it. Iterations count from 0.
 *   static      one block a thread: libomp and libgomp give the first N mod P threads one iteration more. JOMP gives
 *               each thread ceil(N / P) while iterations remain
 *   static,c    chunks of c, in turn
 *   dynamic,c   chunks of c, to the thread that is free first
 *   guided,c    shrinking chunks, to the next free thread, with R iterations left. libomp: floor(R / 2P), and c from R
 *               < 2P (c + 1) on. libgomp: max(c, ceil(R / P)). JOMP: max(c, floor(R / 2P))
 */

enum plan_runtime { PLAN_LIBOMP, PLAN_LIBGOMP, PLAN_JOMP };
enum plan_kind { PLAN_UNKNOWN, PLAN_STATIC, PLAN_DYNAMIC, PLAN_GUIDED };

struct plan {
  enum plan_kind kind;
  uint64_t chunk; /* 0: of STATIC one block a thread; of others: not known */
};

/* What is handed out in one loop. */
struct plan_space {
  enum plan_runtime runtime;
  uint32_t threads;    /* at least 1 */
  uint64_t iterations; /* at least 1 */
};

/* The block of a thread under static without a chunk size: iterations *begin to *end - 1. */
void plan_block(const struct plan_space *space, uint32_t thread, uint64_t *begin, uint64_t *end);

/* DYNAMIC and GUIDED (chunk > 0): the size of the chunk that comes after `done` iterations; 0: none is left. */
uint64_t plan_next(const struct plan *plan, const struct plan_space *space, uint64_t done);

#define PLAN_TEXT 48
/* "schedule(dynamic,8)"; without the chunk if it is 0. */
const char *plan_text(const struct plan *plan, char text[PLAN_TEXT]);
/* "static", "dynamic", "guided", "unknown". */
const char *plan_kind_name(enum plan_kind kind);

static inline bool plan_same(const struct plan *a, const struct plan *b)
{
  return a->kind == b->kind && a->chunk == b->chunk;
}

#define SCHEDULE_WORTH 2.0 /* percent of a loop's time: schedules that differ by less count as equal */

/* The prediction for one schedule; ticks of all executions of the loop. */
struct schedule_candidate {
  struct plan plan;
  double ticks;       /* if all iterations of a chunk cost the same */
  double least, most; /* bounds, whatever the iterations of a chunk cost */
};

enum schedule_verdict {
  SCHEDULE_ADVISED,     /* `best` is certainly better */
  SCHEDULE_GOOD,        /* no schedule is better than the recorded one */
  SCHEDULE_UNSURE,      /* `best` may be better, but the executions or single chunks differ too much */
  SCHEDULE_TOO_COARSE,  /* `best` may be better, but the costs inside the chunks are unknown */
  SCHEDULE_NOT_RECORDED /* another size of the team: there is no measurement to compare with */
};

/* The schedules for one size of the team. */
struct schedule_team {
  uint32_t threads;                      /* 0: as recorded */
  struct schedule_candidate *candidates; /* the first is static */
  uint32_t count;
  uint32_t best; /* the simplest schedule that is at most SCHEDULE_WORTH longer than the shortest */
  enum schedule_verdict verdict;
  /* Percent of the recorded time that `best` saves, and the interval: see docs/heddle-schedule.1.md. */
  double gain, gain_low, gain_high;
};

enum schedule_overhead { OVERHEAD_OF_LOOP, OVERHEAD_OF_TRACE, OVERHEAD_UNKNOWN };

enum schedule_obstacle {
  OBSTACLE_NONE,
  OBSTACLE_INCOMPLETE, /* no execution has the chunks of all threads */
  OBSTACLE_CHUNKLESS,  /* its chunks are not recorded */
  OBSTACLE_EMPTY,      /* its executions had no iterations, or none that took time */
  OBSTACLE_SCATTERED,  /* the times of its chunks are unknown, only the times of its threads are recorded */
  OBSTACLE_ORDERED,    /* its iterations wait for each other: such waits are not simulated */
  OBSTACLE_OFF         /* its threads lacked a processor for too long: nobody knows where they will lack it next time */
};

struct schedule_loop {
  uint32_t region;
  uint64_t calls, incomplete; /* executions; and executions that are not used */
  uint32_t sampled;           /* executions that were simulated */
  wide_total ticks;           /* from the first entry until the last thread ends, of used executions */
  struct fine_total ideal;    /* ... if all threads had ended together */
  wide_total iterations;
  uint64_t chunks;
  uint32_t threads; /* the largest team */
  struct plan recorded;
  enum plan_runtime runtime;
  double overhead; /* of handing out a chunk of dynamic or guided; ticks */
  enum schedule_overhead overhead_from;
  double error;       /* percent: simulation of the recorded schedule compared with the measured time; NAN: unknown */
  double off_percent; /* of its threads' time in it: without a processor */
  enum schedule_obstacle obstacle;
  uint64_t suggested;          /* chunk size of a dynamic schedule that would show more */
  struct schedule_team *teams; /* the recorded size first; none if there is an obstacle */
  uint32_t team_count;
};

#endif
