#include "analyzer/report/bins.h"

/* The bin that a tick of the run is in: the last one that does not begin after it. */
static unsigned bin_of(const struct bins *bins, uint64_t tick)
{
  unsigned bin = (unsigned)((unsigned __int128)tick * BINS_COUNT / bins->duration);
  while (bin + 1 < BINS_COUNT && bins_begin(bins, bin + 1) <= tick)
    bin++;
  return bin;
}

void bins_add(struct bins *bins, enum state state, uint64_t begin, uint64_t end)
{
  if (end > bins->duration) /* of what is no thread, a life may be longer than the part that is looked at */
    end = bins->duration;
  if (begin >= end)
    return;
  for (unsigned bin = bin_of(bins, begin); begin < end; bin++) {
    uint64_t limit = bins_begin(bins, bin + 1);
    uint64_t until = limit < end ? limit : end;
    bins->ticks[state][bin] += until - begin;
    begin = until;
  }
}

void bins_merge(struct bins *bins, const struct bins *other)
{
  for (unsigned state = 0; state < STATES; state++)
    for (unsigned bin = 0; bin < BINS_COUNT; bin++)
      bins->ticks[state][bin] += other->ticks[state][bin];
}
