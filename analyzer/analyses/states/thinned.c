#include "analyzer/analyses/states/thinned.h"

static struct thinned_place *place_of(struct thinned_lane *lane, uint32_t region)
{
  uint64_t *known = hash_find(&lane->index, region);
  if (known)
    return &lane->places.items[*known];
  size_t at = lane->places.count;
  if (!vector_push(&lane->places, ((struct thinned_place){.region = region})) || !hash_add(&lane->index, region, at))
    return NULL;
  return &lane->places.items[at];
}

static void add_step(struct thinned_place *place, const struct sampling_step *step)
{
  for (unsigned i = 0; i < step->count; i++)
    estimate_add(&place->more, &step->parts[i].more);
}

static bool close_top(struct thinned_lane *lane)
{
  struct thinned_open top = lane->open.items[--lane->open.count];
  if (top.part) {
    if (lane->open.count > 0)
      lane->open.items[lane->open.count - 1].own += top.own;
    return true;
  }
  struct thinned_place *place = place_of(lane, top.region);
  struct sampling_step step;
  if (!place)
    return false;
  sampling_take(&place->sampling, top.weight, (struct sample){top.own, 0}, &step);
  add_step(place, &step);
  return true;
}

static bool leave(struct thinned_lane *lane, uint32_t region)
{
  size_t at = lane->open.count;
  while (at > 0 && lane->open.items[at - 1].region != region)
    at--;
  bool good = true;
  while (good && at > 0 && lane->open.count >= at)
    good = close_top(lane);
  return good;
}

static bool take_left_out(struct thinned_lane *lane, const struct trace *trace, const struct trace_event *event)
{
  struct trace_left_out left_out = trace_left_out_by(trace, event);
  if (left_out.instances == 0)
    return true;
  struct thinned_place *place = place_of(lane, left_out.region);
  if (place)
    place->after += left_out.instances;
  return place != NULL;
}

bool thinned_take(struct thinned_lane *lane, const struct trace *trace, const struct trace_event *event,
                  uint64_t measured, bool part)
{
  if (lane->open.count > 0)
    lane->open.items[lane->open.count - 1].own += measured - lane->since;
  lane->since = measured;
  if (event->kind == TRACE_Leave)
    return leave(lane, event->index);
  return take_left_out(lane, trace, event) &&
         vector_push(&lane->open, ((struct thinned_open){event->index, part, event->weight, 0}));
}

bool thinned_end(struct thinned_lane *lane, uint32_t location, struct thinned_list *list)
{
  bool good = true;
  for (size_t i = 0; good && i < lane->places.count; i++) {
    struct thinned_place *place = &lane->places.items[i];
    struct sampling_step step;
    sampling_end(&place->sampling, place->after, &step);
    add_step(place, &step);
    if (place->more.left_out > 0)
      good = vector_push(&list->items, ((struct states_thinned){place->region, location, place->more}));
  }
  return good;
}

void thinned_free(struct thinned_lane *lane)
{
  vector_free(&lane->open);
  vector_free(&lane->places);
  hash_free(&lane->index);
}
