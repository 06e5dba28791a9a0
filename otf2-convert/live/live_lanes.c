#include "otf2-convert/live/live_lanes.h"

#define LANES_MOST (1u << 20) /* threads of the kernel; samples of further ones are left out */

void live_lanes_free(struct live_lanes *lanes)
{
  vector_free(&lanes->all);
  hash_free(&lanes->of_tid);
  hash_free(&lanes->of_thread);
}

bool live_lanes_full(const struct live_lanes *lanes)
{
  return lanes->all.count >= LANES_MOST;
}

struct live_lane *live_lanes_of(struct live_lanes *lanes, uint32_t thread)
{
  const uint64_t *number = hash_find(&lanes->of_thread, thread);
  return number != NULL ? &lanes->all.items[*number] : NULL;
}

/* A lane without its place among those of its tid; UINT32_MAX: memory is short, or there are too many. */
static uint32_t new_lane(struct live_lanes *lanes, struct live_lane lane)
{
  bool good = lanes->all.count < LANES_MOST && vector_push(&lanes->all, lane);
  return good ? (uint32_t)lanes->all.count - 1 : UINT32_MAX;
}

/* Those of one tid are in the order in which they began. */
static bool insert_lane(struct live_lanes *lanes, uint32_t added)
{
  struct live_lane *all = lanes->all.items;
  uint64_t tid = all[added].tid, *first = hash_find(&lanes->of_tid, tid);
  if (first == NULL || all[*first].begun > all[added].begun) {
    all[added].later = first == NULL ? 0 : (uint32_t)*first + 1;
    return hash_put(&lanes->of_tid, tid, added);
  }
  uint32_t before = (uint32_t)*first;
  while (all[before].later != 0 && all[all[before].later - 1].begun <= all[added].begun)
    before = all[before].later - 1;
  all[added].later = all[before].later;
  all[before].later = added + 1;
  return true;
}

/* A thread of the look; samples may have come before it was seen. */
static bool note_thread(struct live_lanes *lanes, const struct live_thread *thread, bool *changed)
{
  struct live_lane lane = {.tid = thread->is.tid, .begun = thread->is.begun, .thread = thread->number};
  const uint64_t *first = hash_find(&lanes->of_tid, lane.tid);
  uint32_t number;
  *changed = true;
  if (first != NULL && lanes->all.items[*first].thread == UINT32_MAX) {
    number = (uint32_t)*first;
    lanes->all.items[number].thread = thread->number;
    lanes->all.items[number].begun = thread->is.begun;
  } else if ((number = new_lane(lanes, lane)) == UINT32_MAX || !insert_lane(lanes, number)) {
    return live_lanes_full(lanes);
  }
  return hash_add(&lanes->of_thread, thread->number, number) != NULL;
}

bool live_lanes_note(struct live_lanes *lanes, const struct live_look *look, bool *changed)
{
  bool good = true;
  for (size_t i = 0; good && i < look->threads.count; i++) {
    const struct live_thread *thread = &look->threads.items[i];
    if (thread->known && thread->is.tid != 0 && hash_find(&lanes->of_thread, thread->number) == NULL)
      good = note_thread(lanes, thread, changed);
  }
  return good;
}

uint32_t live_lanes_at(struct live_lanes *lanes, uint64_t tid, uint64_t ticks)
{
  const uint64_t *first = hash_find(&lanes->of_tid, tid);
  if (first == NULL) {
    uint32_t number = new_lane(lanes, (struct live_lane){.tid = tid, .thread = UINT32_MAX});
    return number != UINT32_MAX && insert_lane(lanes, number) ? number : UINT32_MAX;
  }
  uint32_t number = (uint32_t)*first;
  const struct live_lane *all = lanes->all.items;
  while (all[number].later != 0 && all[all[number].later - 1].begun <= ticks)
    number = all[number].later - 1;
  return number;
}
