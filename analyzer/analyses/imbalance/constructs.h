/*
 * Sums of each construct over its instances, and the figures that follow from them. Other folders include imbalance.h,
 * which includes this.
 */
#ifndef HEDDLE_ANALYZER_ANALYSES_IMBALANCE_CONSTRUCTS_H
#define HEDDLE_ANALYZER_ANALYSES_IMBALANCE_CONSTRUCTS_H

#include "analyzer/analyses/omitted/estimates/estimate.h"
#include "analyzer/trace/definitions.h"
#include "base/statistics.h"
#include "base/vector.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * Spread of the executions of one construct over time: their elapsed time and imbalance, also in each tenth of the run.
 * Also the worst execution and its begin. Recorded instances whose balance is known.
 */

#define COURSE_PARTS 10 /* parts of the run, equally long; the last one may be shorter by less than so many ticks */

/* One execution; ticks. */
struct course_call {
  uint64_t begin, elapsed, imbalance, busy_max;
  double scaled; /* its part of imbalance_scaled (constructs.h) */
};

struct imbalance_course {
  struct lengths elapsed, imbalance;
  struct course_call worst; /* instance with the largest imbalance; if several are equal, the longest, then the first */
  struct course_part {
    uint64_t calls; /* that began in it */
    wide_total busy_max;
    struct fine_total scaled;
  } parts[COURSE_PARTS];
};

/* The tenth of the time from `from` to `to` in which a tick lies. */
unsigned course_part(uint64_t tick, uint64_t from, uint64_t to);

/* Adds an execution that began in a part. *course is made if it is NULL. False: out of memory. */
bool course_add(struct imbalance_course **course, const struct course_call *call, unsigned part);
bool course_merge(struct imbalance_course **into, const struct imbalance_course *from); /* from may be NULL */
void course_free(struct imbalance_course *course);                                      /* NULL: does nothing */

/* The imbalance percentage of sums of imbalance_scaled and busy_max (constructs.h); 0 if nothing was busy. */
static inline double course_percent(struct fine_total scaled, wide_total busy_max)
{
  return busy_max ? 100 * fine_total_ticks(scaled) / (double)busy_max : 0;
}

/* One thread in one construct, summed over instances; ticks. */
struct imbalance_thread {
  uint64_t calls;
  uint64_t busy;
  uint64_t wait;       /* at the construct's barrier */
  uint64_t waited_for; /* by the others at that barrier, when this thread arrived last */
  uint64_t last;       /* how often it arrived last */
  uint64_t chunks, iterations;
  struct fine_total lost_as_forker; /* all of `parts` of the instances in teams that it forked */
};

/*
 * By how much an instance could be shorter, by cause; ticks. The parts never add up to more than elapsed - mean busy:
 * each takes at most what the parts before it leave.
 */
struct imbalance_parts {
  struct fine_total uneven;   /* members do not work equally long: `lost` */
  struct fine_total late;     /* parallel regions: from the fork until the last member began */
  struct fine_total overhead; /* state OVERHEAD, mean of the members */
  struct fine_total locked;   /* parallel regions: waits for locks and in ordered, of the member that waited longest */
  struct fine_total
      starved; /* parallel regions: waits at barriers and for tasks without another cause, mean of the members */
};

/* The sums of struct imbalance_construct that are estimated where instances are not recorded. */
enum imbalance_figure {
  IMBALANCE_ELAPSED,
  IMBALANCE_BUSY,
  IMBALANCE_CAPACITY,
  IMBALANCE_BUSY_MAX,
  IMBALANCE_BUSY_MIN,
  IMBALANCE_BUSY_MEAN,
  IMBALANCE_TICKS, /* `imbalance` */
  IMBALANCE_SCALED,
  IMBALANCE_LOST,
  IMBALANCE_TO_WIN,
  IMBALANCE_LOST_CAPACITY,
  IMBALANCE_OVERHEAD,
  IMBALANCE_LATE,
  IMBALANCE_WAIT,
  IMBALANCE_CHUNKS,
  IMBALANCE_ITERATIONS,
  IMBALANCE_UNEVEN, /* this and the next four: `parts` */
  IMBALANCE_PART_LATE,
  IMBALANCE_PART_OVERHEAD,
  IMBALANCE_PART_LOCKED,
  IMBALANCE_STARVED,
  IMBALANCE_LOCKED,
  IMBALANCE_FIGURES
};

/* One construct, summed over instances, recorded or not; ticks. */
struct imbalance_construct {
  uint64_t calls;
  uint64_t omitted;      /* of these: instances that are not recorded; the sums include what `more` says of them */
  struct estimate *more; /* one an enum imbalance_figure; NULL: the sums are exact */
  uint64_t partial;      /* recorded instances with others in them that are not recorded: busy times are too small */
  uint64_t incomplete;   /* instances that were measured in part: see imbalance.h */
  uint32_t threads;      /* largest team */
  uint32_t parallel;     /* the region around the instance that ended first (TRACE_NONE: unknown) */
  uint64_t first_end;    /* ... and when that instance ended */
  wide_total elapsed;    /* first enter to last end, barrier included */
  wide_total busy;       /* of all threads */
  wide_total capacity;   /* n * elapsed */
  wide_total busy_max, busy_min;
  struct fine_total busy_mean;
  struct fine_total imbalance;        /* max - mean */
  struct fine_total imbalance_scaled; /* (max - mean) * n / (n - 1); over busy_max: the imbalance percentage */
  /* The part of `imbalance` that costs time. If a work-sharing construct has a barrier, threads may spend the
   * difference with other work (tasks), which costs nothing. `lost` is then at most the mean wait at the barrier. */
  struct fine_total lost;
  /* The possible gain if the work were spread evenly, scheduling cost nothing, and all members of a team began at once.
   * In ticks of elapsed time: `lost` + overhead + late, for each instance at most elapsed - mean busy (the member that
   * begins last need not work longest). */
  struct fine_total to_win;
  struct fine_total lost_capacity; /* n * what could be won, summed over instances: thread time */
  struct fine_total overhead;      /* state OVERHEAD, mean of the threads, barrier included */
  wide_total late;                 /* parallel regions: from the fork until the last member began */
  wide_total wait;                 /* of all threads at its barrier */
  wide_total chunks, iterations;
  struct imbalance_parts parts;
  wide_total locked;                  /* parallel regions: waits of all threads for locks and in ordered */
  wide_total tasks, dependent;        /* tasks created in it by all threads; and its tasks with dependences */
  struct imbalance_thread *by_thread; /* one a location, of recorded instances; NULL: no thread executed it */
  struct imbalance_course *course;    /* only if asked for; NULL: no instance has a known balance */
};

/* What to find beside the sums. */
struct imbalance_options {
  bool waits;  /* who waited for whom */
  bool course; /* how the instances of each construct differ over time */
};

/* Thread `waiter` waited at the barrier of `region` for `last`. */
struct imbalance_wait {
  uint32_t region, waiter, last; /* last != waiter */
  uint64_t count, ticks;
};

struct imbalance {
  struct imbalance_construct *constructs; /* one a region; calls is 0 for regions that are no construct */
  uint32_t count;                         /* regions */
  uint32_t locations;                     /* of the trace */
  VECTOR(struct imbalance_wait) waits;    /* only if asked for; sorted by region, waiter and last */
  wide_total lifetimes;                   /* the measured time of all threads together, with `estimated` */
  wide_total estimated;    /* ticks of instances that are not recorded, and estimated: in state UNMEASURED */
  wide_total not_measured; /* ... and their other ticks in state UNMEASURED */
  uint64_t *alone;         /* a location: ticks in state RUN outside of any team, within the restriction */
  uint64_t excluded;       /* instances that the restriction includes in part */
};

/*
 * What could be won, as a percentage of all threads' lifetimes: so regions that run side by side are comparable. At
 * most 100: the lifetime of a member that is created late does not include its lateness.
 */
static inline double imbalance_to_win_percent(const struct imbalance *imbalance,
                                              const struct imbalance_construct *construct)
{
  double percent =
      imbalance->lifetimes ? 100 * fine_total_ticks(construct->lost_capacity) / (double)imbalance->lifetimes : 0;
  return percent < 100 ? percent : 100;
}

/* The half-width of a sum's interval (estimates/estimate.h); 0: it is exact. */
static inline double imbalance_half_width(const struct imbalance_construct *construct, enum imbalance_figure figure)
{
  return construct->more ? estimate_half_width(&construct->more[figure]) : 0;
}

/* Figures of one construct; 0 if the divisor is 0. */
static inline double imbalance_percent(const struct imbalance_construct *construct)
{
  return course_percent(construct->imbalance_scaled, construct->busy_max);
}

static inline double imbalance_load_balance(const struct imbalance_construct *construct)
{
  return construct->busy_max ? fine_total_ticks(construct->busy_mean) / (double)construct->busy_max : 0;
}

static inline double imbalance_efficiency(const struct imbalance_construct *construct)
{
  return construct->capacity ? (double)construct->busy / (double)construct->capacity : 0;
}

/* The mean size of its teams, weighted with their time. */
static inline double imbalance_team(const struct imbalance_construct *construct)
{
  return construct->elapsed ? (double)construct->capacity / (double)construct->elapsed : 0;
}

/*
 * The factor from the construct's sums of elapsed time to time of the run. Instances in teams of different forkers may
 * run side by side, so only the instances of the forker that loses most count. 1 if one thread forks all teams.
 */
double imbalance_side_by_side(const struct imbalance_construct *construct, uint32_t location_count);

/* The thread that forked the teams with the largest loss in the construct, or TRACE_NONE. */
uint32_t imbalance_forker(const struct imbalance_construct *construct, uint32_t location_count);

/* The thread for which the others waited longest, or TRACE_NONE. */
uint32_t imbalance_slowest(const struct imbalance_construct *construct, uint32_t location_count);

#endif
