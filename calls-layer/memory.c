#include "calls-layer/memory.h"

#include "common/recorder/clock.h"

#include <sys/mman.h>

bool memory_add_segment(struct calls_thread *thread, uint32_t number, size_t size)
{
  struct raw_calls_segment *segment = thread_recorder->map(size);
  if (!segment)
    return false;
  segment->version = RAW_CALLS_VERSION;
  segment->size = (uint32_t)size;
  segment->thread = number;
  segment->first = thread->nodes;
  segment->before = (uintptr_t)thread->segment;
  thread->segment = segment;
  if (!thread->head) {
    thread->head = segment;
    segment->begun = clock_ticks();
    segment->most = thread_depth == UINT32_MAX ? 0 : thread_depth;
  }
  __atomic_store_n(&segment->magic, RAW_CALLS_MAGIC, __ATOMIC_RELEASE);
  return true;
}

static void drop_table(struct raw_calls_node **table, unsigned bits)
{
  if (table)
    munmap(table, sizeof *table << bits);
}

bool memory_set_table(struct calls_thread *thread, unsigned bits)
{
  size_t size = sizeof *thread->table << bits;
  void *map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
  if (map == MAP_FAILED)
    return false;
  madvise(map, size, MADV_DONTFORK);
  drop_table(thread->table, thread->table_bits);
  thread->table = map;
  thread->table_bits = bits;
  return true;
}

void memory_let_go(struct calls_thread *thread)
{
  for (struct raw_calls_segment *segment = thread->segment, *before; segment; segment = before) {
    before = (struct raw_calls_segment *)segment->before;
    munmap(segment, segment->size);
  }
  drop_table(thread->table, thread->table_bits);
}
