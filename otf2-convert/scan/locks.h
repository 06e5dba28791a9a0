/*
 * Locks, critical sections and ordered constructs: from the runtime's wait ids to dense numbers (a wait id that is
 * initialized again is a new lock), and the order in which a lock was acquired over all threads of the run. What POSIX
 * threads wait for (mutexes, conditions, ..., "objects") has numbers of the same row: one a life of an address.
 *
 * The scan notes the events of each thread. lock_table_merge merges a slice of all threads' notes in the order of time,
 * and gives each thread the numbers of its acquisitions, in the order of its records. One thread at a time.
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
  /* Of objects. */
  OBJECT_BEGUN = 4, /* its life; has no result */
  OBJECT_GONE = 5,  /* likewise */
  OBJECT_USED = 6,
  OBJECT_ACQUIRED = 7
};

struct lock_note {
  uint64_t time;
  uint64_t what; /* enum lock_event << 56 | enum raw_pthread << 48 | wait id, address of an object */
  uint64_t code; /* where it was initialized; of an object also used; 0 unknown */
  uint64_t nth;  /* OBJECT_BEGUN: so many objects this code had initialized with it; 0 unknown */
};
typedef VECTOR(struct lock_note) lock_notes;

struct acquisition {
  uint32_t lock;
  uint32_t order;
};
typedef VECTOR(struct acquisition) acquisitions;

/* What is known of a lock that is an object. */
struct lock_object {
  uint32_t process, number; /* number: of the lock */
  uint32_t order;           /* acquisitions so far */
  uint8_t kind;             /* enum raw_pthread; a rwlock's is RAW_PTHREAD_WRITE; 0 unknown */
  bool begun;               /* its begin is recorded */
  uint64_t address;
  uint64_t code, nth; /* where it was initialized, as in struct lock_note; 0 unknown */
  uint64_t user;      /* the code that waited for it first; 0: none */
};

/* Where a lock comes from: enough for a name that a person can use (describe_objects.c). */
struct lock_origin {
  uint32_t process;
  uint64_t wait_id; /* as a rule its address */
  uint64_t code;    /* of the call that initialized it; 0: not known */
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

/* The number of the lock that a process has at a wait id now, whether or not a thread holds it; LOCK_NONE: no thread
 * has acquired or initialized one. */
#define LOCK_NONE UINT32_MAX
uint32_t lock_table_number(const struct locks *locks, uint32_t process, uint64_t wait_id);
/* False when memory is short. */
bool lock_table_merge(struct locks *locks, const struct lock_source *sources, uint32_t source_count);
void lock_table_free(struct locks *locks);

#endif
