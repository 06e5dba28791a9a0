#include "analyzer/pes/merge.h"

#include "analyzer/states/states.h"

#include <stdlib.h>

struct merge {
  uint32_t location_count;
  uint8_t *rules;
  struct lane **lanes;
  const struct lane_change **changes; /* the next of each */
  uint32_t *heap;                     /* locations that have one */
  uint32_t heap_count;
};

static bool is_before(const struct merge *merge, uint32_t a, uint32_t b)
{
  uint64_t left = merge->changes[a]->time, right = merge->changes[b]->time;
  return left != right ? left < right : a < b;
}

static void sift_down(struct merge *merge, uint32_t at)
{
  uint32_t *heap = merge->heap, moving = heap[at];
  for (uint32_t child; (child = 2 * at + 1) < merge->heap_count; at = child) {
    if (child + 1 < merge->heap_count && is_before(merge, heap[child + 1], heap[child]))
      child++;
    if (is_before(merge, moving, heap[child]))
      break;
    heap[at] = heap[child];
  }
  heap[at] = moving;
}

static bool begin(struct merge *merge, const struct trace *trace, enum pes_component_kind kind,
                  struct trace_error *error)
{
  for (uint32_t i = 0; i < trace->location_count; i++) {
    bool good;
    merge->lanes[i] = lane_open(trace, i, kind, merge->rules, error);
    if (!merge->lanes[i])
      return false;
    merge->changes[i] = lane_next(merge->lanes[i], &good);
    if (!good)
      return false;
    if (merge->changes[i])
      merge->heap[merge->heap_count++] = i;
  }
  for (uint32_t i = merge->heap_count / 2; i-- > 0;)
    sift_down(merge, i);
  return true;
}

struct merge *merge_open(const struct trace *trace, enum pes_component_kind kind, struct trace_error *error)
{
  struct merge *merge = calloc(1, sizeof *merge);
  uint32_t count = trace->location_count;
  if (merge) {
    trace_allow_many_streams();
    merge->location_count = count;
    merge->rules = machine_rules(trace);
    merge->lanes = calloc(count + 1, sizeof *merge->lanes);
    merge->changes = calloc(count + 1, sizeof *merge->changes);
    merge->heap = calloc(count + 1, sizeof *merge->heap);
  }
  if (!merge || !merge->rules || !merge->lanes || !merge->changes || !merge->heap)
    trace_fail(error, "%s: out of memory", trace->anchor);
  else if (begin(merge, trace, kind, error))
    return merge;
  merge_close(merge);
  return NULL;
}

void merge_close(struct merge *merge)
{
  if (!merge)
    return;
  for (uint32_t i = 0; merge->lanes && i < merge->location_count; i++)
    lane_close(merge->lanes[i]);
  free(merge->rules);
  free(merge->lanes);
  free(merge->changes);
  free(merge->heap);
  free(merge);
}

const struct lane_change *merge_peek(const struct merge *merge, uint32_t *location)
{
  if (merge->heap_count == 0)
    return NULL;
  *location = merge->heap[0];
  return merge->changes[*location];
}

bool merge_advance(struct merge *merge)
{
  uint32_t location = merge->heap[0];
  bool good;
  merge->changes[location] = lane_next(merge->lanes[location], &good);
  if (!good)
    return false;
  if (!merge->changes[location])
    merge->heap[0] = merge->heap[--merge->heap_count];
  if (merge->heap_count > 0)
    sift_down(merge, 0);
  return true;
}
