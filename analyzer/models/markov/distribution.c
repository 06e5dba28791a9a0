#include "analyzer/models/markov/distribution.h"

#include "base/hash.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void markov_distribution_begin(struct markov_distribution *distribution)
{
  memset(distribution, 0, sizeof *distribution);
  distribution->exact = true;
}

void markov_distribution_free(struct markov_distribution *distribution)
{
  free(distribution->slots);
  markov_distribution_begin(distribution);
}

/*
 * Number of low bits in which the values of a bucket differ: none up to 2^(bits + 1), then one more with each doubling.
 */
static unsigned bucket_shift(uint64_t value)
{
  unsigned length = value ? 64 - (unsigned)__builtin_clzll(value) : 0;
  return length > MARKOV_BUCKET_BITS + 1 ? length - MARKOV_BUCKET_BITS - 1 : 0;
}

uint64_t markov_bucket_high(uint64_t low)
{
  return low | ((UINT64_C(1) << bucket_shift(low)) - 1);
}

uint64_t markov_bucket_low(uint64_t value)
{
  return value >> bucket_shift(value) << bucket_shift(value);
}

/*
 * A hash table of its own, not base/hash.h: there is one a state, and most hold a few values. 8 slots of 16 bytes are a
 * twelfth of the smallest table of base/.
 */
static struct markov_slot *slot_of(const struct markov_distribution *distribution, uint64_t low)
{
  uint32_t mask = distribution->capacity - 1;
  uint32_t at = (uint32_t)(hash_upper(low) >> 32) & mask;
  while (distribution->slots[at].count > 0 && distribution->slots[at].low != low)
    at = (at + 1) & mask;
  return &distribution->slots[at];
}

static void distribution_put(struct markov_distribution *distribution, uint64_t low, uint64_t count)
{
  struct markov_slot *slot = slot_of(distribution, low);
  distribution->used += slot->count == 0;
  slot->low = low;
  slot->count += count;
}

/* Moves the cells to a table of that size; as buckets if they are to be inexact from now on. */
static bool rebuild(struct markov_distribution *distribution, uint32_t capacity, bool exact)
{
  struct markov_slot *slots = calloc(capacity, sizeof *slots);
  if (!slots)
    return false;
  struct markov_distribution old = *distribution;
  distribution->slots = slots;
  distribution->capacity = capacity;
  distribution->used = 0;
  distribution->exact = exact;
  for (uint32_t i = 0; i < old.capacity; i++) {
    if (old.slots[i].count > 0)
      distribution_put(distribution, exact ? old.slots[i].low : markov_bucket_low(old.slots[i].low),
                       old.slots[i].count);
  }
  free(old.slots);
  return true;
}

bool markov_distribution_put(struct markov_distribution *distribution, uint64_t low, uint64_t count)
{
  if (2 * distribution->used >= distribution->capacity &&
      !rebuild(distribution, distribution->capacity ? 2 * distribution->capacity : 8, distribution->exact))
    return false;
  distribution_put(distribution, distribution->exact ? low : markov_bucket_low(low), count);
  return !distribution->exact || distribution->used <= MARKOV_EXACT_VALUES ||
         rebuild(distribution, distribution->capacity, false);
}

/* Mean and squares of two samples together. */
static void combine(struct markov_distribution *distribution, uint64_t count, double mean, double squares)
{
  double n = (double)distribution->count, more = (double)count, delta = mean - distribution->mean;
  distribution->mean += delta * more / (n + more);
  distribution->squares += squares + delta * delta * n * more / (n + more);
}

static void extend(struct markov_distribution *distribution, uint64_t min, uint64_t max)
{
  if (distribution->count == 0 || min < distribution->min)
    distribution->min = min;
  if (distribution->count == 0 || max > distribution->max)
    distribution->max = max;
}

bool markov_distribution_add(struct markov_distribution *distribution, uint64_t ticks, uint64_t times)
{
  if (!markov_distribution_put(distribution, ticks, times))
    return false;
  combine(distribution, times, (double)ticks, 0);
  extend(distribution, ticks, ticks);
  distribution->count += times;
  distribution->total += ticks * times;
  return true;
}

bool markov_distribution_merge(struct markov_distribution *distribution, const struct markov_distribution *other)
{
  if (other->count == 0)
    return true;
  if (distribution->exact && !other->exact &&
      !rebuild(distribution, distribution->capacity ? distribution->capacity : 8, false))
    return false;
  for (uint32_t i = 0; i < other->capacity; i++) {
    if (other->slots[i].count > 0 && !markov_distribution_put(distribution, other->slots[i].low, other->slots[i].count))
      return false;
  }
  combine(distribution, other->count, other->mean, other->squares);
  extend(distribution, other->min, other->max);
  distribution->count += other->count;
  distribution->total += other->total;
  return true;
}

double markov_distribution_mean(const struct markov_distribution *distribution)
{
  return distribution->count ? (double)distribution->total / (double)distribution->count : 0;
}

double markov_distribution_deviation(const struct markov_distribution *distribution, bool sample)
{
  uint64_t least = sample ? 2 : 1;
  if (distribution->count < least)
    return NAN;
  return sqrt(distribution->squares / (double)(distribution->count - (sample ? 1 : 0)));
}

static int distribution_compare_cells(const void *left, const void *right)
{
  const struct markov_cell *a = left, *b = right;
  return (a->low > b->low) - (a->low < b->low);
}

/* The outermost buckets end where the values end. */
static void trim(const struct markov_distribution *distribution, struct markov_cell *cells, size_t count)
{
  if (cells[0].low < distribution->min && distribution->min <= cells[0].high)
    cells[0].low = distribution->min;
  struct markov_cell *last = &cells[count - 1];
  if (last->high > distribution->max && distribution->max >= last->low)
    last->high = distribution->max;
}

struct markov_cell *markov_distribution_cells(const struct markov_distribution *distribution, size_t *count)
{
  *count = 0;
  if (distribution->used == 0)
    return NULL;
  struct markov_cell *cells = malloc(distribution->used * sizeof *cells);
  if (!cells)
    return NULL;
  for (uint32_t i = 0; i < distribution->capacity; i++) {
    const struct markov_slot *slot = &distribution->slots[i];
    uint64_t high = distribution->exact ? slot->low : markov_bucket_high(slot->low);
    if (slot->count > 0)
      cells[(*count)++] = (struct markov_cell){slot->low, high, slot->count};
  }
  qsort(cells, *count, sizeof *cells, distribution_compare_cells);
  trim(distribution, cells, *count);
  return cells;
}
