#include "analyzer/analyses/waits/callers/callers.h"

#include "analyzer/trace/definitions.h"

#include <stdlib.h>
#include <string.h>

/* The row of these, made if there is none; NULL: no memory. */
static struct callers_waits *row_of(struct callers *callers, uint32_t group, uint32_t region, const char *text)
{
  uint64_t key = hash_text(hash_mix((uint64_t)group << 32 | region), text);
  const uint64_t *found = hash_find(&callers->index, key);
  size_t at = found ? *found : callers->list.count;
  struct callers_waits row = {.group = group, .region = region, .callers = text};
  if (!found && (!vector_push(&callers->list, row) || !hash_add(&callers->index, key, at)))
    return NULL;
  return &callers->list.items[at];
}

bool callers_add(struct callers *callers, uint32_t group, uint32_t region, const char *text, uint64_t ticks)
{
  if (!text)
    return true;
  struct callers_waits *sums = row_of(callers, group, region, text);
  if (!sums)
    return false;
  sums->times++;
  sums->ticks += ticks;
  sums->longest = ticks > sums->longest ? ticks : sums->longest;
  return true;
}

bool callers_merge(struct callers *into, const struct callers *from)
{
  for (size_t i = 0; i < from->list.count; i++) {
    const struct callers_waits *more = &from->list.items[i];
    struct callers_waits *sums = row_of(into, more->group, more->region, more->callers);
    if (!sums)
      return false;
    sums->times += more->times;
    sums->ticks += more->ticks;
    sums->longest = more->longest > sums->longest ? more->longest : sums->longest;
  }
  return true;
}

void callers_renumber(struct callers *callers, const uint32_t *numbers)
{
  size_t kept = 0;
  for (size_t i = 0; i < callers->list.count; i++) {
    struct callers_waits row = callers->list.items[i];
    row.group = numbers[row.group];
    callers->list.items[kept] = row;
    kept += row.group != TRACE_NONE;
  }
  callers->list.count = kept;
  hash_free(&callers->index); /* its keys have the old numbers */
}

static int compare_rows(const void *of_a, const void *of_b)
{
  const struct callers_waits *a = of_a, *b = of_b;
  if (a->group != b->group)
    return a->group < b->group ? -1 : 1;
  if (a->ticks != b->ticks)
    return a->ticks < b->ticks ? 1 : -1;
  return a->region != b->region ? (a->region < b->region ? -1 : 1) : strcmp(a->callers, b->callers);
}

void callers_order(struct callers *callers)
{
  if (callers->list.count > 0)
    qsort(callers->list.items, callers->list.count, sizeof *callers->list.items, compare_rows);
  hash_free(&callers->index); /* it has the old places */
}

bool callers_append(struct callers *callers, const struct callers *from, uint32_t first)
{
  for (size_t i = 0; i < from->list.count; i++) {
    struct callers_waits row = from->list.items[i];
    row.group += first;
    if (!vector_push(&callers->list, row))
      return false;
  }
  return true;
}

void callers_free(struct callers *callers)
{
  vector_free(&callers->list);
  hash_free(&callers->index);
}
