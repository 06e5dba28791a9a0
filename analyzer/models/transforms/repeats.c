#include "analyzer/models/transforms/repeats.h"

#include <stdlib.h>
#include <string.h>

static uint32_t state_at(const struct repeats *repeats, uint64_t number)
{
  return repeats->ring[number % REPEATS_LONGEST];
}

/* Whether a pattern is a shorter one several times. */
static bool is_shorter(const uint32_t *states, uint32_t length)
{
  for (uint32_t n = 1; n <= length / 2; n++)
    if (length % n == 0 && memcmp(states, states + n, (length - n) * sizeof *states) == 0)
      return true;
  return false;
}

/* Whether the pattern from state a on is before that from b on. */
static bool is_less(const uint32_t *states, uint32_t length, uint32_t a, uint32_t b)
{
  for (uint32_t i = 0; i < length; i++) {
    uint32_t left = states[(a + i) % length], right = states[(b + i) % length];
    if (left != right)
      return left < right;
  }
  return false;
}

/* The same for all states that the pattern may begin with. */
static uint64_t key_of(const uint32_t *states, uint32_t length)
{
  uint32_t least = 0;
  for (uint32_t i = 1; i < length; i++)
    least = is_less(states, length, i, least) ? i : least;
  uint64_t key = length;
  for (uint32_t i = 0; i < length; i++)
    key = hash_mix(key * 31 + states[(least + i) % length] + 1);
  return key;
}

/* A stretch ends before the next state that repeats what is `length` before, so many states long besides the first. */
static bool end_stretch(struct repeats *repeats, uint32_t length)
{
  uint64_t equal = repeats->equal[length], stretch = equal + length, begin = repeats->seen - stretch;
  uint64_t first = repeats->seen - length; /* of the last period, all of which the ring has */
  struct repeat found = {.length = length, .copies = stretch / length};
  if (equal < length)
    return true;
  for (uint32_t i = 0; i < length; i++)
    found.states[i] = state_at(repeats, first + (begin + i + length - first % length) % length);
  if (is_shorter(found.states, length))
    return true;
  uint64_t key = key_of(found.states, length), *known = hash_find(&repeats->of, key);
  if (known)
    repeats->list.items[*known].copies += found.copies;
  else if (repeats->list.count < REPEATS_MOST)
    return hash_add(&repeats->of, key, repeats->list.count) && vector_push(&repeats->list, found);
  return true;
}

bool repeats_add(struct repeats *repeats, uint32_t state)
{
  uint64_t most = repeats->seen < REPEATS_LONGEST ? repeats->seen : REPEATS_LONGEST;
  for (uint32_t length = 1; length <= most; length++) {
    if (state_at(repeats, repeats->seen - length) == state) {
      repeats->equal[length]++;
    } else {
      if (length > 1 && repeats->equal[length] >= length && !end_stretch(repeats, length))
        return false;
      repeats->equal[length] = 0;
    }
  }
  repeats->ring[repeats->seen++ % REPEATS_LONGEST] = state;
  return true;
}

static int compare(const void *a, const void *b)
{
  const struct repeat *left = a, *right = b;
  uint64_t of_left = left->copies * left->length, of_right = right->copies * right->length;
  if (of_left != of_right)
    return of_left < of_right ? 1 : -1;
  if (left->length != right->length)
    return left->length < right->length ? -1 : 1;
  return memcmp(left->states, right->states, left->length * sizeof *left->states);
}

bool repeats_end(struct repeats *repeats)
{
  bool good = true;
  for (uint32_t length = 2; length <= REPEATS_LONGEST && good; length++)
    good = end_stretch(repeats, length);
  if (repeats->list.count > 0)
    qsort(repeats->list.items, repeats->list.count, sizeof *repeats->list.items, compare);
  hash_free(&repeats->of);
  return good;
}

void repeats_free(struct repeats *repeats)
{
  vector_free(&repeats->list);
  hash_free(&repeats->of);
}
