#include "analyzer/analyses/calls/history.h"

size_t history_find(const struct history *history, uint64_t time)
{
  size_t first = 0, end = history->pieces.count;
  while (first < end) {
    size_t middle = first + (end - first) / 2;
    if (history->pieces.items[middle].end > time)
      end = middle;
    else
      first = middle + 1;
  }
  return first;
}

size_t history_find_sample(const struct history *history, uint64_t time)
{
  size_t first = 0, end = history->samples.count;
  while (first < end) {
    size_t middle = first + (end - first) / 2;
    if (history->samples.items[middle].time >= time)
      end = middle;
    else
      first = middle + 1;
  }
  return first;
}

/* Pieces that follow each other without a gap become one. */
static void halve_pieces(struct history *history)
{
  size_t kept = 0;
  for (size_t i = 0; i < history->pieces.count; i += 2) {
    struct history_piece piece = history->pieces.items[i];
    struct history_piece *next = i + 1 < history->pieces.count ? &history->pieces.items[i + 1] : NULL;
    if (next && next->begin == piece.end) {
      uint64_t begin = piece.begin, end = next->end;
      if (next->end - next->begin > piece.end - piece.begin)
        piece = *next;
      piece.begin = begin;
      piece.end = end;
      next = NULL;
    }
    history->pieces.items[kept++] = piece;
    if (next)
      history->pieces.items[kept++] = *next;
  }
  history->pieces.count = kept;
}

static void halve_samples(struct history *history)
{
  size_t kept = 0;
  for (size_t i = 0; i < history->samples.count; i += 2) {
    struct history_sample sample = history->samples.items[i];
    if (i + 1 < history->samples.count)
      sample.weight += history->samples.items[i + 1].weight;
    history->samples.items[kept++] = sample;
  }
  history->samples.count = kept;
}

/* Makes room: forgets what is before `needed`, which is at least half of it, or merges neighbors. */
static void make_room(struct history *history, uint64_t needed)
{
  size_t old = history_find(history, needed), old_samples = history_find_sample(history, needed);
  history->pieces.count -= old;
  memmove(history->pieces.items, history->pieces.items + old, history->pieces.count * sizeof *history->pieces.items);
  history->samples.count -= old_samples;
  if (history->samples.count > 0)
    memmove(history->samples.items, history->samples.items + old_samples,
            history->samples.count * sizeof *history->samples.items);
  if (history->pieces.count > history->most / 2)
    halve_pieces(history);
  if (history->samples.count > history->most / 2)
    halve_samples(history);
}

static bool are_one(const struct history_piece *a, const struct history_piece *b)
{
  return a->end == b->begin && a->kind == b->kind && a->kind != PIECE_WAIT && a->reason == b->reason &&
         a->what == b->what;
}

bool history_add(struct history *history, const struct history_piece *piece, history_needed *needed, void *context)
{
  struct history_piece *last = history->pieces.count > 0 ? &history->pieces.items[history->pieces.count - 1] : NULL;
  if (last && are_one(last, piece)) {
    last->end = piece->end;
    return true;
  }
  if (history->pieces.count >= history->most)
    make_room(history, needed(context));
  return vector_push(&history->pieces, *piece);
}

bool history_add_sample(struct history *history, const struct samples_event *sample, history_needed *needed,
                        void *context)
{
  struct history_sample more = {.time = sample->time, .context = sample->context, .weight = sample->weight};
  if (history->samples.count >= history->most)
    make_room(history, needed(context));
  return vector_push(&history->samples, more);
}

void history_free(struct history *history)
{
  vector_free(&history->pieces);
  vector_free(&history->samples);
}
