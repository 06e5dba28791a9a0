#include "ompt-tool/rate.h"

#include "common/clock.h"
#include "common/reserved.h"

#include <stdatomic.h>
#include <stddef.h>

#define CONSTRUCTS 4096u  /* a power of two */
#define PROBES     64u    /* places that a construct may have in the table */
#define DECISIONS  65536u /* a power of two; see rate_agree */

/*
 * Instances are spaced: `due` is when the next one is due if they come evenly, and one that comes up to `ahead` ticks
 * earlier is taken as well. So in any second there are at most the bound, and no second needs to be counted.
 */
struct rate {
  atomic_uint_fast64_t key; /* code | kind << 48; 0: free */
  atomic_uint_fast64_t due; /* ticks */
};

struct tables {
  struct rate constructs[CONSTRUCTS];
  atomic_uint_fast64_t decisions[DECISIONS]; /* hash of team and instance | 1: it is recorded */
};

static struct {
  uint64_t spacing, ahead; /* ticks */
  struct tables *tables;
} rates;

static uint64_t mix(uint64_t x)
{
  x = (x ^ x >> 32) * 0x9e3779b97f4a7c15ull;
  return (x ^ x >> 29) * 0xbf58476d1ce4e5b9ull;
}

static uint64_t ticks_a_second(void)
{
  if (!clock_is_tsc)
    return 1000000000u;
  struct clock_anchor begin = clock_anchor_take(50);
  while (clock_monotonic_ns() - begin.monotonic_ns < 2000000)
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
  struct clock_anchor end = clock_anchor_take(50);
  return (uint64_t)((double)(end.ticks - begin.ticks) * 1e9 / (double)(end.monotonic_ns - begin.monotonic_ns));
}

bool rate_begin(uint64_t most)
{
  if (!rates.tables)
    rates.tables = reserved_make(sizeof *rates.tables);
  if (!rates.tables || !reserved_use(rates.tables, sizeof *rates.tables))
    return false;
  uint64_t at_once = most / 10 > 0 ? most / 10 : 1;
  uint64_t evenly = most / 10 > 0 ? most - at_once : most;
  rates.spacing = ticks_a_second() / evenly;
  rates.ahead = rates.spacing * (at_once - 1);
  return true;
}

struct rate *rate_of(uint64_t code, unsigned kind)
{
  uint64_t key = code | (uint64_t)(kind + 1) << 48;
  size_t at = mix(key);
  for (unsigned i = 0; i < PROBES; i++) {
    struct rate *rate = &rates.tables->constructs[(at + i) % CONSTRUCTS];
    uint_fast64_t there = atomic_load_explicit(&rate->key, memory_order_relaxed);
    if (there == key)
      return rate;
    if (there == 0 && (atomic_compare_exchange_strong(&rate->key, &there, key) || there == key))
      return rate;
  }
  return NULL;
}

bool rate_take(struct rate *rate, uint64_t now)
{
  uint_fast64_t due = atomic_load_explicit(&rate->due, memory_order_relaxed);
  do
    if (due > now + rates.ahead)
      return false;
  while (!atomic_compare_exchange_weak_explicit(&rate->due, &due, (due > now ? due : now) + rates.spacing,
                                                memory_order_relaxed, memory_order_relaxed));
  return true;
}

/*
 * The first thread of the team to come decides, and leaves the decision for the others. It stays there until some
 * 65,536 further work-sharing constructs have begun: a thread that is so far behind decides for itself.
 */
bool rate_agree(struct rate *rate, uint64_t team, uint32_t instance, uint64_t now)
{
  uint64_t hash = mix(mix(team) + instance) | 1;
  atomic_uint_fast64_t *place = &rates.tables->decisions[(mix(team) + instance) % DECISIONS];
  uint_fast64_t there = atomic_load_explicit(place, memory_order_relaxed);
  if ((there | 1) == hash)
    return there & 1;
  bool take = rate_take(rate, now);
  if (atomic_compare_exchange_strong(place, &there, take ? hash : hash - 1) || (there | 1) != hash)
    return take;
  if (take) /* another thread was quicker: what was taken is given back */
    atomic_fetch_sub_explicit(&rate->due, rates.spacing, memory_order_relaxed);
  return there & 1;
}
