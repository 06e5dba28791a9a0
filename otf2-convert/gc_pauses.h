/*
 * The pauses in which garbage collection stopped all threads of a JVM. One thread reports each; the scan notes
 * them a slice ahead of the conversion, which shows them on the other threads.
 * Threads: changes by one, in the pauses of the conversion; reading by any in between.
 */
#ifndef HEDDLE_OTF2_CONVERT_GC_PAUSES_H
#define HEDDLE_OTF2_CONVERT_GC_PAUSES_H

#include "base/vector.h"

#include <stdint.h>

struct gc_pause {
  uint64_t begin, end; /* archive time */
};
typedef VECTOR(struct gc_pause) gc_pause_list;

/* Those of a process that are known and not yet over for all of its threads. */
struct gc_pauses {
  gc_pause_list list; /* number n of the process is items[n - dropped] */
  uint64_t dropped;
};

/* Takes over what one location's scan of a slice found. False when memory is short. */
bool gc_pauses_add(struct gc_pauses *pauses, gc_pause_list *notes);
/* Puts those from number `first` on into the order of time: a slice's, when all locations have been asked. */
void gc_pauses_sort(struct gc_pauses *pauses, uint64_t first);
/* Lets go of those that ended up to `until`. */
void gc_pauses_drop(struct gc_pauses *pauses, uint64_t until);

static inline uint64_t gc_pauses_end(const struct gc_pauses *pauses)
{
  return pauses->dropped + pauses->list.count;
}

#endif
