/*
 * The processors of a run, as locations of their own: which of the recorded threads each of them ran, from the kernel's
 * context switches.
 *
 * One thread at a time, in the pauses of the conversion.
 */
#ifndef HEDDLE_OTF2_CONVERT_SCAN_PROCESSOR_LINES_H
#define HEDDLE_OTF2_CONVERT_SCAN_PROCESSOR_LINES_H

#include "base/hash.h"
#include "base/vector.h"
#include "otf2-convert/timeline/conversion.h"

struct processor_line {
  uint32_t log, processor; /* whose log it is in, and its number on that machine */
  uint32_t process;        /* of the first thread that it ran: it is on that process' machine */
  uint32_t thread;         /* location of the one that it runs; PROCESSOR_... */
  uint64_t since;
  struct sink sink;
};
#define PROCESSOR_FREE    UINT32_MAX       /* no recorded thread */
#define PROCESSOR_UNKNOWN (UINT32_MAX - 1) /* events were lost */

struct processor_lines {
  const struct conversion *on;
  struct region_cache regions;
  uint32_t first_location; /* number of the first line's in the archive */
  VECTOR(struct processor_line) items;
  struct hash by_number; /* log << 32 | processor: number in `items` */
};

void processor_lines_begin(struct processor_lines *lines, const struct conversion *on, uint32_t first_location);

/*
 * From `time` (archive time) on the processor runs the thread of a location, or PROCESSOR_FREE or PROCESSOR_UNKNOWN:
 * then the time since its last switch is unknown, too. Times of a processor grow. False: no memory.
 */
bool processor_lines_switch(struct processor_lines *lines, uint32_t log, uint32_t processor, uint32_t process,
                            uint32_t thread, uint64_t time);

/* The run ends then. Returns when its lines end, which may be later. */
uint64_t processor_lines_end(struct processor_lines *lines, uint64_t time);
void processor_lines_free(struct processor_lines *lines);

#endif
