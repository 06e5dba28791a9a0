#include "analyzer/survey/thinned.h"

#include "analyzer/pass/unseen_regions.h"

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

static bool add_seen(struct thinned_lane *lane, enum thinned_figure figure, uint32_t region, uint64_t value, bool late)
{
  return unseen_add(&lane->unseen, (uint64_t)figure << 32 | region, value, late);
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
  return add_seen(lane, THINNED_TICKS, top.region, top.own * top.weight, false);
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
  return place != NULL && add_seen(lane, THINNED_CALLS, left_out.region, left_out.instances, true);
}

/* What is in unseen regions counts for places that may be in them, and no others. */
static struct thinned_place *mark_estimated(struct thinned_lane *lane, uint32_t region)
{
  struct thinned_place *place = place_of(lane, region);
  if (place)
    place->estimated = true;
  return place;
}

/* What was skipped counts with the others where the number of all is an estimate. */
static bool take_skipped(struct thinned_lane *lane, const struct trace *trace, const struct trace_event *event)
{
  struct trace_left_out skipped = trace_skipped_by(trace, event);
  if (skipped.instances == 0 || !unseen_regions_miss(trace, skipped.region))
    return true;
  struct thinned_place *place = mark_estimated(lane, skipped.region);
  if (!place)
    return false;
  place->skipped += skipped.instances;
  return add_seen(lane, THINNED_CALLS, skipped.region, skipped.instances, false);
}

bool thinned_take(struct thinned_lane *lane, const struct trace *trace, const struct trace_event *event,
                  uint64_t measured, bool part)
{
  if (lane->open.count > 0)
    lane->open.items[lane->open.count - 1].own += measured - lane->since;
  lane->since = measured;
  if (event->kind == TRACE_Leave)
    return leave(lane, event->index) && unseen_regions_take(&lane->unseen, trace, event);
  uint64_t weight = trace_weight_seen(event);
  if (!unseen_regions_take(&lane->unseen, trace, event) || !take_left_out(lane, trace, event) ||
      !take_skipped(lane, trace, event))
    return false;
  if ((event->estimate || unseen_regions_miss(trace, event->index)) && !mark_estimated(lane, event->index))
    return false;
  return (part || add_seen(lane, THINNED_CALLS, event->index, weight, false)) &&
         vector_push(&lane->open, ((struct thinned_open){event->index, part, weight, 0}));
}

static bool add_unseen(void *opened, uint64_t key, const struct estimate *more)
{
  struct thinned_lane *lane = opened;
  uint64_t *known = hash_find(&lane->index, (uint32_t)key);
  struct thinned_place *place = known ? &lane->places.items[*known] : NULL;
  if (place && place->estimated)
    estimate_add(key >> 32 == THINNED_CALLS ? &place->unseen_calls : &place->unseen_ticks, more);
  return true;
}

bool thinned_end(struct thinned_lane *lane, uint32_t location, struct thinned_list *list)
{
  bool good = unseen_end(&lane->unseen, add_unseen, lane);
  for (size_t i = 0; good && i < lane->places.count; i++) {
    struct thinned_place *place = &lane->places.items[i];
    struct sampling_step step;
    sampling_end(&place->sampling, place->after, &step);
    add_step(place, &step);
    if (place->unseen_calls.left_out > 0)
      place->unseen_calls.twice += 2 * (wide_total)place->skipped;
    if (place->more.left_out + place->unseen_ticks.left_out > 0)
      good = vector_push(&list->items, ((struct states_thinned){place->region, location, place->more,
                                                                place->unseen_ticks, place->unseen_calls}));
  }
  return good;
}

void thinned_free(struct thinned_lane *lane)
{
  vector_free(&lane->open);
  vector_free(&lane->places);
  hash_free(&lane->index);
  unseen_free(&lane->unseen);
}
