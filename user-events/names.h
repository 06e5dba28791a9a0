/*
 * Numbers for the program's names. A name is in the process file (raw_trace.h) before its number is in a
 * record, and is looked up by its bytes: the caller may reuse its memory.
 *
 * names_find takes no lock and allocates nothing. Memory is bounded: further names share one number.
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

#define NAMES_MAX      65535u                /* the last one is that of all further ones */
#define NAME_BYTES_MAX 1024u                 /* of one name; the rest is cut off */
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

/* NULL: there are no names yet. */
extern _Atomic(struct names *) names_known __attribute__((visibility("hidden")));

static inline uint64_t names_word(const char *at)
{
  uint64_t word;
  memcpy(&word, at, sizeof word);
  return word;
}

/* Up to 8 bytes as a number, which differs where texts of the same length do. */
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

/* Whether two texts of a length are the same. Inline: most names are a few words. */
static inline __attribute__((always_inline)) bool names_equal(const char *a, const char *b, size_t length)
{
  if (length <= 8)
    return names_few(a, length) == names_few(b, length);
  for (size_t at = 0; at < length - 8; at += 8)
    if (names_word(a + at) != names_word(b + at))
      return false;
  return names_word(a + length - 8) == names_word(b + length - 8);
}

/* The number of a name that this process has described; 0: names_add must be asked. Any thread. */
uint32_t names_find(const char *text, size_t length);
/* Whether a number that names_find or names_add gave is that name's. May say false of one that was cut off. */
static inline __attribute__((always_inline)) bool names_is(uint32_t number, const char *text, size_t length)
{
  const struct names *all = atomic_load_explicit(&names_known, memory_order_relaxed);
  const struct name *name = &all->names[number];
  return name->length == length && names_equal(all->bytes + name->offset, text, length);
}

/*
 * The same for any name, which is described now. 0: it can't be, or a signal handler interrupted
 * the calling thread in this function. The session is open. Any thread; errno is kept.
 */
uint32_t names_add(const char *text, size_t length);

/* How much of a text counts: at most NAME_BYTES_MAX bytes, cut between two characters. */
size_t names_cut(const char *text, size_t length);

/*
 * The budget of the program's own regions and events: which of them are left out. The functions are for the calling
 * thread and its budget.
 *
 * Most calls of a storm are left out, so they are decided inline, by a hint of the thread's: which row the name at an
 * address had last. A hint is one word, and is never right by itself: the row must be that of the name's number, and
 * the bytes at the address must be that name. So a caller may reuse the memory of its names, and a handler that
 * interrupts this may change hints.
 */

static inline size_t names_hint_place(const char *name, unsigned kind)
{
  return mix_upper((uintptr_t)name + kind) >> (64 - BUDGET_HINT_BITS);
}

/* The row of a name and a kind, if a hint knows it; NULL: it does not. */
static inline __attribute__((always_inline)) struct budget_row *names_hinted_row(struct budget *self, const char *name,
                                                                                 size_t length, unsigned kind)
{
  uint32_t hint = atomic_load_explicit(&self->hints[names_hint_place(name, kind)], memory_order_relaxed),
           number = hint & NAMES_MAX;
  struct budget_row *row = &self->rows[hint >> 16];
  return row->key == budget_key(number, BUDGET_USER, kind) && names_is(number, name, length) ? row : NULL;
}

/* Leaves out an event, or the begin of a region, if this is quickly decided. */
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

/* Leaves the innermost region, if it is the name's and was left out. */
static inline __attribute__((always_inline)) bool names_leave_omitted(const char *name, size_t length)
{
  struct budget *self = budget_self;
  if (!self || self->depth == 0 || self->depth > BUDGET_REGIONS)
    return false;
  const struct budget_region *region = &self->regions[self->depth - 1];
  if (!region->left_out || region->name != name || !names_is(region->number, name, length))
    return false;
  self->depth--;
  return true;
}

/* What a region that the thread enters stands for; 0: it is left out. name: where the name's bytes are, or NULL. */
uint32_t names_weigh_region(const char *name, uint32_t number);
/* The same of an event. */
uint32_t names_weigh_event(const char *name, uint32_t number);
/*
 * The thread leaves a region, and those inside it: the region whose end is recorded, which is another one if this one
 * was left out; 0: none.
 */
uint32_t names_leave_region(uint32_t number);

#endif
