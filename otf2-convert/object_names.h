/*
 * Names for people of what POSIX threads wait for: `forks[2] @philosophers.c:18`, `queue_lock`. A name has the
 * variable, as far as the debug information or the symbol table has it; where the object was initialized and which one
 * of them; or else where a thread waited for it first. Changed in the pause between two passes, by one thread; read by
 * any in between.
 */
#ifndef HEDDLE_OTF2_CONVERT_OBJECT_NAMES_H
#define HEDDLE_OTF2_CONVERT_OBJECT_NAMES_H

#include "otf2-convert/definitions.h"
#include "otf2-convert/locks.h"

struct object_names {
  VECTOR(uint32_t) refs; /* of strings, by number of the lock; STRING_EMPTY: it has no name */
  size_t done;           /* objects that have names */
  struct hash given;     /* process and name, hashed -> the last number; and these with a number -> nothing */
};

/* Names the objects that have come. False when memory is short. */
bool object_names_add(struct object_names *names, struct definitions *definitions, const struct locks *locks);
void object_names_free(struct object_names *names);

/* The string with the name of a lock; STRING_EMPTY: it has none. */
static inline uint32_t object_name(const struct object_names *names, uint32_t lock)
{
  return lock < names->refs.count ? names->refs.items[lock] : STRING_EMPTY;
}

#endif
