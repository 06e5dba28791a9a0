#include "analyzer/report/code_sums.h"

bool code_sums_add(struct code_sums *sums, uint32_t code, uint64_t ticks)
{
  while (sums->by_code.count <= code)
    if (!vector_push(&sums->by_code, (struct code_sum){0}))
      return false;
  struct code_sum *sum = &sums->by_code.items[code];
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
  for (size_t code = 0; code < sums->by_code.count; code++) {
    if (sums->by_code.items[code].count > 0)
      (*list)[(*count)++] = sums->by_code.items[code];
    sums->by_code.items[code] = (struct code_sum){0};
  }
  sums->used = 0;
  return true;
}

void code_sums_free(struct code_sums *sums)
{
  vector_free(&sums->by_code);
  *sums = (struct code_sums){0};
}
