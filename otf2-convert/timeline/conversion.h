/* Conversion of all timelines: their common tables, a worker's resources, and their counts. */
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

/* Resources that a worker lends to the timeline that it converts. */
struct worker {
  uint64_t buffer[RAW_ITER_WORDS];
  struct region_cache regions;
  OTF2_AttributeList *attributes;
};

/* Counts of records and of changes to events. */
struct timeline_counts {
  uint64_t records;
  uint64_t stalls, stalled; /* number of times that the tool stopped the thread; their ticks, without the first */
  uint64_t chunks_derived;
  uint64_t sinks_not_measured; /* waits in ordered depend(sink) with a known end only */
  uint64_t sinks_at_most;      /* upper bound of their ticks */
  uint64_t chunks_summed;      /* omitted chunks that share an event with others */
  uint64_t omitted_by_weight;  /* omitted instances, which the weights of others represent */
  uint64_t calls_omitted;      /* approximate calls of the tool without a record: for omitted instances and chunks */
  uint64_t instances_omitted;  /* omitted instances of constructs, where the thread was number 0 of the team */
  uint64_t ends_corrected;
  uint64_t ends_forced;
  uint64_t ends_unmatched;
  uint64_t user_not_left;  /* the program's regions that were open at the end of the enclosing construct */
  uint64_t readings;       /* of time without a processor */
  uint64_t counters;       /* readings of counters */
  uint64_t user_unmatched; /* leaves of regions that were not open */
};

#endif
