/*
 * A table from pairs of words to numbers that only grows. Any thread may look up at any time, without waiting. The
 * caller of pair_table_add holds a lock against other callers.
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
  struct pair_table_entry *entries; /* size of them, a power of two; memory appears as it is used */
  uint32_t size, used;
};

/* Reserves a table for three quarters of `size` entries. False: there is no memory. */
bool pair_table_open(struct pair_table *table, uint32_t size);
/* The number of a pair; 0: it has none. */
uint32_t pair_table_find(const struct pair_table *table, uint64_t first, uint64_t second);
/* Gives a pair that has none a number, which is not 0. False: the table is full. */
bool pair_table_add(struct pair_table *table, uint64_t first, uint64_t second, uint32_t number);

#endif
