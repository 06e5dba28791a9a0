/*
 * Numbers for the program's names, and the budget of regions and events, which is by name.
 *
 * A name is in the process file (raw_trace.h) before its number is in a record. Names are compared by their bytes, so
 * the caller may reuse the memory. names_find takes no lock and allocates nothing. Memory is bounded: further names
 * share one number.
 */
#ifndef HEDDLE_USER_EVENTS_NAMES_H
#define HEDDLE_USER_EVENTS_NAMES_H

#include "common/budget/budget.h"
#include "common/budget/mix.h"
#include "common/raw/raw_record.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define NAMES_MAX      65535u                /* the last one stands for all further ones */
#define NAME_BYTES_MAX 1024u                 /* of one name; longer ones are cut */
#define NAMES_BYTES    (4u << 20)            /* of all names */
#define NAMES_TABLE    (2 * (NAMES_MAX + 1)) /* a power of two, at most half full */

struct name {
  uint32_t offset, length;  /* in the bytes of all */
  _Atomic uint32_t session; /* number of the session that it is described in; 0: in none */
};

struct names {
  _Atomic uint64_t table[NAMES_TABLE]; /* hash << 32 | number; 0 free */
  struct name names[NAMES_MAX + 1];    /* by number */
  char bytes[NAMES_BYTES];
};

/* All names; NULL: there are none yet. */
extern _Atomic(struct names *) names_known __attribute__((visibility("hidden")));

static inline uint64_t names_word(const char *at)
{
  uint64_t word;
  memcpy(&word, at, sizeof word);
  return word;
}

/* Returns up to 8 bytes as a number: texts of the same length have the same number if they are equal. */
static inline __attribute__((always_inline)) uint64_t names_few(const char *at, size_t length)
{
  uint32_t first, last;
  if (length == 8)
    return names_word(at);
  if (length < 4)
    return length == 0 ? 0
                       : (uint64_t)(unsigned char)at[0] << 16 | (uint64_t)(unsigned char)at[length / 2] << 8 |
                             (unsigned char)at[length - 1];
  memcpy(&first, at, sizeof first);
  memcpy(&last, at + length - sizeof last, sizeof last);
  return (uint64_t)first << 32 | last;
}

/* True if two texts of the same length are equal. Inline, because most names are a few words long. */
static inline __attribute__((always_inline)) bool names_equal(const char *a, const char *b, size_t length)
{
  if (length <= 8)
    return names_few(a, length) == names_few(b, length);
  for (size_t at = 0; at < length - 8; at += 8)
    if (names_word(a + at) != names_word(b + at))
      return false;
  return names_word(a + length - 8) == names_word(b + length - 8);
}

/* Returns the number of a name in the process file; 0: unknown, call names_add. Any thread. */
uint32_t names_find(const char *text, size_t length);
/* True if a number from names_find or names_add belongs to this name. May be false for a name that was cut. */
static inline __attribute__((always_inline)) bool names_is(uint32_t number, const char *text, size_t length)
{
  const struct names *all = atomic_load_explicit(&names_known, memory_order_relaxed);
  const struct name *name = &all->names[number];
  return name->length == length && names_equal(all->bytes + name->offset, text, length);
}

/*
 * Returns the number of any name, and writes the name to the process file. 0: not possible, or a signal handler
 * interrupted the calling thread in this function. The session is open. Any thread; errno is kept.
 */
uint32_t names_add(const char *text, size_t length);

/* Returns how many bytes of a text are used: at most NAME_BYTES_MAX, cut between two characters. */
size_t names_cut(const char *text, size_t length);

/*
 * Budget of the program's own regions and events. The following functions are for the calling thread and its budget.
 *
 * If there are very many calls, most are omitted. Therefore this is decided inline, by the thread's hints. A hint is
 * one word: the budget's row that the name at an address had last. It is verified: the row must belong to the name's
 * number, and the bytes at the address must be the name. So a caller may reuse the memory of its names, and a signal
 * handler may change hints.
 */

static inline size_t names_hint_place(const char *name, unsigned kind)
{
  return mix_upper((uintptr_t)name + kind) >> (64 - BUDGET_HINT_BITS);
}

/* Returns the row of a name and a kind by a hint; NULL: no hint has it. */
static inline __attribute__((always_inline)) struct budget_row *names_hinted_row(struct budget *self, const char *name,
                                                                                 size_t length, unsigned kind)
{
  uint32_t hint = atomic_load_explicit(&self->hints[names_hint_place(name, kind)], memory_order_relaxed),
           number = hint & NAMES_MAX;
  struct budget_row *row = &self->rows[hint >> 16];
  return row->key == budget_key(number, BUDGET_USER, kind) && names_is(number, name, length) ? row : NULL;
}

/* Omits an event, or the begin of a region. False: the quick way does not decide it. */
static inline __attribute__((always_inline)) bool names_omit_quickly(const char *name, size_t length, unsigned kind)
{
  struct budget *self = budget_self;
  if (!self || (kind == RAW_USER_ENTER && self->depth >= BUDGET_REGIONS))
    return false;
  struct budget_row *row = names_hinted_row(self, name, length, kind);
  if (!row || row->until <= 1)
    return false;
  row->until--;
  if (kind == RAW_USER_ENTER)
    self->regions[self->depth++] = (struct budget_region){name, (uint32_t)row->place, true};
  return true;
}

/* Leaves the innermost region. False: it has another name, or is not omitted. */
static inline __attribute__((always_inline)) bool names_leave_omitted(const char *name, size_t length)
{
  struct budget *self = budget_self;
  if (!self || self->depth == 0 || self->depth > BUDGET_REGIONS)
    return false;
  const struct budget_region *region = &self->regions[self->depth - 1];
  if (!region->omitted || region->name != name || !names_is(region->number, name, length))
    return false;
  self->depth--;
  return true;
}

/* Returns how many regions the region that the thread enters stands for; 0: it is omitted. name: its bytes, or NULL. */
uint32_t names_weigh_region(const char *name, uint32_t number);
/* The same for an event. */
uint32_t names_weigh_event(const char *name, uint32_t number);
/*
 * Leaves a region and those inside it. Returns the region whose end is recorded, which is another one if this one was
 * omitted; 0: none.
 */
uint32_t names_leave_region(uint32_t number);

#endif
