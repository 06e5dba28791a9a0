/*
 * Private to imbalance/, but others see it through imbalance.h: what is known of each construct, summed over its
 * instances, and the figures that follow from the sums.
 */
#ifndef HEDDLE_ANALYZER_IMBALANCE_CONSTRUCTS_H
#define HEDDLE_ANALYZER_IMBALANCE_CONSTRUCTS_H

#include "analyzer/trace/definitions.h"
#include "base/totals.h"
#include "base/vector.h"

/* One thread in one construct, summed over instances; ticks. */
struct imbalance_thread {
  uint64_t calls;
  uint64_t busy;
  uint64_t wait;       /* at the construct's barrier */
  uint64_t waited_for; /* what the others waited there for this thread: it came last */
  uint64_t last;       /* how often it came last */
  uint64_t chunks, iterations;
  struct fine_total lost_as_forker; /* of the instances in teams that it forked, all of `parts` together */
};

/*
 * What an instance's elapsed time could be shorter, by cause; ticks. The parts never add up to more than what the mean
 * work leaves of the instance: elapsed - mean busy. Each takes what those before it leave.
 */
struct imbalance_parts {
  struct fine_total uneven;   /* members work differently long: `lost` */
  struct fine_total late;     /* parallel regions: from the fork until the last member began */
  struct fine_total overhead; /* mean a member in state OVERHEAD */
  struct fine_total locked;   /* parallel regions: of the member that waited longest for locks and in ordered */
  struct fine_total
      starved; /* parallel regions: mean wait at barriers and for tasks that none of the others explains */
};

/* One construct, summed over instances; ticks. */
struct imbalance_construct {
  uint64_t calls;
  uint64_t incomplete; /* instances of which not all was measured: see below */
  uint32_t threads;    /* largest team */
  uint32_t parallel;   /* the region the first one to end was in (TRACE_NONE: none known) */
  uint64_t first_end;  /* ... and when that was */
  wide_total elapsed;  /* first enter to last end, barrier included */
  wide_total busy;     /* of all threads */
  wide_total capacity; /* n * elapsed */
  wide_total busy_max, busy_min;
  struct fine_total busy_mean;
  struct fine_total imbalance;        /* max - mean */
  struct fine_total imbalance_scaled; /* (max - mean) * n / (n - 1); over busy_max: the imbalance percentage */
  /* The part of `imbalance` that costs time. Where a work-sharing construct has a barrier, imbalance that threads spend
   * with other work (tasks) costs nothing: then it is no more than the mean wait at the barrier. */
  struct fine_total lost;
  /* What could be won if the construct's work were spread evenly and handed out for nothing, and all members of a team
   * began at once: ticks of elapsed time, `lost` + overhead + late, but never more than the mean work leaves of each
   * instance (who begins last need not work longest). */
  struct fine_total to_win;
  struct fine_total lost_capacity; /* n * what could be won, of each instance: thread time */
  struct fine_total overhead;      /* mean a thread in state OVERHEAD, barrier included */
  wide_total late;                 /* parallel regions: from the fork until the last member was there */
  wide_total wait;                 /* of all threads at its barrier */
  wide_total chunks, iterations;
  struct imbalance_parts parts;
  wide_total locked;           /* parallel regions: of all threads for locks and in ordered */
  wide_total tasks, dependent; /* that were made in it, by all threads; and those of them that have dependences */
  struct imbalance_thread *by_thread; /* one a location; NULL: nobody executed it */
};

/* Thread `waiter` waited at the barrier of `region` for `last`. */
struct imbalance_wait {
  uint32_t region, waiter, last; /* last != waiter */
  uint64_t count, ticks;
};

struct imbalance {
  struct imbalance_construct *constructs; /* one a region; calls is 0 where it is none of ours */
  uint32_t count;                         /* regions */
  uint32_t locations;                     /* of the trace */
  VECTOR(struct imbalance_wait) waits;    /* only when asked for; by region, waiter and last */
  wide_total lifetimes;                   /* of all threads together, as far as they were measured */
  wide_total unmeasured;                  /* the rest of them: ticks in state UNMEASURED */
  uint64_t *alone;   /* a location: ticks in state RUN outside of any team, as far as they are looked at */
  uint64_t left_out; /* instances of which only a part is looked at */
};

void imbalance_free(struct imbalance *imbalance);

/*
 * What could be won as a percentage of all threads' lifetimes: so also regions that run side by side compare. Members
 * that are made late have no lifetime before, so it could be more than all.
 */
static inline double imbalance_to_win_percent(const struct imbalance *imbalance,
                                              const struct imbalance_construct *construct)
{
  double percent =
      imbalance->lifetimes ? 100 * fine_total_ticks(construct->lost_capacity) / (double)imbalance->lifetimes : 0;
  return percent < 100 ? percent : 100;
}

/* The figures of one construct, from its sums; 0 where there is nothing to divide by. */
static inline double imbalance_percent(const struct imbalance_construct *construct)
{
  return construct->busy_max ? 100 * fine_total_ticks(construct->imbalance_scaled) / (double)construct->busy_max : 0;
}

static inline double imbalance_load_balance(const struct imbalance_construct *construct)
{
  return construct->busy_max ? fine_total_ticks(construct->busy_mean) / (double)construct->busy_max : 0;
}

static inline double imbalance_efficiency(const struct imbalance_construct *construct)
{
  return construct->capacity ? (double)construct->busy / (double)construct->capacity : 0;
}

/* The mean size of the team, weighted with its time. */
static inline double imbalance_team(const struct imbalance_construct *construct)
{
  return construct->elapsed ? (double)construct->capacity / (double)construct->elapsed : 0;
}

/*
 * What of the construct's sums of elapsed time is time of the run: instances in teams of different forkers may run side
 * by side, so those of the forker that loses most count. 1 where one thread forks all.
 */
double imbalance_side_by_side(const struct imbalance_construct *construct, uint32_t location_count);

/* The thread that forked the teams which lost most in the construct, or TRACE_NONE. */
uint32_t imbalance_forker(const struct imbalance_construct *construct, uint32_t location_count);

/* The thread that the others waited for longest, or TRACE_NONE. */
uint32_t imbalance_slowest(const struct imbalance_construct *construct, uint32_t location_count);

#endif
