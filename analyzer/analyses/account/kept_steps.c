#include "analyzer/analyses/account/kept_steps.h"

#include "analyzer/analyses/account/packed.h"
#include "analyzer/trace/output.h"
#include "base/hash.h"

#include <stdlib.h>
#include <string.h>

#define STEPS_BUFFER (128u << 10) /* bytes; fewer are never written to disk */
#define STEP_MOST    128u         /* bytes of a step, at most */
#define STEPS_CACHE  64u          /* activities, a power of 2 */

/* The first two bytes of a step: its kind, and what else it has. */
enum {
  STEP_KIND = 0x1f,
  STEP_LOCATION = 1 << 5, /* another one than the step before */
  STEP_NOW = 1 << 6,      /* another activity than the location's step before */
  STEP_WAITS = 1 << 7,
  STEP_FLAGS = 1 << 8,
  STEP_REGION = 1 << 9,
  STEP_TEAM = 1 << 10,
  STEP_ORDINAL = 1 << 11,
  STEP_NUMBER = 1 << 12,
  STEP_SAME_NUMBER = 1 << 13, /* as the location's last one */
  STEP_OBJECT = 1 << 14,      /* lock, class and owner */
  STEP_BACK = 1 << 15         /* its time is before the step before */
};
_Static_assert((unsigned)ACT_STOP <= (unsigned)STEP_KIND, "a kind fits");

/* What a location's last step had. */
struct kept_location {
  uint32_t now; /* number of the activity + 1; 0: none yet */
  uint64_t ordinal, number;
};

struct kept_steps {
  VECTOR(struct activity) activities;
  struct hash numbers; /* activity, mixed -> its number */
  struct {
    struct activity activity;
    uint32_t number; /* + 1; 0: none */
  } cache[STEPS_CACHE];
  struct kept_location *locations;
  uint32_t location_count, location;
  uint64_t time;
  uint8_t *buffer;
  size_t used;         /* bytes of the buffer */
  struct spool *spool; /* NULL: all is in the buffer */
  bool failed;
};

struct kept_steps *kept_steps_create(const struct trace *trace)
{
  struct kept_steps *steps = calloc(1, sizeof *steps);
  if (!steps)
    return NULL;
  steps->location_count = trace->location_count;
  steps->locations = calloc((size_t)trace->location_count + 1, sizeof *steps->locations);
  steps->buffer = malloc(STEPS_BUFFER);
  if (steps->locations && steps->buffer)
    return steps;
  kept_steps_free(steps);
  return NULL;
}

void kept_steps_free(struct kept_steps *steps)
{
  if (!steps)
    return;
  vector_free(&steps->activities);
  hash_free(&steps->numbers);
  spool_destroy(steps->spool);
  free(steps->locations);
  free(steps->buffer);
  free(steps);
}

static bool is_same_activity(const struct activity *a, const struct activity *b)
{
  return a->does == b->does && a->place == b->place && a->ran == b->ran && a->kernel == b->kernel &&
         a->of_jvm == b->of_jvm && a->in_task == b->in_task;
}

static uint64_t steps_hash_of(const struct activity *activity)
{
  uint64_t small = (uint64_t)activity->does << 16 | (uint64_t)activity->kernel << 8 | (uint64_t)activity->of_jvm << 1 |
                   activity->in_task;
  return hash_mix(hash_mix((uint64_t)activity->place << 32 | activity->ran) ^ small);
}

static uint32_t find_activity(struct kept_steps *steps, const struct activity *activity)
{
  uint64_t key = steps_hash_of(activity);
  const uint64_t *known = hash_find(&steps->numbers, key);
  for (; known; known = hash_find(&steps->numbers, ++key))
    if (is_same_activity(&steps->activities.items[*known], activity))
      return (uint32_t)*known;
  if (!vector_push(&steps->activities, *activity) || !hash_add(&steps->numbers, key, steps->activities.count - 1)) {
    steps->failed = true;
    return 0;
  }
  return (uint32_t)steps->activities.count - 1;
}

static uint32_t activity_number(struct kept_steps *steps, const struct activity *activity)
{
  size_t at = (activity->place * 7u + activity->does * 3u + activity->kernel + activity->ran) % STEPS_CACHE;
  if (steps->cache[at].number == 0 || !is_same_activity(&steps->cache[at].activity, activity)) {
    steps->cache[at].number = find_activity(steps, activity) + 1;
    steps->cache[at].activity = *activity;
  }
  return steps->cache[at].number - 1;
}

static uint8_t *put_all(uint8_t *to, const void *bytes, size_t size)
{
  memcpy(to, bytes, size);
  return to + size;
}

/* What the step has besides its kind and time. */
static inline unsigned parts_of(const struct kept_steps *steps, uint32_t location, const struct account_step *step,
                                uint32_t now)
{
  const struct kept_location *last = &steps->locations[location];
  unsigned parts = step->kind;
  parts |= location != steps->location ? STEP_LOCATION : 0;
  parts |= now + 1 != last->now ? STEP_NOW : 0;
  parts |= step->waits ? STEP_WAITS : 0;
  parts |= step->flags ? STEP_FLAGS : 0;
  parts |= step->region ? STEP_REGION : 0;
  parts |= step->team ? STEP_TEAM : 0;
  parts |= step->ordinal ? STEP_ORDINAL : 0;
  parts |= step->number == 0 ? 0 : step->number == last->number ? STEP_SAME_NUMBER : STEP_NUMBER;
  parts |= step->lock || step->lock_class || step->owner ? STEP_OBJECT : 0;
  parts |= step->time < steps->time ? STEP_BACK : 0;
  return parts;
}

static uint8_t *put_parts(const struct kept_steps *steps, uint8_t *to, uint32_t location,
                          const struct account_step *step, uint32_t now, unsigned parts)
{
  if (parts & STEP_LOCATION)
    to = packed_put(to, location);
  if (parts & STEP_NOW)
    to = packed_put(to, now);
  if (parts & STEP_WAITS)
    *to++ = step->waits;
  if (parts & STEP_FLAGS)
    *to++ = step->flags;
  if (parts & STEP_REGION)
    to = packed_put(to, (uint32_t)(step->region + 1)); /* so that TRACE_NONE is short */
  if (parts & STEP_TEAM)
    to = packed_put(to, (uint32_t)(step->team + 1));
  if (parts & STEP_ORDINAL) /* most often the last one, or the next one */
    to = packed_put(to, step->ordinal - steps->locations[location].ordinal);
  if (parts & STEP_NUMBER)
    to = packed_put(to, step->number);
  if (parts & STEP_OBJECT) {
    to = put_all(to, &step->lock, sizeof step->lock);
    to = put_all(to, &step->lock_class, sizeof step->lock_class);
    to = put_all(to, &step->owner, sizeof step->owner);
  }
  return to;
}

static void write_steps(struct kept_steps *steps)
{
  struct error error = {""};
  uint64_t offset;
  if (!steps->spool)
    steps->spool = spool_create(&error);
  steps->failed |= !steps->spool || !spool_append(steps->spool, steps->buffer, steps->used, &offset);
  steps->used = 0;
}

void kept_steps_put(struct kept_steps *steps, uint32_t location, const struct account_step *step)
{
  if (steps->failed)
    return;
  if (STEPS_BUFFER - steps->used < STEP_MOST)
    write_steps(steps);
  uint32_t now = activity_number(steps, &step->now);
  unsigned parts = parts_of(steps, location, step, now);
  uint8_t *to = steps->buffer + steps->used;
  *to++ = (uint8_t)parts;
  *to++ = (uint8_t)(parts >> 8);
  to = packed_put(to, parts & STEP_BACK ? steps->time - step->time : step->time - steps->time);
  to = put_parts(steps, to, location, step, now, parts);
  struct kept_location *last = &steps->locations[location];
  last->now = now + 1;
  last->ordinal = parts & STEP_ORDINAL ? step->ordinal : last->ordinal;
  last->number = step->number ? step->number : last->number;
  steps->location = location;
  steps->time = step->time;
  steps->used = (size_t)(to - steps->buffer);
}

bool kept_steps_whole(const struct kept_steps *steps)
{
  return !steps->failed;
}

static const uint8_t *get_parts(struct kept_steps *steps, const uint8_t *from, unsigned parts,
                                struct account_step *step)
{
  uint64_t number;
  if (parts & STEP_LOCATION) {
    from = packed_get(from, &number);
    steps->location = (uint32_t)number;
  }
  struct kept_location *last = &steps->locations[steps->location];
  if (parts & STEP_NOW) {
    from = packed_get(from, &number);
    last->now = (uint32_t)number + 1;
  }
  if (parts & STEP_WAITS)
    step->waits = *from++;
  if (parts & STEP_FLAGS)
    step->flags = *from++;
  if (parts & STEP_REGION) {
    from = packed_get(from, &number);
    step->region = (uint32_t)number - 1;
  }
  if (parts & STEP_TEAM) {
    from = packed_get(from, &number);
    step->team = (uint32_t)number - 1;
  }
  if (parts & STEP_ORDINAL) {
    from = packed_get(from, &number);
    step->ordinal = last->ordinal += number;
  }
  if (parts & STEP_NUMBER)
    from = packed_get(from, &last->number);
  if (parts & (STEP_NUMBER | STEP_SAME_NUMBER))
    step->number = last->number;
  if (parts & STEP_OBJECT) {
    memcpy(&step->lock, from, sizeof step->lock);
    memcpy(&step->lock_class, from + 8, sizeof step->lock_class);
    memcpy(&step->owner, from + 16, sizeof step->owner);
    from += 24;
  }
  step->now = steps->activities.items[last->now - 1];
  return from;
}

/* Hands out the whole steps of the buffer; `size` bytes of it are filled, and `last` of them are all there are. Returns
 * the number of bytes it used. *good: false after a failure of the sink. */
static size_t replay_buffer(struct kept_steps *steps, const uint8_t *buffer, size_t size, bool last,
                            activity_sink *sink, void *context, bool *good)
{
  const uint8_t *from = buffer, *end = buffer + size;
  while (*good && (last ? from < end : (size_t)(end - from) >= STEP_MOST)) {
    struct account_step step = {.time = 0};
    unsigned parts = from[0] | (unsigned)from[1] << 8;
    uint64_t passed;
    from = packed_get(from + 2, &passed);
    step.kind = parts & STEP_KIND;
    step.time = steps->time = parts & STEP_BACK ? steps->time - passed : steps->time + passed;
    from = get_parts(steps, from, parts, &step);
    *good = sink(context, steps->location, &step);
  }
  return (size_t)(from - buffer);
}

/* Reads the steps on the disk, a buffer at a time: a part of a step is kept for the next one. */
static bool replay_spool(struct kept_steps *steps, activity_sink *sink, void *context, struct error *error)
{
  uint64_t size = spool_size(steps->spool), at = 0;
  size_t kept = 0;
  bool good = true;
  while (good && (at < size || kept > 0)) {
    size_t more = size - at < STEPS_BUFFER - kept ? (size_t)(size - at) : STEPS_BUFFER - kept;
    if (!spool_read(steps->spool, at, steps->buffer + kept, more))
      return spool_fail(steps->spool, error);
    at += more;
    size_t filled = kept + more, used = replay_buffer(steps, steps->buffer, filled, at == size, sink, context, &good);
    kept = filled - used;
    memmove(steps->buffer, steps->buffer + used, kept);
  }
  return good;
}

bool kept_steps_replay(struct kept_steps *steps, activity_sink *sink, void *context, struct error *error)
{
  bool good = true;
  if (steps->spool && steps->used > 0)
    write_steps(steps);
  if (steps->failed)
    return spool_fail(steps->spool, error);
  memset(steps->locations, 0, ((size_t)steps->location_count + 1) * sizeof *steps->locations);
  steps->location = 0;
  steps->time = 0;
  if (steps->spool)
    return replay_spool(steps, sink, context, error);
  replay_buffer(steps, steps->buffer, steps->used, true, sink, context, &good);
  return good;
}
