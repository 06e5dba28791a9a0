/*
 * Conversion of a run, slice by slice, with the locations of a slice in parallel. A scan notes what threads must know
 * about each other, and in a pause one thread combines the notes. A slice is converted one slice after its scan.
 */
#ifndef HEDDLE_OTF2_CONVERT_CONVERT_H
#define HEDDLE_OTF2_CONVERT_CONVERT_H

#include "otf2-convert/samples/samples.h"
#include "otf2-convert/scan/location.h"
#include "otf2-convert/scan/switches.h"
#include "otf2-convert/timeline/calls.h"
#include "otf2-convert/timeline/timeline.h"

#define SWITCHES_UNKNOWN UINT64_MAX

struct convert_settings {
  unsigned jobs;                                    /* threads */
  uint64_t slice_bytes;                             /* of raw records */
  int trace_fd;                                     /* of the directory with the kernel's logs; -1: none */
  void (*progress)(uint64_t bytes, uint64_t total); /* called from time to time; NULL: never */
};

/* Result of the conversion, for the definitions. */
struct converted {
  struct location *locations;
  uint32_t location_count;
  uint32_t process_count;
  struct task_table *tasks; /* by process */
  atomic_uint task_pages;   /* of all of them */
  struct teams teams;
  struct locks locks;
  struct gc_pauses *pauses; /* by process */
  struct jvm_log *jvm_logs; /* likewise */
  struct timeline_counts counts;
  uint64_t first_time, last_time; /* the run's, archive time */
  uint64_t switches;              /* of threads that left their processor; SWITCHES_UNKNOWN: they were not recorded */
  uint64_t switches_cost;         /* ns that recording them took */
  uint64_t switches_lost;         /* events for which the kernel had no room */
  struct processor_lines processors;
  struct samples samples;
  struct calls calls;
};

/* Writes the events of all locations. Returns 0 or an errno value. Call converted_free() in any case. */
int convert_events(struct converted *converted, struct plan *plan, struct archive *archive,
                   struct definitions *definitions, const struct convert_settings *settings);
void converted_free(struct converted *converted);

#endif
