#include "analyzer/analyses/waits/tick.h"

enum { STEPS_MAX = 4096, ROUNDS_MAX = 64 }; /* beyond: in the order in which they come, of absurd archives */

/* A thread begins as others' waits end: by what another thread did. */
static bool ends_wait(const struct waker_step *step)
{
  return step->kind == WAKER_WAIT_END || step->kind == WAKER_CREATED ||
         (step->kind == WAKER_EDGE && step->edge.kind == STEP_ACQUIRE);
}

/* In each round a location goes on to its next end of a wait; in the next round it begins with this end. */
static bool run_round(struct tick *tick, struct matcher *matcher, unsigned round)
{
  size_t left = 0;
  bool good = true;
  struct hash met = {0};
  for (size_t i = 0; good && i < tick->steps.count; i++) {
    struct tick_step *at = &tick->steps.items[i];
    bool waits = ends_wait(&at->step) && round < ROUNDS_MAX;
    bool first = !hash_find(&met, at->location);
    bool begins = first && round > 0;
    if (first)
      good = hash_add(&met, at->location, 0) != NULL;
    uint64_t *blocked = good ? hash_find(&met, at->location) : NULL;
    if (blocked && *blocked == 0 && (!waits || begins)) {
      good = matcher_take(matcher, at->location, &at->step);
      continue;
    }
    if (blocked)
      *blocked = 1;
    tick->steps.items[left++] = *at;
  }
  tick->steps.count = good ? left : 0;
  hash_free(&met);
  return good;
}

bool tick_finish(struct tick *tick, struct matcher *matcher)
{
  bool good = true;
  if (tick->steps.count == 1) {
    good = matcher_take(matcher, tick->steps.items[0].location, &tick->steps.items[0].step);
    tick->steps.count = 0;
    return good;
  }
  for (unsigned i = 0; good && tick->steps.count > 0; i++)
    good = run_round(tick, matcher, i);
  return good;
}

bool tick_take(struct tick *tick, struct matcher *matcher, uint32_t location, const struct waker_step *step)
{
  bool other = tick->steps.count > 0 && tick->steps.items[0].step.time != step->time;
  if ((other || tick->steps.count >= STEPS_MAX) && !tick_finish(tick, matcher))
    return false;
  struct tick_step now = {.step = *step, .location = location};
  return vector_push(&tick->steps, now);
}

void tick_free(struct tick *tick)
{
  vector_free(&tick->steps);
}
