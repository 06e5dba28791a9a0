/*
 * The recorders' memory: slots, one a thread. It is reserved once a process, and wiped in any child, also of _Fork and
 * of a raw clone, in which no handler runs. Any thread may call all but slots_reserve and slots_leave; no allocation.
 */
#ifndef HEDDLE_COMMON_SLOTS_H
#define HEDDLE_COMMON_SLOTS_H

#include "common/recorder.h"

/* Reserves them, unless this was done; they are this process' from here on. False: there is no memory. */
bool slots_reserve(void);

/* Whether this is the process that has them, and not a child of it. */
bool slots_are_ours(void);

/* In a child: wipes what the kernel has not wiped. They are nobody's until slots_reserve. */
void slots_leave(void);

/* The first free slot, which is the caller's until it stores 0 in `taken`; NULL: there is none. */
struct recorder *slots_take(void);

/* Slots with a number below this were taken at some time. */
unsigned slots_used(void);
struct recorder *slots_at(unsigned number);

#endif
