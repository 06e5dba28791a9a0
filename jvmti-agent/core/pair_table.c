#include "jvmti-agent/core/pair_table.h"

#include "common/budget/mix.h"

#include <stddef.h>
#include <sys/mman.h>

bool pair_table_open(struct pair_table *table, uint32_t size)
{
  void *memory = mmap(NULL, size * sizeof(struct pair_table_entry), PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED)
    return false;
  *table = (struct pair_table){.entries = memory, .size = size};
  return true;
}

static uint32_t begin_of(const struct pair_table *table, uint64_t first, uint64_t second)
{
  uint64_t hash = (first ^ mix_upper(second)) * 0xd6e8feb86659fd93ull;
  return (uint32_t)(hash >> 32) & (table->size - 1);
}

/* The entry of a pair, or the free one where it belongs: there always is one. */
static struct pair_table_entry *entry_of(const struct pair_table *table, uint64_t first, uint64_t second,
                                         uint32_t *number)
{
  for (uint32_t at = begin_of(table, first, second);; at = (at + 1) & (table->size - 1)) {
    struct pair_table_entry *entry = &table->entries[at];
    *number = atomic_load_explicit(&entry->number, memory_order_acquire);
    if (!*number || (entry->first == first && entry->second == second))
      return entry;
  }
}

uint32_t pair_table_find(const struct pair_table *table, uint64_t first, uint64_t second)
{
  uint32_t number;
  entry_of(table, first, second, &number);
  return number;
}

bool pair_table_add(struct pair_table *table, uint64_t first, uint64_t second, uint32_t number)
{
  uint32_t has;
  struct pair_table_entry *entry = entry_of(table, first, second, &has);
  if (has)
    return true;
  if (table->used >= table->size / 4 * 3)
    return false;
  table->used++;
  entry->first = first;
  entry->second = second;
  atomic_store_explicit(&entry->number, number, memory_order_release);
  return true;
}
