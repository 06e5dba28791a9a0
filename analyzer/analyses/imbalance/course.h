/*
 * How the executions of one construct differ over time: the spread of their elapsed time and imbalance, the worst one
 * and when it began, and the imbalance in each tenth of the run. Recorded instances whose balance is known.
 */
#ifndef HEDDLE_ANALYZER_ANALYSES_IMBALANCE_COURSE_H
#define HEDDLE_ANALYZER_ANALYSES_IMBALANCE_COURSE_H

#include "base/statistics.h"

#include <stdbool.h>
#include <stdint.h>

#define COURSE_PARTS 10 /* of the run, equally long; the last one may be shorter by less than so many ticks */

/* One execution; ticks. */
struct course_call {
  uint64_t begin, elapsed, imbalance, busy_max;
  double scaled; /* its part of imbalance_scaled (constructs.h) */
};

struct imbalance_course {
  struct lengths elapsed, imbalance;
  struct course_call worst; /* of the largest imbalance; of equal ones the longest, then the first */
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

#endif
