/*
 * Where a record says where code is, the module that has the code is in the process file before (modules.h), also where
 * nobody tells us of dlclose: each address is looked at. For the program itself that costs a comparison, for what came
 * with it a few more, for a library that was opened later a look at what lies there (some ten ns), and a listing where
 * that is not what was listed.
 *
 * Any thread, anywhere a record is made; takes no lock of the loader.
 */
#ifndef HEDDLE_COMMON_PROCESS_CODES_H
#define HEDDLE_COMMON_PROCESS_CODES_H

#include "common/recorder/preloaded.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define CODES_SIZE_BITS 28 /* of a range of pages: its first one << CODES_SIZE_BITS | how many */
#define CODES_PAGE_BITS 12

/* Code that needs no look: the program's. */
extern _Atomic uint64_t codes_known;

/* Exchanged return addresses become the real ones. */
uint64_t codes_look(uintptr_t code);
extern const struct returns *_Atomic codes_returns;

static inline bool codes_within(uint64_t range, uintptr_t code)
{
  return (code >> CODES_PAGE_BITS) - (range >> CODES_SIZE_BITS) < (range & ((1u << CODES_SIZE_BITS) - 1));
}

static inline bool codes_need_no_lookup(uintptr_t code)
{
  return codes_within(atomic_load_explicit(&codes_known, memory_order_relaxed), code);
}

/* The address as a record may have it; 0: what is there could not be listed. */
static inline uint64_t codes_of(uintptr_t code)
{
  return codes_need_no_lookup(code) ? code : codes_look(code);
}

/* For modules.c, where one thread at a time lists. */

/*
 * Whether the module at an address is in the file; lists what came and went where what lies there (a number for it) is
 * new. loaded: it is the loader's. True as well before the begin, and where there is no module.
 */
typedef bool codes_listed(uintptr_t code, bool loaded, uint64_t seen);

/* From here on code is looked at; until then it is taken as it is. False: there is no way to (glibc before 2.35). */
bool codes_begin(codes_listed *listed);
/* A module that stays for ever. */
void codes_add_known(uintptr_t start, uintptr_t end);
/* What was seen has to be seen again: listings changed. */
void codes_forget(void);
/* What lies there need not be looked up again until then. */
void codes_add_seen(uint64_t seen);

#endif
