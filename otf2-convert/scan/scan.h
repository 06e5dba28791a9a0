/*
 * Scan of a run, slice by slice: a cheap pass over each thread's records, one slice ahead of their conversion. It notes
 * what other threads need to know: regions, team members, arrivals at barriers, tasks, locks, created threads.
 */
#ifndef HEDDLE_OTF2_CONVERT_SCAN_SCAN_H
#define HEDDLE_OTF2_CONVERT_SCAN_SCAN_H

#include "base/time_heap.h"
#include "otf2-convert/scan/location.h"

/*
 * Slices of the run with about the same number of raw bytes, by the times in the headers of chunks. So the passes over
 * a slice need bounded memory.
 */

struct slicer_source {
  uint64_t bytes;         /* of the location's next chunk */
  struct raw_place place; /* behind it */
};

struct slicer {
  struct location *locations;
  struct slicer_source *sources; /* by location */
  struct time_heap heap;         /* of the locations' next chunks */
  uint64_t last;
  uint64_t done; /* bytes of all slices so far */
};

/* False: out of memory. Call slicer_end() in any case. */
bool slicer_begin(struct slicer *slicer, struct location *locations, uint32_t count);
/* Returns the end of the next slice (archive time, exclusive); UINT64_MAX: it is the last one. */
uint64_t slicer_next(struct slicer *slicer, uint64_t bytes);
void slicer_end(struct slicer *slicer);

/*
 * Scans the location's records before `until` (archive time). buffer: RAW_ITER_WORDS words. Returns 0 or an errno
 * value. One thread at a time per location.
 */
int scan_slice(struct location *location, uint64_t until, uint64_t *buffer);

/*
 * Creation of threads: joins the reports of creators with the reports of the threads themselves. One thread changes it,
 * in the pause between two passes; any may read in between.
 */

struct threads {
  struct hash created; /* process << 32 | number of the thread -> time of its creation */
  struct hash numbers; /* process << 32 | kernel's id -> number of the last thread with it */
  bool *joined;        /* by location: its number is in `numbers` */
};

/* Takes the notes of a slice. Sets facts.created and facts.first_time of threads that began. False: out of memory. */
bool threads_merge(struct threads *threads, struct location *locations, uint32_t count);
/* Returns the number of a thread of a process by the kernel's id; 0: unknown. */
uint64_t threads_number(const struct threads *threads, uint32_t process, uint64_t tid);
void threads_free(struct threads *threads);

#endif
