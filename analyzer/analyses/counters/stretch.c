#include "analyzer/analyses/counters/stretch.h"

#include "base/statistics.h"

#include <stdlib.h>
#include <string.h>

static size_t words_of(const struct stretch *stretch)
{
  return 1 + stretch->count;
}

/* The piece with a key; it is new if there was none. NULL: no memory. Of the first ones the hash has none. */
static struct stretch_piece *piece_of(struct stretch *stretch, uint64_t key)
{
  size_t count = stretch->pieces.count, few = count < STRETCH_FEW ? count : STRETCH_FEW;
  for (size_t i = 0; i < few; i++)
    if (stretch->pieces.items[i].key == key)
      return &stretch->pieces.items[i];
  const uint64_t *known = count > STRETCH_FEW ? hash_find(&stretch->pieces_of, key) : NULL;
  if (known)
    return &stretch->pieces.items[*known];
  if ((count >= STRETCH_FEW && !hash_add(&stretch->pieces_of, key, count)) ||
      !vector_push(&stretch->pieces, ((struct stretch_piece){.key = key})))
    return NULL;
  return &stretch->pieces.items[count];
}

/* In READY and OFF a thread has no processor, so nothing is counted. */
static void add_piece(struct stretch *stretch, const struct state_interval *interval, uint64_t ticks)
{
  uint64_t key = stretch_key(interval->construct, interval->state), length = interval->end - interval->start;
  bool waits = interval->state == STATE_READY || interval->state == STATE_OFF;
  uint64_t off = waits ? ticks : (uint64_t)((wide_total)ticks * interval->off / length);
  struct stretch_piece *piece = piece_of(stretch, key);
  if (!piece) {
    stretch->failed = true;
    return;
  }
  piece->ticks += ticks;
  piece->weight += off < ticks ? ticks - off : 0;
}

static void give(struct stretch *stretch, const struct stretch_share *share)
{
  stretch->failed |= !stretch->take(stretch->context, share);
}

/* Gives each piece its part of one counter's difference. The parts of whole numbers add up to it. */
static void share_out(struct stretch *stretch, unsigned counter, uint64_t difference, bool by_weight, wide_total all)
{
  wide_total before = 0;
  uint64_t given = 0;
  for (size_t i = 0; i < stretch->pieces.count; i++) {
    const struct stretch_piece *piece = &stretch->pieces.items[i];
    uint64_t part = by_weight ? piece->weight : piece->ticks;
    before += part;
    uint64_t up_to = (uint64_t)(difference * before / all);
    struct stretch_share share = {.key = piece->key, .counter = counter, .count = up_to - given, .ticks = piece->ticks};
    share.alone = part == all || part == 0;
    share.others = difference - share.count;
    given = up_to;
    give(stretch, &share);
  }
}

static void forget_pieces(struct stretch *stretch)
{
  if (stretch->pieces.count > 0) {
    stretch->newest = stretch->pieces.items[stretch->pieces.count - 1].key;
    stretch->has_newest = true;
  }
  if (stretch->pieces.count > STRETCH_FEW)
    hash_free(&stretch->pieces_of);
  stretch->pieces.count = 0;
}

/* A reading whose intervals have all come. If there are none, the next reading has its counts. */
static void settle(struct stretch *stretch, uint64_t time, const uint64_t *values)
{
  wide_total weight = 0, ticks = 0;
  for (size_t i = 0; i < stretch->pieces.count; i++) {
    weight += stretch->pieces.items[i].weight;
    ticks += stretch->pieces.items[i].ticks;
  }
  if (stretch->any && ticks == 0)
    return;
  for (unsigned i = 0; stretch->any && i < stretch->count; i++) {
    uint64_t last = stretch->values.items[i];
    share_out(stretch, i, values[i] > last ? values[i] - last : 0, weight > 0, weight > 0 ? weight : ticks);
  }
  if (!vector_resize(&stretch->values, stretch->count)) {
    stretch->failed = true;
    return;
  }
  memcpy(stretch->values.items, values, stretch->count * sizeof *values);
  stretch->any = true;
  stretch->settled = time;
  forget_pieces(stretch);
}

/* Time before the first reading is not counted. */
static void take_time(struct stretch *stretch, const struct state_interval *interval, uint64_t from, uint64_t to)
{
  if (stretch->any && from < to)
    add_piece(stretch, interval, to - from);
}

void stretch_interval(struct stretch *stretch, const struct state_interval *interval)
{
  size_t words = words_of(stretch), done = 0;
  uint64_t at = interval->start > stretch->settled ? interval->start : stretch->settled;
  for (; done < stretch->waiting.count && stretch->waiting.items[done] <= interval->end; done += words) {
    uint64_t time = stretch->waiting.items[done];
    if (time > at) {
      take_time(stretch, interval, at, time);
      at = time;
    }
    settle(stretch, time, &stretch->waiting.items[done + 1]);
  }
  if (done > 0) {
    stretch->waiting.count -= done;
    memmove(stretch->waiting.items, stretch->waiting.items + done, stretch->waiting.count * sizeof(uint64_t));
  }
  take_time(stretch, interval, at, interval->end);
  stretch->reached = interval->end;
}

void stretch_reading(struct stretch *stretch, uint64_t time, const uint64_t *values)
{
  size_t words = words_of(stretch);
  if (!vector_resize(&stretch->latest, stretch->count)) {
    stretch->failed = true;
    return;
  }
  memcpy(stretch->latest.items, values, stretch->count * sizeof *values);
  if (stretch->waiting.count == 0 && (stretch->reached >= time || !stretch->any)) {
    settle(stretch, time, values);
    return;
  }
  if (stretch->waiting.count == STRETCH_WAITING * words)
    stretch->waiting.count -= words;
  if (!vector_make_room(&stretch->waiting, stretch->waiting.count + words)) {
    stretch->failed = true;
    return;
  }
  stretch->waiting.items[stretch->waiting.count] = time;
  memcpy(stretch->waiting.items + stretch->waiting.count + 1, values, stretch->count * sizeof *values);
  stretch->waiting.count += words;
}

/* What is left has no time: what was counted last gets it, so that no count is lost. */
bool stretch_end(struct stretch *stretch)
{
  if (!stretch->any || stretch->failed)
    return !stretch->failed;
  if (stretch->waiting.count > 0)
    settle(stretch, stretch->reached, stretch->latest.items);
  for (unsigned i = 0; stretch->has_newest && i < stretch->count; i++) {
    uint64_t before = stretch->values.items[i], last = stretch->latest.items[i];
    struct stretch_share share = {.key = stretch->newest, .counter = i, .alone = true};
    share.count = last > before ? last - before : 0;
    if (share.count > 0)
      give(stretch, &share);
  }
  return !stretch->failed;
}

void stretch_free(struct stretch *stretch)
{
  vector_free(&stretch->values);
  vector_free(&stretch->latest);
  vector_free(&stretch->pieces);
  vector_free(&stretch->waiting);
  hash_free(&stretch->pieces_of);
}
