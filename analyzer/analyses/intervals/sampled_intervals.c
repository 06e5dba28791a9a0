#include "analyzer/analyses/intervals/sampled_intervals.h"

#include <stdlib.h>
#include <string.h>

bool intervals_kept_begin(struct intervals_kept *kept, const struct spec *spec, size_t most)
{
  size_t each = spec->interval_count > 0 ? most / spec->interval_count / 2 * 2 : most;
  *kept = (struct intervals_kept){.kinds = calloc(spec->interval_count + 1, sizeof *kept->kinds),
                                  .most = each < INTERVALS_KEPT_LEAST ? INTERVALS_KEPT_LEAST : each};
  if (!kept->kinds)
    return false;
  bool good = true;
  for (const struct spec_interval *interval = spec->intervals; good && interval; interval = interval->next) {
    struct kept_kind *kind = &kept->kinds[kept->count++];
    *kind = (struct kept_kind){.interval = interval, .every = 1};
    good = ends_columns(spec, interval, &kind->columns);
  }
  return good;
}

/* The longer of two becomes both. True: it is the other one. */
static bool kept_join(struct kept_interval *into, const struct kept_interval *other)
{
  size_t values = into->values;
  uint64_t weight = into->weight + other->weight, total;
  if (__builtin_add_overflow(into->total, other->total, &total))
    total = UINT64_MAX;
  bool longer = other->end - other->begin > into->end - into->begin;
  if (longer)
    *into = *other;
  into->values = values;
  into->weight = weight;
  into->total = total;
  return longer;
}

/* The values of an interval, in the order of its kind's columns. */
static void put_values(struct kept_kind *kind, const struct kept_interval *interval, const struct match_point *start,
                       const struct match_point *end)
{
  for (uint32_t i = 0; i < kind->columns.count; i++)
    kind->values.items[interval->values + i] = end_value(&kind->columns.list[i], start, end);
}

static void move_values(struct kept_kind *kind, size_t to, size_t from)
{
  if (to != from && kind->columns.count)
    memcpy(&kind->values.items[to], &kind->values.items[from], kind->columns.count * sizeof *kind->values.items);
}

static void halve(struct kept_kind *kind)
{
  for (size_t i = 0; i < kind->list.count / 2; i++) {
    struct kept_interval *first = &kind->list.items[2 * i], *second = &kind->list.items[2 * i + 1];
    size_t from = first->values, other = second->values;
    bool longer = kept_join(first, second);
    first->values = i * kind->columns.count;
    move_values(kind, first->values, longer ? other : from);
    kind->list.items[i] = *first;
  }
  kind->list.count /= 2;
  kind->values.count = kind->list.count * kind->columns.count;
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
    struct kept_interval *last = &kind->list.items[kind->list.count - 1];
    if (kept_join(last, &found))
      put_values(kind, last, start, end);
    return true;
  }
  if (kind->list.count == kept->most)
    halve(kind);
  found.values = kind->values.count;
  for (uint32_t i = 0; i < kind->columns.count; i++)
    if (!vector_push(&kind->values, (struct spec_value){.type = SPEC_ANY}))
      return false;
  put_values(kind, &found, start, end);
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
  for (uint32_t i = 0; i < kept->count; i++) {
    vector_free(&kept->kinds[i].list);
    vector_free(&kept->kinds[i].values);
    ends_columns_free(&kept->kinds[i].columns);
  }
  free(kept->kinds);
  *kept = (struct intervals_kept){0};
}
