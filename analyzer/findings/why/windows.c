#include "analyzer/findings/why/windows.h"

#include <stdlib.h>

#define NEARLY_ALL 0.9

struct windows_analysis {
  const struct trace *trace;
  uint64_t begin, length; /* ticks of the analyzed part */
  unsigned workers;
  struct windows *parts; /* a worker */
};

struct windows_lane {
  struct windows_analysis *analysis;
  struct windows *part; /* the worker's */
  bool thread;
};

static bool begin_lane(void *context, void *opened, const struct pass_location *location, struct error *error)
{
  (void)error;
  struct windows_analysis *analysis = context;
  struct windows_lane *lane = opened;
  lane->analysis = analysis;
  lane->thread = trace_is_thread(analysis->trace, location->number);
  return true;
}

static void brought_by(void *opened, unsigned worker)
{
  struct windows_lane *lane = opened;
  lane->part = &lane->analysis->parts[worker];
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
static uint64_t border(const struct windows_analysis *analysis, unsigned window)
{
  return analysis->begin + analysis->length / WINDOWS * window + analysis->length % WINDOWS * window / WINDOWS;
}

static void add_interval(void *opened, const struct state_interval *interval)
{
  struct windows_lane *lane = opened;
  uint64_t *sums = lane->thread ? sums_of(lane, interval) : NULL;
  uint64_t from = interval->start;
  if (lane->analysis->length == 0)
    return; /* the archive does not have the run's length */
  for (unsigned i = 0; sums && i < WINDOWS && from < interval->end; i++) {
    uint64_t to = i + 1 < WINDOWS ? border(lane->analysis, i + 1) : UINT64_MAX;
    if (to <= from)
      continue;
    if (to > interval->end)
      to = interval->end;
    sums[i] += to - from;
    from = to;
  }
}

static void find_part(struct windows_analysis *analysis)
{
  const struct trace *trace = analysis->trace;
  uint64_t end = trace->length < UINT64_MAX - trace->first_tick ? trace->first_tick + trace->length : UINT64_MAX;
  analysis->begin = trace_time_from(trace, trace->first_tick);
  end = trace_time_to(trace, end);
  analysis->length = end > analysis->begin ? end - analysis->begin : 0;
}

static bool windows_begin(void *state, const struct analysis_input *input)
{
  struct windows_analysis *analysis = state;
  analysis->trace = input->trace;
  analysis->workers = pool_workers(input->pool);
  analysis->parts = calloc(analysis->workers, sizeof *analysis->parts);
  find_part(analysis);
  bool good = analysis->parts != NULL;
  for (unsigned i = 0; good && i < analysis->workers; i++)
    good = (analysis->parts[i].lost = calloc(input->trace->region_count + 1, sizeof *analysis->parts[i].lost)) != NULL;
  return good;
}

static void windows_add(uint64_t sums[WINDOWS], const uint64_t part[WINDOWS])
{
  for (unsigned i = 0; i < WINDOWS; i++)
    sums[i] += part[i];
}

static bool windows_end(void *state, void *result, struct error *error)
{
  (void)error;
  struct windows_analysis *analysis = state;
  struct windows *windows = result;
  *windows = analysis->parts[0];
  windows->of = (struct windows_run){analysis->begin, analysis->length};
  analysis->parts[0].lost = NULL;
  for (unsigned i = 1; i < analysis->workers; i++) {
    for (uint32_t region = 0; region < analysis->trace->region_count; region++)
      windows_add(windows->lost[region], analysis->parts[i].lost[region]);
    windows_add(windows->alone, analysis->parts[i].alone);
    windows_add(windows->collected, analysis->parts[i].collected);
  }
  return true;
}

static void windows_free(void *result)
{
  struct windows *windows = result;
  free(windows->lost);
  *windows = (struct windows){.lost = NULL};
}

static void windows_drop(void *state)
{
  struct windows_analysis *analysis = state;
  for (unsigned i = 0; analysis->parts && i < analysis->workers; i++)
    windows_free(&analysis->parts[i]);
  free(analysis->parts);
}

const struct analysis windows_analysis = {.name = "windows",
                                          .state_size = sizeof(struct windows_analysis),
                                          .result_size = sizeof(struct windows),
                                          .begin = windows_begin,
                                          .lanes = {.lane_size = sizeof(struct windows_lane),
                                                    .begin = begin_lane,
                                                    .brought_by = brought_by,
                                                    .interval = add_interval},
                                          .end = windows_end,
                                          .drop = windows_drop,
                                          .free = windows_free};

/* Spreads ticks between two times, which are relative to the run. */
static void spread(double from, double to, double ticks, const struct windows_run *run, double sums[WINDOWS])
{
  double size = (double)run->length / WINDOWS;
  for (unsigned i = 0; i < WINDOWS && to > from; i++) {
    double begin = from > i * size ? from : i * size, end = to < (i + 1) * size ? to : (i + 1) * size;
    if (end > begin)
      sums[i] += ticks * (end - begin) / (to - from);
  }
}

void windows_of_run(const struct windows_run *windows, const struct windows_run *run, uint64_t before,
                    uint64_t ticks[WINDOWS])
{
  double sums[WINDOWS] = {0}, size = (double)windows->length / WINDOWS;
  double at = (double)windows->begin - (double)run->begin;
  spread(0, at, (double)before, run, sums);
  for (unsigned i = 0; i < WINDOWS; i++)
    spread(at + i * size, at + (i + 1) * size, (double)ticks[i], run, sums);
  for (unsigned i = 0; i < WINDOWS; i++)
    ticks[i] = (uint64_t)(sums[i] + 0.5);
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
