#include "otf2-convert/tick_rate.h"

#include <math.h>
#include <stdlib.h>

#define TICK_RATE_NS 1e9
/* An anchor's two clocks may be read some time after each other, where the thread lost its processor in between. */
#define NEAREST_NS  10000000u /* anchors that are nearer to each other say little */
#define JUMP_NS     200000000.0
#define JUMP_SHARE  1e-3 /* of the time between two anchors: CLOCK_MONOTONIC is slewed by up to half of that */
#define SPAN_ENOUGH 1000000u

static int tick_rate_by_time(const void *a, const void *b)
{
  const struct anchor *x = a, *y = b;
  return (x->monotonic_ns > y->monotonic_ns) - (x->monotonic_ns < y->monotonic_ns);
}

/* Leaves out what is too near to the anchor before; the last one stays. Returns how many are left. */
static size_t thin_out(struct anchor *anchors, size_t n)
{
  size_t kept = 1;
  for (size_t i = 1; i < n; i++)
    if (anchors[i].monotonic_ns - anchors[kept - 1].monotonic_ns >= NEAREST_NS)
      anchors[kept++] = anchors[i];
  if (kept > 1 && n > 1)
    anchors[kept - 1] = anchors[n - 1];
  else if (n > 1)
    anchors[kept++] = anchors[n - 1];
  return kept;
}

static double ticks_between(const struct anchor *a, const struct anchor *b)
{
  return (double)(int64_t)(b->ticks - a->ticks);
}

static double ns_between(const struct anchor *a, const struct anchor *b)
{
  return (double)(b->monotonic_ns - a->monotonic_ns);
}

struct interval {
  double rate, ns;
};

static int by_rate(const void *a, const void *b)
{
  const struct interval *x = a, *y = b;
  return (x->rate > y->rate) - (x->rate < y->rate);
}

/* The rate at which half of the time went slower, half of it faster. Ticks a ns; 0: no memory. */
static double median_rate(const struct anchor *anchors, size_t n)
{
  struct interval *intervals = malloc((n - 1) * sizeof *intervals);
  if (!intervals)
    return 0;
  double all = 0, sum = 0, median = 0;
  for (size_t i = 0; i + 1 < n; i++) {
    double ns = ns_between(&anchors[i], &anchors[i + 1]);
    intervals[i] = (struct interval){ticks_between(&anchors[i], &anchors[i + 1]) / ns, ns};
    all += ns;
  }
  qsort(intervals, n - 1, sizeof *intervals, by_rate);
  for (size_t i = 0; i + 1 < n && sum < all / 2; i++) {
    sum += intervals[i].ns;
    median = intervals[i].rate;
  }
  free(intervals);
  return median;
}

/* Sums up the intervals without a jump, and what jumped in the others. */
static struct tick_rate tick_rate_sum_up(const struct anchor *anchors, size_t n, double rate)
{
  struct tick_rate result = {0};
  double ticks = 0, ns = 0;
  for (size_t i = 0; i + 1 < n; i++) {
    double t = ticks_between(&anchors[i], &anchors[i + 1]), d = ns_between(&anchors[i], &anchors[i + 1]);
    double ahead = rate > 0 ? t / rate - d : 0;
    if (fabs(ahead) <= JUMP_NS + JUMP_SHARE * d) {
      ticks += t;
      ns += d;
    } else {
      result.jumps++;
      result.went_back |= t < 0;
      result.jumped_ns += ahead > 0 ? ahead : 0;
    }
  }
  result.frequency = ns >= SPAN_ENOUGH && ticks > 0 ? ticks * TICK_RATE_NS / ns : rate * TICK_RATE_NS;
  result.span_ns = ns < 0x1p63 ? (uint64_t)ns : UINT64_MAX;
  return result;
}

struct tick_rate tick_rate_of(struct anchor *anchors, size_t n, double known)
{
  if (n == 0)
    return (struct tick_rate){0};
  qsort(anchors, n, sizeof *anchors, tick_rate_by_time);
  n = thin_out(anchors, n);
  if (n < 2 || anchors[n - 1].monotonic_ns == anchors[0].monotonic_ns)
    return (struct tick_rate){0};
  struct tick_rate result = tick_rate_sum_up(anchors, n, known > 0 ? known / TICK_RATE_NS : median_rate(anchors, n));
  if (!(result.frequency >= 1e5 && result.frequency <= 1e12))
    result.frequency = 0;
  return result;
}
