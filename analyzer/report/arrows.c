#include "analyzer/report/arrows.h"

#include <stdlib.h>

/* Of equal weight the earlier one counts as longer. Two arrows are equal only if all their fields are, so the trace
 * alone decides which are kept. */
static bool is_less(const struct arrow *a, const struct arrow *b)
{
  if (a->weight != b->weight)
    return a->weight < b->weight;
  if (a->time != b->time)
    return a->time > b->time;
  if (a->to != b->to || a->from != b->from)
    return a->to != b->to ? a->to > b->to : a->from > b->from;
  return a->from_time != b->from_time ? a->from_time > b->from_time : a->region > b->region;
}

static void sift_down(struct arrow_heap *arrows, const struct arrow *moving)
{
  uint32_t at = 0;
  for (uint32_t child; (child = 2 * at + 1) < arrows->count; at = child) {
    if (child + 1 < arrows->count && is_less(&arrows->list[child + 1], &arrows->list[child]))
      child++;
    if (is_less(moving, &arrows->list[child]))
      break;
    arrows->list[at] = arrows->list[child];
  }
  arrows->list[at] = *moving;
}

static void sift_up(struct arrow_heap *arrows, uint32_t at)
{
  struct arrow moving = arrows->list[at];
  for (; at > 0 && is_less(&moving, &arrows->list[(at - 1) / 2]); at = (at - 1) / 2)
    arrows->list[at] = arrows->list[(at - 1) / 2];
  arrows->list[at] = moving;
}

bool arrows_add(struct arrows *arrows, const struct arrow *arrow)
{
  struct arrow_heap *heap = &arrows->kinds[arrow->kind];
  if (!heap->list && !(heap->list = malloc(ARROWS_OF_KIND * sizeof *heap->list)))
    return false;
  if (heap->count < ARROWS_OF_KIND) {
    heap->list[heap->count] = *arrow;
    sift_up(heap, heap->count++);
    return true;
  }
  heap->left_out++;
  if (is_less(&heap->list[0], arrow))
    sift_down(heap, arrow);
  return true;
}

bool arrows_merge(struct arrows *into, const struct arrows *from)
{
  for (unsigned i = 0; i < ARROW_KINDS; i++) {
    into->kinds[i].left_out += from->kinds[i].left_out;
    for (uint32_t k = 0; k < from->kinds[i].count; k++)
      if (!arrows_add(into, &from->kinds[i].list[k]))
        return false;
  }
  return true;
}

static int compare(const void *a, const void *b)
{
  return is_less(a, b) ? 1 : is_less(b, a) ? -1 : 0;
}

void arrows_sort(struct arrows *arrows)
{
  for (unsigned i = 0; i < ARROW_KINDS; i++) {
    struct arrow_heap *heap = &arrows->kinds[i];
    if (heap->count > 0)
      qsort(heap->list, heap->count, sizeof *heap->list, compare);
  }
}

void arrows_free(struct arrows *arrows)
{
  for (unsigned i = 0; i < ARROW_KINDS; i++)
    free(arrows->kinds[i].list);
  *arrows = (struct arrows){0};
}

const char *arrow_kind_name(enum arrow_kind kind)
{
  static const char *const names[ARROW_KINDS] = {
      [ARROW_LOCK] = "lock", [ARROW_FORK] = "fork", [ARROW_JOIN] = "join", [ARROW_TASK] = "task"};
  return names[kind];
}
