#include "jvmti-agent/runtimes/submitted_tasks.h"

#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>

#define BUCKETS     (1u << 14)
#define TRIES       20000u
#define TRIES_ALONE 100u /* then others get the processor in between */
#define LOOKED_AT   8u   /* buckets, for tasks that may go, where there is no room for a new one */

/* Nodes are named by their place in the array plus 1; 0: none. */
struct node {
  struct submitted task;
  uint32_t hash;
  _Atomic uint32_t next;
};

/* A queue, oldest first. */
struct bucket {
  atomic_bool taken; /* a thread changes it */
  uint32_t first, last;
};

struct table {
  struct bucket buckets[BUCKETS];
  struct node nodes[SUBMITTED_MOST]; /* memory appears as they are used */
  _Atomic uint64_t free;             /* the first free node; above: a count, so that the word never comes again */
  _Atomic uint32_t used;             /* nodes that were used at all */
  _Atomic uint32_t looked_at;        /* buckets that were looked at for room */
};

static _Atomic(struct table *) submitted_shared;
static _Atomic uint64_t lost_tasks;
static _Atomic uint32_t unmade; /* tasks without an id in the table */

static struct table *table_of(void)
{
  struct table *table = atomic_load_explicit(&submitted_shared, memory_order_acquire), *none = NULL;
  if (table)
    return table;
  table = calloc(1, sizeof *table);
  if (table && !atomic_compare_exchange_strong(&submitted_shared, &none, table)) {
    free(table);
    table = none;
  }
  return table;
}

/* The JVM's hashes are random: no further mixing is needed. NULL: its holder has no processor. */
static struct bucket *take_bucket(struct table *table, uint32_t hash)
{
  struct bucket *bucket = &table->buckets[hash % BUCKETS];
  for (unsigned i = 0; i < TRIES; i++) {
    if (!atomic_load_explicit(&bucket->taken, memory_order_relaxed) &&
        !atomic_exchange_explicit(&bucket->taken, true, memory_order_acquire))
      return bucket;
    if (i >= TRIES_ALONE)
      sched_yield();
  }
  return NULL;
}

static void give_bucket(struct bucket *bucket)
{
  atomic_store_explicit(&bucket->taken, false, memory_order_release);
}

static uint32_t new_node(struct table *table)
{
  uint64_t head = atomic_load_explicit(&table->free, memory_order_acquire);
  while ((uint32_t)head != 0) {
    uint32_t next = atomic_load_explicit(&table->nodes[(uint32_t)head - 1].next, memory_order_relaxed);
    if (atomic_compare_exchange_weak_explicit(&table->free, &head, ((head >> 32) + 1) << 32 | next,
                                              memory_order_acquire, memory_order_acquire))
      return (uint32_t)head;
  }
  if (atomic_load_explicit(&table->used, memory_order_relaxed) < SUBMITTED_MOST) {
    uint32_t used = atomic_fetch_add(&table->used, 1);
    if (used < SUBMITTED_MOST)
      return used + 1;
    atomic_fetch_sub(&table->used, 1);
  }
  return 0;
}

static void free_node(struct table *table, uint32_t node)
{
  uint64_t head = atomic_load_explicit(&table->free, memory_order_relaxed);
  do
    atomic_store_explicit(&table->nodes[node - 1].next, (uint32_t)head, memory_order_relaxed);
  while (!atomic_compare_exchange_weak_explicit(&table->free, &head, ((head >> 32) + 1) << 32 | node,
                                                memory_order_release, memory_order_relaxed));
}

/* Takes a node out of its bucket; before: the one in front of it, 0: it is the first. */
static void unlink_node(struct table *table, struct bucket *bucket, uint32_t before, uint32_t node)
{
  uint32_t next = atomic_load_explicit(&table->nodes[node - 1].next, memory_order_relaxed);
  if (before)
    atomic_store_explicit(&table->nodes[before - 1].next, next, memory_order_relaxed);
  else
    bucket->first = next;
  if (bucket->last == node)
    bucket->last = before;
}

static void forget(struct table *table, uint32_t node)
{
  if (table->nodes[node - 1].task.id == 0)
    atomic_fetch_sub_explicit(&unmade, 1, memory_order_relaxed);
  free_node(table, node);
}

/* Lets go of what may go in the next buckets. */
static void make_room(struct table *table)
{
  for (unsigned i = 0; i < LOOKED_AT; i++) {
    struct bucket *bucket = take_bucket(table, atomic_fetch_add(&table->looked_at, 1));
    uint32_t before = 0, next, node = bucket ? bucket->first : 0;
    for (; node; node = next) {
      next = atomic_load_explicit(&table->nodes[node - 1].next, memory_order_relaxed);
      if (table->nodes[node - 1].task.may_go) {
        unlink_node(table, bucket, before, node);
        forget(table, node);
      } else {
        before = node;
      }
    }
    if (bucket)
      give_bucket(bucket);
  }
}

bool submitted_add(uint32_t hash, struct submitted task)
{
  struct table *table = table_of();
  uint32_t node = table ? new_node(table) : 0;
  if (table && node == 0) {
    make_room(table);
    node = new_node(table);
  }
  if (node == 0) {
    atomic_fetch_add(&lost_tasks, 1);
    return false;
  }
  table->nodes[node - 1].task = task;
  table->nodes[node - 1].hash = hash;
  atomic_store_explicit(&table->nodes[node - 1].next, 0, memory_order_relaxed);
  struct bucket *bucket = take_bucket(table, hash);
  if (!bucket) {
    free_node(table, node);
    atomic_fetch_add(&lost_tasks, 1);
    return false;
  }
  if (task.id == 0)
    atomic_fetch_add_explicit(&unmade, 1, memory_order_relaxed);
  if (bucket->last)
    atomic_store_explicit(&table->nodes[bucket->last - 1].next, node, memory_order_relaxed);
  else
    bucket->first = node;
  bucket->last = node;
  give_bucket(bucket);
  return true;
}

/* Takes the oldest of this hash out of its bucket; only_unmade: that has no id. 0: there is none. */
static uint32_t take_node(struct table *table, struct bucket *bucket, uint32_t hash, bool only_unmade)
{
  uint32_t before = 0, node = bucket->first;
  while (node && (table->nodes[node - 1].hash != hash || (only_unmade && table->nodes[node - 1].task.id != 0))) {
    before = node;
    node = atomic_load_explicit(&table->nodes[node - 1].next, memory_order_relaxed);
  }
  if (!node)
    return 0;
  unlink_node(table, bucket, before, node);
  return node;
}

static bool take(uint32_t hash, bool only_unmade, struct submitted *task)
{
  struct table *table = atomic_load_explicit(&submitted_shared, memory_order_acquire);
  struct bucket *bucket = table ? take_bucket(table, hash) : NULL;
  if (!bucket) {
    atomic_fetch_add(&lost_tasks, table != NULL);
    return false;
  }
  uint32_t node = take_node(table, bucket, hash, only_unmade);
  give_bucket(bucket);
  if (!node)
    return false;
  *task = table->nodes[node - 1].task;
  forget(table, node);
  return true;
}

void submitted_forget(void)
{
  struct table *table = atomic_load_explicit(&submitted_shared, memory_order_acquire);
  for (uint32_t i = 0; table && i < BUCKETS; i++) {
    struct bucket *bucket = take_bucket(table, i);
    if (!bucket)
      continue;
    uint32_t node = bucket->first;
    bucket->first = bucket->last = 0;
    give_bucket(bucket);
    while (node) {
      uint32_t next = atomic_load_explicit(&table->nodes[node - 1].next, memory_order_relaxed);
      forget(table, node);
      node = next;
    }
  }
}

bool submitted_take(uint32_t hash, struct submitted *task)
{
  return take(hash, false, task);
}

bool submitted_take_unmade(uint32_t hash, struct submitted *task)
{
  return atomic_load_explicit(&unmade, memory_order_relaxed) > 0 && take(hash, true, task);
}

void submitted_doubt(uint32_t hash)
{
  struct table *table = atomic_load_explicit(&submitted_shared, memory_order_acquire);
  struct bucket *bucket = table ? take_bucket(table, hash) : NULL;
  if (!bucket)
    return;
  uint32_t node = bucket->first;
  while (node && (table->nodes[node - 1].hash != hash || table->nodes[node - 1].task.may_go))
    node = atomic_load_explicit(&table->nodes[node - 1].next, memory_order_relaxed);
  if (node)
    table->nodes[node - 1].task.may_go = true;
  give_bucket(bucket);
}

uint64_t submitted_lost(void)
{
  return atomic_load(&lost_tasks);
}
