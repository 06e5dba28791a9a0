#include "analyzer/analyses/waits/java/shares.h"

#include <math.h>

static uint64_t border(const struct window_span *span, unsigned window)
{
  return span->begin + span->length / AWAITED_WINDOWS * window +
         span->length % AWAITED_WINDOWS * window / AWAITED_WINDOWS;
}

/* The window that has a time of the span. */
static unsigned window_of(const struct window_span *span, uint64_t time)
{
  unsigned window = (unsigned)((double)(time - span->begin) / (double)span->length * AWAITED_WINDOWS);
  while (window >= AWAITED_WINDOWS || (window > 0 && border(span, window) > time))
    window--;
  while (window + 1 < AWAITED_WINDOWS && border(span, window + 1) <= time)
    window++;
  return window;
}

void window_sums_add(struct window_sums *sums, const struct window_span *span, uint64_t begin, uint64_t end,
                     double times)
{
  uint64_t last = span->begin + span->length;
  begin = begin < span->begin ? span->begin : begin;
  end = end > last ? last : end;
  if (begin >= end)
    return;
  for (unsigned i = window_of(span, begin); i < AWAITED_WINDOWS && begin < end; i++) {
    uint64_t to = i + 1 < AWAITED_WINDOWS ? border(span, i + 1) : last;
    to = to < end ? to : end;
    sums->ticks[i] += times * (double)(to - begin);
    begin = to;
  }
}

static double least(double a, double b)
{
  return a < b ? a : b;
}

/* How many threads the program can have at work at once: it has shown so. */
static double threads_at_once(const struct windows_used *used, double width, uint64_t processors, bool waits)
{
  double most = 1;
  for (unsigned i = 0; i < AWAITED_WINDOWS; i++)
    most = used->worked.ticks[i] / width > most ? used->worked.ticks[i] / width : most;
  most = round(most);
  if (waits && most < 2)
    most = 2;
  return processors > 0 && most > (double)processors ? (double)processors : most;
}

/* Each gets its part of what is missing in the window, at most what was waited. Returns what is left. */
static double share_out(struct wait_share *const *shares, size_t count, unsigned window, double missing)
{
  double waits = 0;
  for (size_t i = 0; i < count; i++)
    waits += shares[i]->join ? 0 : shares[i]->waits.ticks[window];
  double given = least(waits, missing);
  for (size_t i = 0; i < count && waits > 0; i++)
    shares[i]->won += shares[i]->join ? 0 : given / waits * shares[i]->waits.ticks[window];
  return missing - given;
}

/* A thread that waits for the end of others does so for all that have ended before. */
static void share_rest(struct wait_share *const *shares, size_t count, unsigned window, double missing, double width)
{
  double waits = 0;
  for (size_t i = 0; i < count; i++)
    waits += shares[i]->join ? shares[i]->waits.ticks[window] : 0;
  double given = missing * least(waits / width, 1);
  for (size_t i = 0; i < count && waits > 0; i++)
    shares[i]->won += shares[i]->join ? given / waits * shares[i]->waits.ticks[window] : 0;
}

void shares_find(const struct window_span *span, const struct windows_used *used, uint64_t processors,
                 struct wait_share *const *shares, size_t count)
{
  double width = (double)span->length / AWAITED_WINDOWS;
  bool waits = false;
  for (size_t i = 0; i < count; i++)
    waits |= !shares[i]->join;
  if (width <= 0)
    return;
  double threads = threads_at_once(used, width, processors, waits);
  for (unsigned i = 0; i < AWAITED_WINDOWS; i++) {
    double missing = threads * width - used->worked.ticks[i] - used->locked.ticks[i] -
                     least(used->stopped.ticks[i], threads * width);
    if (missing > 0)
      share_rest(shares, count, i, share_out(shares, count, i, missing), width);
  }
  for (size_t i = 0; i < count; i++)
    shares[i]->won /= threads;
}
