#include "analyzer/pes/merge.h"

#include "analyzer/states/states.h"
#include "base/time_heap.h"

#include <stdlib.h>

struct merge {
  uint32_t location_count;
  uint8_t *rules;
  struct lane **lanes;
  const struct lane_change **changes; /* the next of each */
  struct time_heap heap;              /* locations that have one */
};

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
      time_heap_add(&merge->heap, merge->changes[i]->time, i);
  }
  return true;
}

struct merge *merge_open(const struct trace *trace, enum pes_component_kind kind, struct trace_error *error)
{
  struct merge *merge = calloc(1, sizeof *merge);
  uint32_t count = trace->location_count;
  if (merge) {
    merge->location_count = count;
    merge->rules = machine_rules(trace);
    merge->lanes = calloc(count + 1, sizeof *merge->lanes);
    merge->changes = calloc(count + 1, sizeof *merge->changes);
  }
  if (!merge || !time_heap_init(&merge->heap, count) || !merge->rules || !merge->lanes || !merge->changes)
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
  time_heap_free(&merge->heap);
  free(merge);
}

const struct lane_change *merge_peek(const struct merge *merge, uint32_t *location)
{
  if (merge->heap.count == 0)
    return NULL;
  *location = merge->heap.entries[0].source;
  return merge->changes[*location];
}

bool merge_advance(struct merge *merge)
{
  uint32_t location = merge->heap.entries[0].source;
  bool good;
  merge->changes[location] = lane_next(merge->lanes[location], &good);
  if (!good)
    return false;
  if (merge->changes[location])
    time_heap_move_first(&merge->heap, merge->changes[location]->time);
  else
    time_heap_drop_first(&merge->heap);
  return true;
}
