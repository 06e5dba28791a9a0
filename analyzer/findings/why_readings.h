/* The search in readings of a running process: they need sums alone. */
#ifndef HEDDLE_ANALYZER_FINDINGS_WHY_READINGS_H
#define HEDDLE_ANALYZER_FINDINGS_WHY_READINGS_H

#include "analyzer/findings/why/sums.h"
#include "analyzer/live/readings/live.h"
#include "base/vector.h"

/* A reading, and what the kernel says of its threads. */
struct why_moment {
  struct live_reading reading;
  struct live_task *tasks; /* one a location; NULL: there is no reading */
};

struct why_part {
  struct findings findings;
  struct why why;
};

struct why_readings {
  struct live *live;
  long pid;
  const char *orders; /* struct why_sums */
  struct why_moment first, now;
  VECTOR(struct why_part) parts; /* between two readings each */
  struct why_part whole;         /* from the first to the last reading, after why_readings_look() */
  VECTOR(uint64_t) own_queued;   /* by location: ns in the queue of a processor while the search itself worked */
  uint64_t own_ns;               /* processor time of the search up to `now` */
};

/* All return false after an error. why_readings_free() in any case; before live_close(). */
bool why_readings_begin(struct why_readings *readings, struct live *live, long pid, const char *orders,
                        struct error *error);
/* Reads: the end of a part. */
bool why_readings_part(struct why_readings *readings, struct error *error);
/* The same if the search itself has worked since the last reading. Threads that waited for a processor then would have
 * run for as long as the search did; the tree of all counts them as running. It is no part for intervals. */
bool why_readings_own_part(struct why_readings *readings, struct error *error);
/* The tree of all so far, with intervals of what the parts say. */
bool why_readings_look(struct why_readings *readings, double threshold, struct error *error);
void why_readings_free(struct why_readings *readings);

/* Sleeps; less than asked if the user has interrupted the search. */
void why_rest(uint64_t ns);
void why_catch_interrupts(void);
bool why_interrupted(void);

#endif
