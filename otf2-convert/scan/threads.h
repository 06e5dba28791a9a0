/*
 * Which thread of a process created which: joins the reports of creators with those of the threads themselves. Changed
 * in the pause between two passes, by one thread; read by any in between.
 */
#ifndef HEDDLE_OTF2_CONVERT_SCAN_THREADS_H
#define HEDDLE_OTF2_CONVERT_SCAN_THREADS_H

#include "otf2-convert/scan/location.h"

struct threads {
  struct hash created; /* process << 32 | number of the thread -> when it was created */
  struct hash numbers; /* process << 32 | kernel's id -> number of the thread that had it last */
  bool *joined;        /* by location: its number is in `numbers` */
};

/*
 * Takes the notes of a slice. Sets facts.created, and with it facts.first_time, of threads that began. False when
 * memory is short.
 */
bool threads_merge(struct threads *threads, struct location *locations, uint32_t count);
/* The number of a thread of a process, by the kernel's id; 0 unknown. */
uint64_t threads_number(const struct threads *threads, uint32_t process, uint64_t tid);
void threads_free(struct threads *threads);

#endif
