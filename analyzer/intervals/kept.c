#include "analyzer/intervals/kept.h"

bool intervals_kept_begin(struct intervals_kept *kept, const struct spec *spec, size_t most)
{
  size_t each = spec->interval_count > 0 ? most / spec->interval_count / 2 * 2 : most;
  *kept = (struct intervals_kept){.kinds = calloc(spec->interval_count + 1, sizeof *kept->kinds),
                                  .most = each < INTERVALS_KEPT_LEAST ? INTERVALS_KEPT_LEAST : each};
  if (!kept->kinds)
    return false;
  for (const struct spec_interval *interval = spec->intervals; interval; interval = interval->next) {
    kept->kinds[kept->count].interval = interval;
    kept->kinds[kept->count++].every = 1;
  }
  return true;
}

/* The longer of two becomes both. */
static void join(struct kept_interval *into, const struct kept_interval *other)
{
  uint64_t weight = into->weight + other->weight, total;
  if (__builtin_add_overflow(into->total, other->total, &total))
    total = UINT64_MAX;
  if (other->end - other->begin > into->end - into->begin)
    *into = *other;
  into->weight = weight;
  into->total = total;
}

static void halve(struct kept_kind *kind)
{
  for (size_t i = 0; i < kind->list.count / 2; i++) {
    kind->list.items[i] = kind->list.items[2 * i];
    join(&kind->list.items[i], &kind->list.items[2 * i + 1]);
  }
  kind->list.count /= 2;
  kind->every *= 2;
}

bool intervals_kept_put(void *into, const struct spec_interval *interval, const struct match_point *start,
                        const struct match_point *end)
{
  struct intervals_kept *kept = into;
  struct kept_kind *kind = &kept->kinds[interval->index];
  struct kept_interval found = {.begin = start->time,
                                .end = end->time,
                                .from = start->thread,
                                .to = end->thread,
                                .weight = 1,
                                .total = end->time - start->time};
  if (kind->taken++ % kind->every != 0) {
    join(&kind->list.items[kind->list.count - 1], &found);
    return true;
  }
  if (kind->list.count == kept->most)
    halve(kind);
  return vector_push(&kind->list, found);
}

static int by_begin(const void *a, const void *b)
{
  const struct kept_interval *x = a, *y = b;
  if (x->begin != y->begin)
    return x->begin < y->begin ? -1 : 1;
  return (x->end > y->end) - (x->end < y->end);
}

void intervals_kept_sort(struct intervals_kept *kept)
{
  for (uint32_t i = 0; i < kept->count; i++)
    if (kept->kinds[i].list.count > 1)
      qsort(kept->kinds[i].list.items, kept->kinds[i].list.count, sizeof *kept->kinds[i].list.items, by_begin);
}

void intervals_kept_free(struct intervals_kept *kept)
{
  for (uint32_t i = 0; i < kept->count; i++)
    vector_free(&kept->kinds[i].list);
  free(kept->kinds);
  *kept = (struct intervals_kept){0};
}
