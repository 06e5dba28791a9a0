#include "user-events/thinned.h"

/* NULL: everything is recorded. */
static struct budget_row *row_of(const char *name, uint32_t number, unsigned kind, unsigned records)
{
  if (!budget_is_on() || number == 0)
    return NULL;
  struct budget_row *row = budget_row(number, BUDGET_USER, kind, records);
  if (row && name)
    atomic_store_explicit(&budget_self->hints[thinned_place(name, kind)],
                          (uint32_t)(row - budget_self->rows) << 16 | number, memory_order_relaxed);
  return row;
}

uint32_t thinned_enter(const char *name, uint32_t number)
{
  struct budget_row *row = row_of(name, number, RAW_USER_ENTER, 2);
  if (!row)
    return 1;
  uint32_t weight = budget_take(row);
  struct budget *self = budget_self;
  if (self->depth >= BUDGET_REGIONS) {
    self->depth++;
    return weight > 0 ? weight : budget_force(row);
  }
  self->regions[self->depth++] = (struct budget_region){name, number, weight == 0};
  return weight;
}

uint32_t thinned_event(const char *name, uint32_t number)
{
  struct budget_row *row = row_of(name, number, RAW_USER_EVENT, 1);
  return row ? budget_take(row) : 1;
}

/* The outermost one of the regions from a depth on that is recorded; 0: none. Leaving it leaves those inside it. */
static uint32_t recorded_from(const struct budget *self, uint32_t depth)
{
  for (; depth < self->depth; depth++)
    if (!self->regions[depth].omitted)
      return self->regions[depth].number;
  return 0;
}

uint32_t thinned_leave(uint32_t number)
{
  struct budget *self = budget_self;
  if (!self || self->depth == 0)
    return number;
  if (self->depth > BUDGET_REGIONS) {
    self->depth--;
    return number;
  }
  uint32_t depth = self->depth;
  while (depth-- > 0)
    if (self->regions[depth].number == number) {
      number = recorded_from(self, depth);
      self->depth = depth;
      return number;
    }
  return number;
}
