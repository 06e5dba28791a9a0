#include "otf2-convert/scan/gc_pauses.h"

#include "otf2-convert/scan/jvm_log.h"

#include <string.h>

bool gc_pauses_add(struct gc_pauses *pauses, gc_pause_list *notes)
{
  bool good = true;
  for (size_t i = 0; i < notes->count && good; i++)
    good = vector_push(&pauses->list, notes->items[i]);
  notes->count = 0;
  return good;
}

static int by_begin(const void *a, const void *b)
{
  const struct gc_pause *x = a, *y = b;
  return x->begin < y->begin ? -1 : x->begin > y->begin;
}

void gc_pauses_sort(struct gc_pauses *pauses, uint64_t first)
{
  size_t at = (size_t)(first - pauses->dropped);
  if (at < pauses->list.count)
    qsort(pauses->list.items + at, pauses->list.count - at, sizeof *pauses->list.items, by_begin);
}

bool gc_pauses_add_safepoints(struct gc_pauses *pauses, struct jvm_log *log, uint64_t until,
                              uint32_t (*name)(void *context, const char *text), void *context)
{
  size_t next = 0, end = pauses->list.count;
  bool good = true;
  for (; good && log->passed < log->safepoints.count && log->safepoints.items[log->passed].end <= until;
       log->passed++) {
    const struct jvm_safepoint *safepoint = &log->safepoints.items[log->passed];
    while (next < end && pauses->list.items[next].end <= safepoint->begin)
      next++;
    if (next == end || pauses->list.items[next].begin >= safepoint->end)
      good = vector_push(&pauses->list,
                         ((struct gc_pause){safepoint->begin, safepoint->end, name(context, safepoint->name)}));
  }
  return good;
}

void gc_pauses_drop(struct gc_pauses *pauses, uint64_t until)
{
  size_t n = 0;
  while (n < pauses->list.count && pauses->list.items[n].end <= until)
    n++;
  if (n == 0)
    return;
  memmove(pauses->list.items, pauses->list.items + n, (pauses->list.count - n) * sizeof *pauses->list.items);
  pauses->list.count -= n;
  pauses->dropped += n;
}
