/*
 * How long each thread, and each construct, was in each state: exact sums in ticks, of threads only (not of
 * accelerators and metrics).
 */
#ifndef HEDDLE_ANALYZER_ANALYSES_STATES_SUMS_H
#define HEDDLE_ANALYZER_ANALYSES_STATES_SUMS_H

#include "analyzer/analyses/states/states_thinned.h"
#include "analyzer/analyses/waits/callers/callers.h"
#include "analyzer/trace/pass/pass.h"

/* Of the analyzed part of the trace (trace/restriction.h). */
struct states_thread {
  bool alive;               /* it lived in the analyzed time, perhaps for 0 ticks */
  wide_total ticks[STATES]; /* add up to last - first */
  wide_total off[STATES];   /* ticks of these without a processor, as far as the archive tells; of READY and OFF none */
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
  struct states_thinned *thinned;      /* by region, then by location */
  size_t thinned_count;
  struct callers
      callers; /* waits by construct (`region`), in group 0; from begin to end, with what is nested in them */
};

/* Adds up in a pass of either kind; its result is a struct states_sums. Merges those of any locations. */
extern const struct analysis states_sums_analysis;

/* For sums of other origin: of profiles. */
void states_sums_free(struct states_sums *sums);

/* Extends the time from *first to *last to the lives of all threads. */
void states_sums_lived(const struct states_sums *sums, uint64_t *first, uint64_t *last);

/* What executions that are not recorded add to the ticks of a construct, on all threads. */
struct estimate states_sums_more(const struct states_sums *sums, uint32_t region);

#endif
