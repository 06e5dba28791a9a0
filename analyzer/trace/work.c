#include "analyzer/trace/work.h"

#include <stdatomic.h>

static struct {
  _Atomic uint64_t events, written, read;
} total;

struct work work_so_far(void)
{
  return (struct work){total.events, total.written, total.read};
}

void work_add_events(uint64_t events)
{
  atomic_fetch_add_explicit(&total.events, events, memory_order_relaxed);
}

void work_add_written(uint64_t bytes)
{
  atomic_fetch_add_explicit(&total.written, bytes, memory_order_relaxed);
}

void work_add_read(uint64_t bytes)
{
  atomic_fetch_add_explicit(&total.read, bytes, memory_order_relaxed);
}
