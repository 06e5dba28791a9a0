#include "analyzer/findings/why/windows.h"

#include <stdlib.h>

#define NEARLY_ALL 0.9

struct windows_taker {
  struct subscriber subscriber;
  const struct trace *trace;
  uint64_t begin, length; /* ticks of the analyzed part */
  unsigned workers;
  struct windows *parts; /* a worker */
};

struct windows_lane {
  struct windows_taker *taker;
  struct windows *part; /* the worker's */
  bool thread;
};

static void *open_lane(void *context, const struct pass_location *location, struct error *error)
{
  struct windows_taker *taker = context;
  struct windows_lane *lane = calloc(1, sizeof *lane);
  if (lane)
    *lane = (struct windows_lane){.taker = taker, .thread = trace_is_thread(taker->trace, location->number)};
  else
    error_set(error, "%s: out of memory", taker->trace->anchor);
  return lane;
}

static void close_lane(void *context, void *lane)
{
  (void)context;
  free(lane);
}

static void brought_by(void *opened, unsigned worker)
{
  struct windows_lane *lane = opened;
  lane->part = &lane->taker->parts[worker];
}

static uint64_t *sums_of(const struct windows_lane *lane, const struct state_interval *interval)
{
  if (interval->state == STATE_UNMEASURED)
    return NULL;
  if (interval->state == STATE_GC)
    return lane->part->collected;
  if (interval->construct == TRACE_NONE)
    return interval->state == STATE_RUN ? lane->part->alone : NULL;
  return interval->state == STATE_RUN ? NULL : lane->part->lost[interval->construct];
}

/* Where a window begins. */
static uint64_t border(const struct windows_taker *taker, unsigned window)
{
  return taker->begin + taker->length / WINDOWS * window + taker->length % WINDOWS * window / WINDOWS;
}

static void add_interval(void *opened, const struct state_interval *interval)
{
  struct windows_lane *lane = opened;
  uint64_t *sums = lane->thread ? sums_of(lane, interval) : NULL;
  uint64_t from = interval->start;
  if (lane->taker->length == 0)
    return; /* the archive does not have the run's length */
  for (unsigned i = 0; sums && i < WINDOWS && from < interval->end; i++) {
    uint64_t to = i + 1 < WINDOWS ? border(lane->taker, i + 1) : UINT64_MAX;
    if (to <= from)
      continue;
    if (to > interval->end)
      to = interval->end;
    sums[i] += to - from;
    from = to;
  }
}

static void find_part(struct windows_taker *taker)
{
  const struct trace *trace = taker->trace;
  uint64_t end = trace->length < UINT64_MAX - trace->first_tick ? trace->first_tick + trace->length : UINT64_MAX;
  taker->begin = trace_time_from(trace, trace->first_tick);
  end = trace_time_to(trace, end);
  taker->length = end > taker->begin ? end - taker->begin : 0;
}

struct windows_taker *windows_begin(const struct trace *trace, struct pool *pool, struct error *error)
{
  struct windows_taker *taker = calloc(1, sizeof *taker);
  bool good = taker != NULL;
  if (taker) {
    taker->trace = trace;
    taker->workers = pool_workers(pool);
    taker->parts = calloc(taker->workers, sizeof *taker->parts);
    taker->subscriber = (struct subscriber){
        .context = taker, .open = open_lane, .brought_by = brought_by, .interval = add_interval, .close = close_lane};
    find_part(taker);
    good = taker->parts != NULL;
  }
  for (unsigned i = 0; good && i < taker->workers; i++)
    good = (taker->parts[i].lost = calloc(trace->region_count + 1, sizeof *taker->parts[i].lost)) != NULL;
  if (good)
    return taker;
  error_set(error, "%s: out of memory", trace->anchor);
  windows_drop(taker);
  return NULL;
}

const struct subscriber *windows_subscriber(const struct windows_taker *taker)
{
  return &taker->subscriber;
}

static void windows_add(uint64_t sums[WINDOWS], const uint64_t part[WINDOWS])
{
  for (unsigned i = 0; i < WINDOWS; i++)
    sums[i] += part[i];
}

void windows_end(struct windows_taker *taker, struct windows *windows)
{
  *windows = taker->parts[0];
  taker->parts[0].lost = NULL;
  for (unsigned i = 1; i < taker->workers; i++) {
    for (uint32_t region = 0; region < taker->trace->region_count; region++)
      windows_add(windows->lost[region], taker->parts[i].lost[region]);
    windows_add(windows->alone, taker->parts[i].alone);
    windows_add(windows->collected, taker->parts[i].collected);
  }
  windows_drop(taker);
}

void windows_drop(struct windows_taker *taker)
{
  if (!taker)
    return;
  for (unsigned i = 0; taker->parts && i < taker->workers; i++)
    windows_free(&taker->parts[i]);
  free(taker->parts);
  free(taker);
}

void windows_free(struct windows *windows)
{
  free(windows->lost);
  *windows = (struct windows){.lost = NULL};
}

double windows_stretch(const uint64_t ticks[WINDOWS], unsigned *begin, unsigned *end)
{
  double all = 0, best = 0;
  for (unsigned i = 0; i < WINDOWS; i++)
    all += (double)ticks[i];
  *begin = 0;
  *end = WINDOWS;
  for (unsigned size = 1; all > 0 && size <= WINDOWS && best < NEARLY_ALL; size++)
    for (unsigned from = 0; from + size <= WINDOWS; from++) {
      double sum = 0;
      for (unsigned i = from; i < from + size; i++)
        sum += (double)ticks[i];
      if (sum / all <= best || (sum / all < NEARLY_ALL && size < WINDOWS))
        continue;
      best = sum / all;
      *begin = from;
      *end = from + size;
    }
  return best;
}
