#include "base/statistics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int compare_doubles(const void *left, const void *right)
{
  const double *a = left, *b = right;
  return (*a > *b) - (*a < *b);
}

void doubles_sort(double *values, size_t count)
{
  if (count > 1)
    qsort(values, count, sizeof *values, compare_doubles);
}

static unsigned log_of(uint64_t ticks)
{
  return 63 - (unsigned)__builtin_clzll(ticks);
}

static unsigned bucket_of(uint64_t ticks)
{
  if (ticks < LENGTHS_PARTS)
    return (unsigned)ticks;
  unsigned shift = log_of(ticks) - 5;
  return LENGTHS_PARTS * (shift + 1) + (unsigned)(ticks >> shift) - LENGTHS_PARTS;
}

/* Returns the longest duration of a bucket. */
static uint64_t bucket_end(unsigned bucket)
{
  if (bucket < LENGTHS_PARTS)
    return bucket;
  unsigned shift = bucket / LENGTHS_PARTS - 1;
  return ((uint64_t)(bucket % LENGTHS_PARTS + LENGTHS_PARTS) << shift) + ((1ull << shift) - 1);
}

bool lengths_add(struct lengths *lengths, uint64_t ticks)
{
  if (!lengths->buckets && !(lengths->buckets = calloc(LENGTHS_BUCKETS, sizeof *lengths->buckets)))
    return false;
  lengths->min = lengths->count == 0 || ticks < lengths->min ? ticks : lengths->min;
  lengths->max = ticks > lengths->max ? ticks : lengths->max;
  lengths->count++;
  lengths->total += ticks;
  lengths->squares += (wide_total)ticks * ticks;
  lengths->buckets[bucket_of(ticks)]++;
  return true;
}

bool lengths_merge(struct lengths *into, const struct lengths *from)
{
  if (from->count == 0)
    return true;
  if (!into->buckets && !(into->buckets = calloc(LENGTHS_BUCKETS, sizeof *into->buckets)))
    return false;
  into->min = into->count == 0 || from->min < into->min ? from->min : into->min;
  into->max = from->max > into->max ? from->max : into->max;
  into->count += from->count;
  into->total += from->total;
  into->squares += from->squares;
  for (unsigned bucket = 0; bucket < LENGTHS_BUCKETS; bucket++)
    into->buckets[bucket] += from->buckets[bucket];
  return true;
}

void lengths_free(struct lengths *lengths)
{
  free(lengths->buckets);
  *lengths = (struct lengths){0};
}

double lengths_mean(const struct lengths *lengths)
{
  return lengths->count ? (double)lengths->total / (double)lengths->count : 0;
}

/* Around the rounded mean: in whole numbers the sum of squares is exact, as a difference of doubles would not be. */
double lengths_deviation(const struct lengths *lengths)
{
  if (lengths->count == 0)
    return 0;
  wide_total middle = lengths->total / lengths->count;
  wide_total squares = lengths->squares - 2 * middle * lengths->total + middle * middle * lengths->count;
  double count = (double)lengths->count, off = (double)(lengths->total - middle * lengths->count) / count;
  double variance = (double)squares / count - off * off;
  return variance > 0 ? sqrt(variance) : 0;
}

uint64_t lengths_percentile(const struct lengths *lengths, double part)
{
  if (lengths->count == 0)
    return 0;
  uint64_t wanted = (uint64_t)ceil(part * (double)lengths->count), seen = 0;
  unsigned bucket = 0;
  while (bucket + 1 < LENGTHS_BUCKETS && (seen += lengths->buckets[bucket]) < wanted)
    bucket++;
  uint64_t end = bucket_end(bucket);
  return end > lengths->max ? lengths->max : end < lengths->min ? lengths->min : end;
}

void lengths_histogram(const struct lengths *lengths, uint64_t counts[65])
{
  memset(counts, 0, 65 * sizeof *counts);
  for (unsigned bucket = 0; lengths->buckets && bucket < LENGTHS_BUCKETS; bucket++) {
    uint64_t end = bucket_end(bucket);
    counts[end ? log_of(end) + 1 : 0] += lengths->buckets[bucket];
  }
}
