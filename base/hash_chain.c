#include "base/hash_chain.h"

static struct hash_link *link_of(uint64_t value)
{
  return (struct hash_link *)(uintptr_t)value;
}

static uint64_t value_of(const struct hash_link *item)
{
  return (uint64_t)(uintptr_t)item;
}

struct hash_link *hash_chain_first(const struct hash *hash, uint64_t key)
{
  const uint64_t *first = hash_find(hash, key);
  return first ? link_of(*first) : NULL;
}

bool hash_chain_add(struct hash *hash, uint64_t key, struct hash_link *item)
{
  uint64_t *first = hash_find(hash, key);
  if (!first) {
    item->next = NULL;
    return hash_add(hash, key, value_of(item)) != NULL;
  }
  item->next = link_of(*first);
  *first = value_of(item);
  return true;
}

void hash_chain_remove(struct hash *hash, uint64_t key, const struct hash_link *item)
{
  uint64_t *first = hash_find(hash, key);
  struct hash_link *before = link_of(*first);
  if (before != item) {
    while (before->next != item)
      before = before->next;
    before->next = item->next;
  } else if (item->next) {
    *first = value_of(item->next);
  } else {
    hash_remove(hash, key);
  }
}
