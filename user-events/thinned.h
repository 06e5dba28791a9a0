/*
 * The budget of the program's own regions and events: which of them are left out. The functions are for the calling
 * thread and its budget.
 *
 * Most calls of a storm are left out, so they are decided inline, by a hint of the thread's: which row the name at an
 * address had last. A hint is one word, and is never right by itself: the row must be that of the name's number, and
 * the bytes at the address must be that name. So a caller may reuse the memory of its names, and a handler that
 * interrupts this may change hints.
 */
#ifndef HEDDLE_USER_EVENTS_THINNED_H
#define HEDDLE_USER_EVENTS_THINNED_H

#include "common/budget/budget.h"
#include "common/budget/mix.h"
#include "common/raw/raw_record.h"
#include "user-events/names.h"

static inline size_t thinned_place(const char *name, unsigned kind)
{
  return mix_upper((uintptr_t)name + kind) >> (64 - BUDGET_HINT_BITS);
}

/* The row of a name and a kind, if a hint knows it; NULL: it does not. */
static inline __attribute__((always_inline)) struct budget_row *thinned_hinted(struct budget *self, const char *name,
                                                                               size_t length, unsigned kind)
{
  uint32_t hint = atomic_load_explicit(&self->hints[thinned_place(name, kind)], memory_order_relaxed),
           number = hint & NAMES_MAX;
  struct budget_row *row = &self->rows[hint >> 16];
  return row->key == budget_key(number, BUDGET_USER, kind) && names_is(number, name, length) ? row : NULL;
}

/* Leaves out an event, or the begin of a region, if this is quickly decided. */
static inline __attribute__((always_inline)) bool thinned_quickly(const char *name, size_t length, unsigned kind)
{
  struct budget *self = budget_self;
  if (!self || (kind == RAW_USER_ENTER && self->depth >= BUDGET_REGIONS))
    return false;
  struct budget_row *row = thinned_hinted(self, name, length, kind);
  if (!row || row->until <= 1)
    return false;
  row->until--;
  if (kind == RAW_USER_ENTER)
    self->regions[self->depth++] = (struct budget_region){name, (uint32_t)row->place, true};
  return true;
}

/* Leaves the innermost region, if it is the name's and was left out. */
static inline __attribute__((always_inline)) bool thinned_leave_quickly(const char *name, size_t length)
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

/* What a region that the thread enters stands for; 0: it is left out. name: where the name's bytes are, or NULL. */
uint32_t thinned_enter(const char *name, uint32_t number);
/* The same of an event. */
uint32_t thinned_event(const char *name, uint32_t number);
/*
 * The thread leaves a region, and those inside it: the region whose end is recorded, which is another one if this one
 * was left out; 0: none.
 */
uint32_t thinned_leave(uint32_t number);

#endif
