/*
 * Sums of the time of each thread and construct in each state: exact sums in ticks, of threads only (not of
 * accelerators and metrics).
 */
#ifndef HEDDLE_ANALYZER_ANALYSES_STATES_SUMS_H
#define HEDDLE_ANALYZER_ANALYSES_STATES_SUMS_H

#include "analyzer/analyses/omitted/estimates/estimate.h"
#include "analyzer/analyses/waits/callers/callers.h"
#include "analyzer/trace/pass/pass.h"
#include "analyzer/trace/stream.h"
#include "base/hash.h"
#include "base/vector.h"

/* What a thread's executions of a construct add that are not recorded. */

struct states_estimated {
  uint32_t region, location;
  struct estimate ticks; /* exclusive, as in struct states_construct, in all states */
};

/* One location's waits by the methods that called them, where the trace has callers. */

struct by_callers_open {
  uint32_t region;
  const char *callers;
  uint64_t since;
};

struct by_callers {
  VECTOR(struct by_callers_open) open; /* waits that have callers, the innermost last */
};

/* Takes the next event; a wait counts when it ends. False: no memory. */
bool by_callers_take(struct by_callers *waits, const struct trace *trace, const struct trace_event *event,
                     struct callers *into);
void by_callers_free(struct by_callers *waits);

/*
 * The exclusive time of the recorded executions of constructs with omitted executions, on one thread, where archives
 * have weights. Memory grows with the thread's constructs and its nesting depth.
 */

struct estimated_lane {
  VECTOR(struct estimated_open {
    uint32_t region;
    bool part;       /* it counts for the construct around it */
    uint64_t weight; /* executions that it stands for */
    uint64_t own;    /* exclusive ticks so far, without those in state UNMEASURED */
  })
  open;
  uint64_t since; /* measured ticks up to the last Enter or Leave */
  VECTOR(struct estimated_place {
    uint32_t region;
    uint64_t after; /* executions after the last recorded one */
    struct sampling sampling;
    struct estimate more;
  })
  places;
  struct hash index; /* region -> place */
};

struct estimated_list {
  VECTOR(struct states_estimated) items;
};

/* Takes an Enter or Leave; `measured`: ticks up to it that were measured; `part`: the region that is entered is a part
 * of a construct. False: no memory. */
bool estimated_take(struct estimated_lane *lane, const struct trace *trace, const struct trace_event *event,
                    uint64_t measured, bool part);

/* Adds what is known at the thread's end to a list. False: no memory. */
bool estimated_end(struct estimated_lane *lane, uint32_t location, struct estimated_list *list);

void estimated_free(struct estimated_lane *lane);

/* Sums of the analyzed part of the trace (trace/restriction.h). */
struct states_thread {
  bool alive;               /* it lived in the analyzed time, perhaps for 0 ticks */
  wide_total ticks[STATES]; /* add up to last - first */
  wide_total off[STATES];   /* ticks of these without a processor, as far as the archive reports them; READY and OFF:
                             * none */
  wide_total run_queue;     /* ticks of these in which it could have run; of readings alone (states/machine.h) */
  uint64_t first, last;     /* its life; both 0: it did not live */
  uint64_t events;
  uint64_t unmatched; /* ends without a begin, or begins without an end; ignored */
};

struct states_construct {
  uint64_t calls; /* on all threads, by weight, where they were seen; parts (chunks, waiting parts, ...) do not count */
  wide_total ticks[STATES];  /* exclusive: without nested constructs, but with its parts; as recorded */
  wide_total off, run_queue; /* of readings: ticks of these without a processor, and in which it could have run */
};

struct states_sums {
  struct states_thread *threads;       /* one a location of the trace */
  struct states_construct *constructs; /* one a region; the last, at [regions], is time outside any region */
  uint32_t locations, regions;         /* of the trace */
  struct states_estimated *estimated;  /* by region, then by location */
  size_t estimated_count;
  struct callers
      callers; /* waits by construct (`region`), in group 0; from begin to end, with what is nested in them */
};

/* Adds up in a pass of either kind; its result is a struct states_sums. Merges the results of any locations. */
extern const struct analysis states_sums_analysis;

/* For sums of other origin: of profiles. */
void states_sums_free(struct states_sums *sums);

/* Extends the time from *first to *last to the lives of all threads. */
void states_sums_lived(const struct states_sums *sums, uint64_t *first, uint64_t *last);

/* What executions that are not recorded add to the ticks of a construct, on all threads. */
struct estimate states_sums_more(const struct states_sums *sums, uint32_t region);

#endif
