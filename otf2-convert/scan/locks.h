/*
 * Locks: numbers and orders of acquisition over all threads of the run. The runtime's wait ids of locks, critical
 * sections and ordered constructs become dense numbers; a wait id that is initialized again is a new lock. Objects that
 * POSIX threads wait for (mutexes, conditions, ...) share these numbers: one for each life of an address.
 *
 * The scan notes the events of each thread. lock_table_merge merges the notes of a slice in the order of time. It gives
 * each thread the numbers of its acquisitions, in the order of its records. One thread at a time.
 */
#ifndef HEDDLE_OTF2_CONVERT_SCAN_LOCKS_H
#define HEDDLE_OTF2_CONVERT_SCAN_LOCKS_H

#include "base/hash.h"
#include "base/vector.h"

#include <stdint.h>

enum lock_event {
  LOCK_INITIALIZED = 1,
  LOCK_DESTROYED = 2,
  LOCK_ACQUIRED = 3,
  /* Objects. */
  OBJECT_BEGUN = 4, /* begin of its life; has no result */
  OBJECT_GONE = 5,  /* likewise */
  OBJECT_USED = 6,
  OBJECT_ACQUIRED = 7
};

struct lock_note {
  uint64_t time;
  uint64_t what; /* enum lock_event << 56 | enum raw_pthread << 48 | wait id, address of an object */
  uint64_t code; /* that initialized it, or used an object; 0 unknown */
  uint64_t nth;  /* OBJECT_BEGUN: number of objects that this code has initialized so far; 0 unknown */
};
typedef VECTOR(struct lock_note) lock_notes;

struct acquisition {
  uint32_t lock;
  uint32_t order;
};
typedef VECTOR(struct acquisition) acquisitions;

/* Facts on a lock that is an object. */
struct lock_object {
  uint32_t process, number; /* number: of the lock */
  uint32_t order;           /* acquisitions so far */
  uint8_t kind;             /* enum raw_pthread; a rwlock's is RAW_PTHREAD_WRITE; 0 unknown */
  bool begun;               /* its begin is recorded */
  uint64_t address;
  uint64_t code, nth; /* its initialization's, as in struct lock_note; 0 unknown */
  uint64_t user;      /* code that first waited for it; 0: none */
};

/* Origin of a lock, for a name that people can use (describe_objects.c). */
struct lock_origin {
  uint32_t process;
  uint64_t wait_id; /* mostly its address */
  uint64_t code;    /* of the call that initialized it; 0: unknown */
};

struct locks {
  struct hash known; /* process << 48 | wait id -> lock << 32 | order */
  uint32_t count;
  struct hash alive;                  /* process << 48 | address -> index in `objects` */
  VECTOR(struct lock_object) objects; /* in the order of their numbers */
  VECTOR(struct lock_origin) origins; /* of the first LOCK_ORIGINS locks */
};
#define LOCK_ORIGINS 65536u

struct lock_source {
  uint32_t process;
  const lock_notes *notes;
  acquisitions *result; /* appended to */
};

/* Returns the number of the lock at a wait id of a process now, even if no thread holds it. LOCK_NONE: no thread has
 * acquired or initialized one. */
#define LOCK_NONE UINT32_MAX
uint32_t lock_table_number(const struct locks *locks, uint32_t process, uint64_t wait_id);
/* Merges the notes of a slice. False: out of memory. */
bool lock_table_merge(struct locks *locks, const struct lock_source *sources, uint32_t source_count);
void lock_table_free(struct locks *locks);

#endif
