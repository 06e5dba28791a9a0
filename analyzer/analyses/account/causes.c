#include "analyzer/analyses/account/causes.h"

#include <stdlib.h>

enum { MANY_PARTS = 32 };

void causes_free(struct causes *causes)
{
  vector_free(&causes->list);
  hash_free(&causes->index);
  hash_free(&causes->blamed);
  hash_free(&causes->ran);
}

static uint32_t find_cause(struct causes *causes, uint64_t key, struct cause cause)
{
  const uint64_t *known = hash_find(&causes->index, key);
  if (known)
    return (uint32_t)*known;
  if (!hash_add(&causes->index, key, causes->list.count) || !vector_push(&causes->list, cause)) {
    causes->failed = true;
    return 0;
  }
  return (uint32_t)(causes->list.count - 1);
}

uint32_t cause_of(struct causes *causes, enum account_kind kind, enum account_note note, uint32_t place)
{
  uint64_t key = (uint64_t)kind << 40 | (uint64_t)note << 32 | place;
  struct cause_known *known = &causes->known[(place * 5 + (unsigned)kind * 11 + (unsigned)note) % CAUSES_KNOWN];
  if (known->cause == 0 || known->key != key) {
    struct cause cause = {.kind = (uint8_t)kind, .note = (uint8_t)note, .place = place};
    *known = (struct cause_known){key, find_cause(causes, key, cause) + 1};
  }
  return known->cause - 1;
}

static void add_ticks(struct causes *causes, struct hash *to, uint32_t cause, uint32_t of, fine_ticks ticks)
{
  if (of == TRACE_NONE || ticks == 0)
    return;
  uint64_t key = (uint64_t)cause << 32 | of, *known = hash_find(to, key);
  if (known)
    *known += (uint64_t)(ticks >> (FINE_SHIFT - 8)); /* 1/256 ticks */
  else if (!hash_add(to, key, (uint64_t)(ticks >> (FINE_SHIFT - 8))))
    causes->failed = true;
}

void causes_book(struct causes *causes, uint32_t cause, fine_ticks ticks, uint32_t location)
{
  if (cause >= causes->list.count)
    return;
  causes->list.items[cause].ticks += ticks;
  add_ticks(causes, &causes->blamed, cause, location, ticks);
}

void causes_name_code(struct causes *causes, uint32_t cause, uint32_t context, fine_ticks ticks)
{
  add_ticks(causes, &causes->ran, cause, context, ticks);
}

void causes_name_lock(struct causes *causes, uint32_t cause, uint64_t lock, const char *lock_class, uint64_t ticks)
{
  struct cause *of = &causes->list.items[cause];
  if (of->lock == lock) {
    of->of_lock += ticks;
  } else if (ticks > of->of_lock) {
    of->lock = lock;
    of->lock_class = lock_class;
    of->of_lock = ticks - of->of_lock;
  } else {
    of->of_lock -= ticks;
  }
}

/* The part of a cause; NULL: the mix has none. */
static struct cause_part *part_of(struct causes *causes, struct mix *mix, uint32_t cause)
{
  if (mix->parts.count < MANY_PARTS) {
    for (size_t i = 0; i < mix->parts.count; i++)
      if (mix->parts.items[i].cause == cause)
        return &mix->parts.items[i];
    return NULL;
  }
  for (size_t i = mix->index.count; i < mix->parts.count; i++) /* the new ones */
    causes->failed |= !hash_add(&mix->index, mix->parts.items[i].cause, i);
  const uint64_t *at = hash_find(&mix->index, cause);
  return at ? &mix->parts.items[*at] : NULL;
}

void mix_add(struct causes *causes, struct mix *mix, uint32_t cause, uint64_t ticks)
{
  if (ticks == 0 || causes->failed)
    return;
  mix->total += ticks;
  if (mix->last < mix->parts.count && mix->parts.items[mix->last].cause == cause) {
    mix->parts.items[mix->last].ticks += ticks;
    return;
  }
  struct cause_part *known = part_of(causes, mix, cause), part = {cause, ticks};
  mix->last = known ? (size_t)(known - mix->parts.items) : mix->parts.count;
  if (known)
    known->ticks += ticks;
  else if (!vector_push(&mix->parts, part))
    causes->failed = true;
}

void mix_clear(struct mix *mix)
{
  hash_free(&mix->index);
  mix->parts.count = 0;
  mix->total = 0;
}

void mix_free(struct mix *mix)
{
  vector_free(&mix->parts);
  hash_free(&mix->index);
  mix->total = 0;
}

void mix_book(struct causes *causes, const struct mix *mix, fine_ticks ticks, uint32_t location)
{
  fine_ticks left = ticks;
  size_t largest = 0;
  for (size_t i = 0; i < mix->parts.count && mix->total > 0; i++) {
    const struct cause_part *part = &mix->parts.items[i];
    largest = part->ticks > mix->parts.items[largest].ticks ? i : largest;
    /* ticks / total first where the product could be too large */
    fine_ticks of = ticks < (fine_ticks)1 << 80 ? ticks * part->ticks / mix->total : ticks / mix->total * part->ticks;
    of = of < left ? of : left;
    causes_book(causes, part->cause, of, location);
    left -= of;
  }
  if (mix->parts.count > 0)
    causes_book(causes, mix->parts.items[largest].cause, left, location);
}

void mix_spread(struct causes *causes, struct mix *into, const struct mix *by, uint64_t ticks)
{
  uint64_t left = ticks;
  for (size_t i = 0; i < by->parts.count && by->total > 0; i++)
    left -= (uint64_t)((unsigned __int128)ticks * by->parts.items[i].ticks / by->total);
  uint64_t up = left; /* parts that are rounded up: fewer than there are parts */
  for (size_t i = 0; i < by->parts.count && by->total > 0; i++) {
    unsigned __int128 product = (unsigned __int128)ticks * by->parts.items[i].ticks;
    uint64_t remainder = (uint64_t)(product % by->total), before = 0;
    for (size_t j = 0; up > 0 && j < by->parts.count; j++) {
      uint64_t other = (uint64_t)((unsigned __int128)ticks * by->parts.items[j].ticks % by->total);
      before += other > remainder || (other == remainder && by->parts.items[j].cause < by->parts.items[i].cause);
    }
    mix_add(causes, into, by->parts.items[i].cause, (uint64_t)(product / by->total) + (before < up));
  }
}

void mix_subtract(const struct causes *causes, struct mix *mix, const struct mix *other)
{
  uint64_t mine[ACCOUNT_KINDS] = {0}, theirs[ACCOUNT_KINDS] = {0}, total = 0;
  size_t kept = 0;
  for (size_t i = 0; i < mix->parts.count; i++)
    mine[causes->list.items[mix->parts.items[i].cause].kind] += mix->parts.items[i].ticks;
  for (size_t i = 0; i < other->parts.count; i++)
    theirs[causes->list.items[other->parts.items[i].cause].kind] += other->parts.items[i].ticks;
  for (size_t i = 0; i < mix->parts.count; i++) {
    struct cause_part part = mix->parts.items[i];
    unsigned kind = causes->list.items[part.cause].kind;
    if (mine[kind] <= theirs[kind])
      continue;
    part.ticks = (uint64_t)((unsigned __int128)part.ticks * (mine[kind] - theirs[kind]) / mine[kind]);
    total += part.ticks;
    mix->parts.items[kept++] = part;
  }
  hash_free(&mix->index);
  mix->parts.count = kept;
  mix->total = total;
}
