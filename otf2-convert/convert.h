/*
 * The conversion as a whole: a slice of the run after the other, the locations of a slice in parallel; first a scan for
 * what threads must know of each other, one slice later the conversion proper, and between the two a pause in which one
 * thread puts together what the scan found.
 */
#ifndef HEDDLE_OTF2_CONVERT_CONVERT_H
#define HEDDLE_OTF2_CONVERT_CONVERT_H

#include "otf2-convert/location.h"
#include "otf2-convert/timeline.h"

struct convert_settings {
  unsigned jobs;                                    /* threads */
  uint64_t slice_bytes;                             /* of raw records */
  void (*progress)(uint64_t bytes, uint64_t total); /* called now and then; NULL: nobody wants to know */
};

/* What came of it: all that is needed to write the definitions. */
struct converted {
  struct location *locations;
  uint32_t location_count;
  uint32_t process_count;
  struct task_table *tasks; /* by process */
  atomic_uint task_pages;   /* of all of them */
  struct teams teams;
  struct gc_pauses *pauses; /* by process */
  struct timeline_counts counts;
  uint64_t first_time, last_time; /* of the run, archive time */
};

/* Writes the events of all locations. Returns 0 or an errno value, and then says nothing. converted_free in any case.
 */
int convert_events(struct converted *converted, struct plan *plan, struct archive *archive,
                   struct definitions *definitions, const struct convert_settings *settings);
void converted_free(struct converted *converted);

#endif
