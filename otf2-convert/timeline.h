/*
 * One thread's records become a balanced and monotonic stream of OTF2 events: constructs nest in a stack of open
 * frames, ends that the runtime delivered late get their true time, ends that never came are made up for and marked.
 * The rules are those of docs/otf2.md.
 *
 * A timeline is worked on by one thread at a time, a slice at a time.
 */
#ifndef HEDDLE_OTF2_CONVERT_TIMELINE_H
#define HEDDLE_OTF2_CONVERT_TIMELINE_H

#include "otf2-convert/archive.h"
#include "otf2-convert/definitions.h"
#include "otf2-convert/gc_pauses.h"
#include "otf2-convert/location.h"
#include "otf2-convert/teams.h"

/* What all timelines look things up in, and what the worker that converts lends them meanwhile. */
struct conversion {
  struct archive *archive;
  struct definitions *definitions;
  const struct teams *teams;
  const struct gc_pauses *pauses; /* by process */
};

struct worker {
  uint64_t buffer[RAW_ITER_WORDS];
  struct region_cache regions;
  OTF2_AttributeList *attributes;
};

/* What happened to events on their way into the archive. */
struct timeline_counts {
  uint64_t records;
  uint64_t stalls, stalled; /* what the tool itself kept the thread for, and how long, but for its begin */
  uint64_t chunks_derived;
  uint64_t sinks_untimed;     /* waits in ordered depend(sink) of which only the end is known */
  uint64_t sinks_at_most;     /* ticks that these can have taken */
  uint64_t chunks_summed;     /* that share an event with others, because of HEDDLE_MAX_RATE */
  uint64_t instances_skipped; /* likewise; those at which the thread was number 0 of the team */
  uint64_t ends_corrected;
  uint64_t ends_forced;
  uint64_t ends_unmatched;
  uint64_t user_not_left;  /* regions of the user's that were still open when what is around them ended */
  uint64_t user_unmatched; /* ... that were left and not open */
};

struct timeline;

/* NULL when memory is short. The location's event writer is opened with the first record. */
struct timeline *timeline_new(const struct conversion *conversion, struct location *location);
void timeline_free(struct timeline *timeline);

/*
 * Converts the location's records before `until` (archive time). slice: number of the slice, which picks the
 * acquisitions. Returns 0 or an errno value: memory or a read failed. Failed writes are the archive's.
 */
int timeline_slice(struct timeline *timeline, struct worker *worker, uint64_t until, uint32_t slice);

/* Closes what is open, after the last slice. last: the last time seen of the process. Returns 0 or an errno value. */
int timeline_finish(struct timeline *timeline, struct worker *worker, uint64_t last);

/* Events written; valid until the archive is finished. */
uint64_t timeline_events(const struct timeline *timeline);
struct timeline_counts timeline_counts(const struct timeline *timeline);

#endif
