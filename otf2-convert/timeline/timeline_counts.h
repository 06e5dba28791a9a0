/* Counts of a timeline (timeline.h): records, and changes to events. */
#ifndef HEDDLE_OTF2_CONVERT_TIMELINE_TIMELINE_COUNTS_H
#define HEDDLE_OTF2_CONVERT_TIMELINE_TIMELINE_COUNTS_H

#include <stdint.h>

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
