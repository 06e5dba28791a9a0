/*
 * What timelines share: what all of them look things up in, what the worker lends them, and what they count.
 */
#ifndef HEDDLE_OTF2_CONVERT_TIMELINE_CONVERSION_H
#define HEDDLE_OTF2_CONVERT_TIMELINE_CONVERSION_H

#include "otf2-convert/scan/jvm_pauses.h"
#include "otf2-convert/scan/locks.h"
#include "otf2-convert/scan/scan.h"
#include "otf2-convert/scan/teams.h"
#include "otf2-convert/timeline/archive.h"
#include "otf2-convert/timeline/definitions.h"

struct conversion {
  struct archive *archive;
  struct definitions *definitions;
  const struct teams *teams;
  const struct locks *locks;
  const struct gc_pauses *pauses; /* by process */
  const struct jvm_log *jvm_logs; /* likewise */
  const struct threads *threads;
};

/* What the worker that converts lends a timeline meanwhile. */
struct worker {
  uint64_t buffer[RAW_ITER_WORDS];
  struct region_cache regions;
  OTF2_AttributeList *attributes;
};

/* What happened to events on their way into the archive. */
struct timeline_counts {
  uint64_t records;
  uint64_t stalls, stalled; /* times at which the tool kept the thread, and their ticks without the first */
  uint64_t chunks_derived;
  uint64_t sinks_untimed;  /* waits in ordered depend(sink) with a known end only */
  uint64_t sinks_at_most;  /* upper bound of their ticks */
  uint64_t chunks_summed;  /* chunks that share an event with others, because they were left out */
  uint64_t left_out;       /* instances that have no record; others have their weight */
  uint64_t calls_left_out; /* calls of the tool, about, that recorded nothing: of these, of skipped ones, of chunks */
  uint64_t instances_skipped; /* of constructs, left out; instances at which the thread was number 0 of the team */
  uint64_t ends_corrected;
  uint64_t ends_forced;
  uint64_t ends_unmatched;
  uint64_t user_not_left;  /* the program's regions that were open when the construct around them ended */
  uint64_t readings;       /* of time without a processor */
  uint64_t counters;       /* readings of them */
  uint64_t user_unmatched; /* leaves of regions that were not open */
};

#endif
