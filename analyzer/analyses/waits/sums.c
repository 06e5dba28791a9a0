#include "analyzer/analyses/waits/sums.h"

#include "base/count_of.h"

#include <stdlib.h>
#include <string.h>

enum { CAUSES_MAX = 1 << 16 }; /* more of them count as unknown: only damaged or absurd archives have so many */

static struct waits_place *place_of(struct wait_sums *sums, const struct waker_step *step, size_t *at)
{
  const char *class_name = step->class_name ? step->class_name : "";
  uint64_t key = hash_text(hash_mix((uint64_t)step->region + 1), class_name);
  const uint64_t *found = hash_find(&sums->place_of, key);
  struct waits_place place = {.region = step->region, .class_name = class_name};
  if (*class_name)
    place.object = step->number;
  if (!found && (!vector_push(&sums->places, place) || !hash_add(&sums->place_of, key, sums->places.count - 1)))
    return NULL;
  *at = found ? *found : sums->places.count - 1;
  return &sums->places.items[*at];
}

static struct cause_sums *cause_of(struct wait_sums *sums, struct waits_cause cause)
{
  for (bool again = false;; again = true) {
    uint64_t key = hash_mix(hash_mix((uint64_t)cause.from << 32 | cause.from_region) ^
                            hash_mix(((uint64_t)cause.also << 32 | cause.also_region) + 1) ^
                            hash_mix((uint64_t)cause.place << 8 | cause.how));
    const uint64_t *found = hash_find(&sums->cause_of, key);
    if (found)
      return &sums->causes.items[*found];
    if (sums->causes.count >= CAUSES_MAX && !again) {
      sums->beyond_limit++;
      cause = (struct waits_cause){.how = WAKE_UNKNOWN,
                                   .from = TRACE_NONE,
                                   .from_region = TRACE_NONE,
                                   .also = TRACE_NONE,
                                   .also_region = TRACE_NONE,
                                   .meanwhile_region = TRACE_NONE};
      continue;
    }
    struct cause_sums more = {.cause = cause};
    if (!vector_push(&sums->causes, more) || !hash_add(&sums->cause_of, key, sums->causes.count - 1))
      return NULL;
    return &sums->causes.items[sums->causes.count - 1];
  }
}

/* The region with most of the time, if one has more than half of it; else one with much of it. */
static void add_meanwhile(struct cause_sums *sums, uint64_t ticks, uint32_t region)
{
  sums->cause.meanwhile += ticks;
  if (ticks == 0)
    return;
  if (sums->cause.meanwhile_region == region) {
    sums->lead += ticks;
  } else if (sums->lead >= ticks) {
    sums->lead -= ticks;
  } else {
    sums->cause.meanwhile_region = region;
    sums->lead = ticks - sums->lead;
  }
}

/* Work that the thread did meanwhile is none of it: a wait has no more than it waited since its last task. */
static void add_woken(struct waits_cause *cause, const struct ended_wait *wait)
{
  const struct waker_step *step = wait->step;
  uint64_t from = wait->wake.by.time > step->since ? wait->wake.by.time : step->since;
  bool known = wait->wake.how == WAKE_BY_THREAD || wait->wake.how == WAKE_INTERRUPTED;
  if (!known || step->match == MATCH_OWNER || wait->wake.by.location == TRACE_NONE || from > step->time)
    return;
  cause->woken += step->time - from;
  cause->woken_times++;
}

bool wait_sums_add(struct wait_sums *sums, const struct ended_wait *wait)
{
  const struct waker_step *step = wait->step;
  size_t at;
  struct waits_place *place = place_of(sums, step, &at);
  if (!place)
    return false;
  place->times++;
  place->ticks += step->waited;
  place->longest = step->waited > place->longest ? step->waited : place->longest;
  place->omitted += step->weight > 0 ? step->weight - 1 : 0;
  if (*place->class_name && place->object != step->number)
    place->object = 0;
  sums->ticks += step->waited;
  if (!callers_add(&sums->callers, (uint32_t)at, step->region, step->callers, step->waited) ||
      (step->pinned && !callers_add(&sums->pinned, (uint32_t)at, step->pinned - 1, "", step->waited)))
    return false;
  struct cause_sums *cause = cause_of(sums, (struct waits_cause){.place = at,
                                                                 .how = wait->wake.how,
                                                                 .from = wait->wake.by.location,
                                                                 .from_region = wait->wake.by.region,
                                                                 .also = wait->wake.also.location,
                                                                 .also_region = wait->wake.also.region,
                                                                 .meanwhile_region = TRACE_NONE});
  if (!cause)
    return false;
  cause->cause.times++;
  cause->cause.ticks += step->waited;
  add_woken(&cause->cause, wait);
  add_meanwhile(cause, wait->meanwhile, wait->meanwhile_region);
  return true;
}

struct ranked {
  wide_total ticks;
  size_t place;
};

static int compare_ranked(const void *of_a, const void *of_b)
{
  const struct ranked *a = of_a, *b = of_b;
  return a->ticks != b->ticks ? (a->ticks < b->ticks ? 1 : -1) : (a->place > b->place) - (a->place < b->place);
}

static int compare_causes(const void *of_a, const void *of_b)
{
  const struct waits_cause *a = of_a, *b = of_b;
  const uint64_t keys[][2] = {{a->place, b->place}, {a->how, b->how},
                              {a->from, b->from},   {a->from_region, b->from_region},
                              {a->also, b->also},   {a->also_region, b->also_region}};
  if (a->place == b->place && a->ticks != b->ticks)
    return a->ticks < b->ticks ? 1 : -1;
  for (size_t i = 0; i < COUNT_OF(keys); i++)
    if (keys[i][0] != keys[i][1])
      return keys[i][0] < keys[i][1] ? -1 : 1;
  return 0;
}

static void hand_over(struct callers *from, const uint32_t *rank, struct callers *to)
{
  callers_renumber(from, rank);
  callers_order(from);
  *to = *from;
  *from = (struct callers){0};
}

bool wait_sums_finish(struct wait_sums *sums, struct waits *waits)
{
  size_t count = sums->places.count;
  struct ranked *ranked = calloc(count + 1, sizeof *ranked);
  uint32_t *rank = calloc(count + 1, sizeof *rank);
  waits->places = calloc(count + 1, sizeof *waits->places);
  waits->causes = calloc(sums->causes.count + 1, sizeof *waits->causes);
  bool good = ranked && rank && waits->places && waits->causes;
  for (size_t i = 0; good && i < count; i++)
    ranked[i] = (struct ranked){sums->places.items[i].ticks, i};
  if (good)
    qsort(ranked, count, sizeof *ranked, compare_ranked);
  for (size_t i = 0; good && i < count; i++) {
    rank[ranked[i].place] = (uint32_t)i;
    waits->places[i] = sums->places.items[ranked[i].place];
  }
  for (size_t i = 0; good && i < sums->causes.count; i++) {
    waits->causes[i] = sums->causes.items[i].cause;
    waits->causes[i].place = rank[waits->causes[i].place];
  }
  if (good)
    qsort(waits->causes, sums->causes.count, sizeof *waits->causes, compare_causes);
  if (good) {
    hand_over(&sums->callers, rank, &waits->callers);
    hand_over(&sums->pinned, rank, &waits->pinned);
  }
  waits->place_count = good ? count : 0;
  waits->cause_count = good ? sums->causes.count : 0;
  waits->ticks = sums->ticks;
  waits->beyond_limit = sums->beyond_limit;
  free(ranked);
  free(rank);
  return good;
}

void wait_sums_free(struct wait_sums *sums)
{
  vector_free(&sums->places);
  vector_free(&sums->causes);
  hash_free(&sums->place_of);
  hash_free(&sums->cause_of);
  callers_free(&sums->callers);
  callers_free(&sums->pinned);
}
