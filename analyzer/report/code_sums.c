#include "analyzer/report/code_sums.h"

#include <stdlib.h>
#include <string.h>

static bool grow(struct code_sums *sums, uint32_t code)
{
  uint32_t capacity = sums->capacity ? sums->capacity : 64;
  while (capacity <= code)
    capacity *= 2;
  struct code_sum *list = reallocarray(sums->sums, capacity, sizeof *list);
  if (!list)
    return false;
  memset(list + sums->capacity, 0, (capacity - sums->capacity) * sizeof *list);
  sums->sums = list;
  sums->capacity = capacity;
  return true;
}

bool code_sums_add(struct code_sums *sums, uint32_t code, uint64_t ticks)
{
  if (code >= sums->capacity && !grow(sums, code))
    return false;
  struct code_sum *sum = &sums->sums[code];
  sums->used += sum->count == 0;
  sum->code = code;
  sum->ticks += ticks;
  sum->count++;
  return true;
}

bool code_sums_take(struct code_sums *sums, struct code_sum **list, uint32_t *count)
{
  *count = 0;
  *list = malloc((sums->used + 1) * sizeof **list);
  if (!*list)
    return false;
  for (uint32_t code = 0; code < sums->capacity; code++) {
    if (sums->sums[code].count > 0)
      (*list)[(*count)++] = sums->sums[code];
    sums->sums[code] = (struct code_sum){0};
  }
  sums->used = 0;
  return true;
}

void code_sums_free(struct code_sums *sums)
{
  free(sums->sums);
  *sums = (struct code_sums){0};
}
