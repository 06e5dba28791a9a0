#include "analyzer/trace/reading_cost.h"

#include <stdatomic.h>

static struct {
  _Atomic uint64_t events, written, read;
} total;

struct reading_cost reading_cost_so_far(void)
{
  return (struct reading_cost){total.events, total.written, total.read};
}

void reading_cost_add_events(uint64_t events)
{
  atomic_fetch_add_explicit(&total.events, events, memory_order_relaxed);
}

void reading_cost_add_written(uint64_t bytes)
{
  atomic_fetch_add_explicit(&total.written, bytes, memory_order_relaxed);
}

void reading_cost_add_read(uint64_t bytes)
{
  atomic_fetch_add_explicit(&total.read, bytes, memory_order_relaxed);
}
