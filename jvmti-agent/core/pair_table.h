/*
 * Table from pairs of words to numbers, which only grows. Any thread may look up at any time, without a lock. Callers
 * of pair_table_add exclude each other by a lock of their own.
 */
#ifndef HEDDLE_JVMTI_AGENT_CORE_PAIR_TABLE_H
#define HEDDLE_JVMTI_AGENT_CORE_PAIR_TABLE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct pair_table_entry {
  uint64_t first, second;
  _Atomic uint32_t number; /* 0: the entry is free; set last */
};

struct pair_table {
  struct pair_table_entry *entries; /* `size` of them, a power of two; memory is allocated on first use */
  uint32_t size, used;
};

/* Makes a table that holds up to three quarters of `size` pairs. False: out of memory. */
bool pair_table_open(struct pair_table *table, uint32_t size);
/* Returns the number of a pair; 0: none. */
uint32_t pair_table_find(const struct pair_table *table, uint64_t first, uint64_t second);
/* Adds a pair that is not in the table, with a number other than 0. False: the table is full. */
bool pair_table_add(struct pair_table *table, uint64_t first, uint64_t second, uint32_t number);

#endif
