/*
 * Check of code addresses before they are recorded: the process file must list the module of the code first
 * (modules.h). Nothing reports each dlclose, so each address is checked. The program itself costs one comparison,
 * libraries that came with it a few more. A library that was opened later costs a look at its first page (some ten ns).
 * If it is not the listed library, it costs a listing, too.
 *
 * Any thread, wherever a record is made; takes no lock of the loader.
 */
#ifndef HEDDLE_COMMON_PROCESS_CODES_H
#define HEDDLE_COMMON_PROCESS_CODES_H

#include "common/recorder/preloaded.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define CODES_SIZE_BITS 28 /* a range of pages is: first page << CODES_SIZE_BITS | number of pages */
#define CODES_PAGE_BITS 12

/* The range of the program, which is never unloaded. */
extern _Atomic uint64_t codes_program;

/* Looks an address up; exchanged return addresses become the real ones. Returns 0 if its module could not be listed. */
uint64_t codes_lookup(uintptr_t code);
extern const struct returns *_Atomic codes_returns;

static inline bool codes_within(uint64_t range, uintptr_t code)
{
  return (code >> CODES_PAGE_BITS) - (range >> CODES_SIZE_BITS) < (range & ((1u << CODES_SIZE_BITS) - 1));
}

static inline bool codes_need_no_lookup(uintptr_t code)
{
  return codes_within(atomic_load_explicit(&codes_program, memory_order_relaxed), code);
}

/* Returns the address for a record; 0: its module could not be listed. */
static inline uint64_t codes_of(uintptr_t code)
{
  return codes_need_no_lookup(code) ? code : codes_lookup(code);
}

/* The rest is for modules.c, where one thread at a time lists modules. */

/*
 * Returns true if the module at an address is in the file. Lists loads and unloads first if `seen`, a number for the
 * memory there, is new. loaded: the loader knows the module. Also true before the begin, and if there is no module.
 */
typedef bool codes_listed(uintptr_t code, bool loaded, uint64_t seen);

/* Begins the checks; before, any address is accepted. False: they are impossible (glibc before 2.35). */
bool codes_begin(codes_listed *listed);
/* Adds a module that is never unloaded. */
void codes_add_permanent(uintptr_t start, uintptr_t end);
/* Forgets all numbers: listings changed. */
void codes_forget(void);
/* Notes the number of a listed module: it need not be listed again until codes_forget(). */
void codes_add_seen(uint64_t seen);

#endif
