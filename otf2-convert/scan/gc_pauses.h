/*
 * The pauses in which garbage collection, or another operation at a safepoint, stopped all threads of a JVM. One thread
 * reports each collection, and the JVM's log the others; the scan notes them a slice ahead of the conversion, which
 * shows them on the other threads.
 * Threads: changes by one, in the pauses of the conversion; reading by any in between.
 */
#ifndef HEDDLE_OTF2_CONVERT_SCAN_GC_PAUSES_H
#define HEDDLE_OTF2_CONVERT_SCAN_GC_PAUSES_H

#include "base/vector.h"

#include <stdint.h>

struct jvm_log;

#define GC_PAUSE_COLLECTION UINT32_MAX

struct gc_pause {
  uint64_t begin, end; /* archive time */
  uint32_t operation;  /* its name, a string's number; or GC_PAUSE_COLLECTION */
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
/* Adds the safepoints that ended up to `until`, after the collections of the slice: a safepoint in which there was one
 * is that one. name: gives a string's number. False when memory is short. */
bool gc_pauses_add_safepoints(struct gc_pauses *pauses, struct jvm_log *log, uint64_t until,
                              uint32_t (*name)(void *context, const char *text), void *context);
/* Lets go of those that ended up to `until`. */
void gc_pauses_drop(struct gc_pauses *pauses, uint64_t until);

static inline uint64_t gc_pauses_end(const struct gc_pauses *pauses)
{
  return pauses->dropped + pauses->list.count;
}

#endif
