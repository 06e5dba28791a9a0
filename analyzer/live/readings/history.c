#include "analyzer/live/readings/history.h"

void live_history_begin(struct live_history *history, uint64_t begin, uint64_t width)
{
  *history = (struct live_history){.begin = begin, .width = width > 0 ? width : 1};
}

void live_history_like(struct live_history *history, const struct live_history *other)
{
  live_history_begin(history, other->begin, other->width);
  history->end = other->end;
  history->used = other->used;
}

static void fold(struct live_history *history)
{
  for (size_t i = 0; i < LIVE_HISTORY_BINS / 2; i++)
    history->bins[i] = history->bins[2 * i] + history->bins[2 * i + 1];
  for (size_t i = LIVE_HISTORY_BINS / 2; i < LIVE_HISTORY_BINS; i++)
    history->bins[i] = 0;
  history->used = (history->used + 1) / 2;
  history->width *= 2;
}

void live_history_add(struct live_history *history, uint64_t from, uint64_t to, uint64_t amount)
{
  from = from > history->begin ? from - history->begin : 0;
  to = to > history->begin ? to - history->begin : 0;
  from = from < to ? from : to > 0 ? to - 1 : 0;
  to = to > from ? to : from + 1;
  while ((to - 1) / history->width >= LIVE_HISTORY_BINS)
    fold(history);
  size_t last = (size_t)((to - 1) / history->width);
  uint64_t given = 0;
  for (size_t bin = (size_t)(from / history->width); bin <= last; bin++) {
    /* All that came up to the bin's end, rounded down, so that the last bin gets what is left. */
    uint64_t end = bin < last ? (bin + 1) * history->width : to;
    uint64_t until = (uint64_t)((unsigned __int128)amount * (end - from) / (to - from));
    history->bins[bin] += until - given;
    given = until;
  }
  history->used = last + 1 > history->used ? last + 1 : history->used;
  history->end = to > history->end ? to : history->end;
}

double live_history_density(const struct live_history *history, size_t bin)
{
  uint64_t begin = bin * history->width;
  if (bin >= history->used || history->end <= begin)
    return 0;
  uint64_t so_far = history->end - begin;
  return (double)history->bins[bin] / (double)(so_far < history->width ? so_far : history->width);
}
