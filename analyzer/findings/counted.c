/*
 * True if the slowest thread of a construct had more work than the others, or the same work and less speed: its counts
 * of instructions say so, where they can.
 */
#include "analyzer/findings/counted.h"

#include <math.h>
#include <stdio.h>

#define LONGER  0.10    /* from which part of the mean busy time on a difference is looked at */
#define SAME    0.25    /* up to which part of that difference instructions count as the same ... */
#define MORE    0.75    /* ... and from which part on they explain it */
#define FEWEST  10000.0 /* instructions of a mean thread: below, what constructs begin and end with counts */
#define COVERED 0.8     /* part of the busy time that must be counted */

/* Of the threads of a construct in state RUN. A count lies between its bounds (counters.h). */
struct figures {
  uint32_t threads, slowest;
  double ticks, most;                         /* of all, and of the slowest */
  double least_all, most_all, least, largest; /* instructions: bounds of all, and of the slowest */
};

static const struct counter_sum *sum_of(const struct builder *builder, uint32_t location, uint32_t region,
                                        unsigned counter)
{
  const struct counters *counters = builder->of->counters;
  size_t low = 0, high = counters->rows.count;
  while (low < high) { /* rows are sorted */
    size_t middle = low + (high - low) / 2;
    const struct counters_row *row = &counters->rows.items[middle];
    bool before = row->location != location  ? row->location < location
                  : row->construct != region ? row->construct < region
                                             : row->state < STATE_RUN;
    if (before)
      low = middle + 1;
    else
      high = middle;
  }
  const struct counters_row *row = low < counters->rows.count ? &counters->rows.items[low] : NULL;
  bool is = row && row->location == location && row->construct == region && row->state == STATE_RUN;
  return is ? counters_sum(counters, row, counter) : NULL;
}

static void add_thread(struct figures *figures, uint32_t location, const struct counter_sum *sum)
{
  double ticks = (double)sum->ticks, least = (double)(sum->count - sum->shared),
         most = (double)(sum->count + sum->others);
  figures->ticks += ticks;
  figures->least_all += least;
  figures->most_all += most;
  if (ticks <= figures->most)
    return;
  figures->slowest = location;
  figures->most = ticks;
  figures->least = least;
  figures->largest = most;
}

/* False: of a thread too little was counted, or it is an estimate. */
static bool add_up(const struct builder *builder, uint32_t region, unsigned counter, struct figures *figures)
{
  const struct trace *trace = builder->of->trace;
  const struct imbalance_construct *construct = &builder->of->imbalance->constructs[region];
  const char *name = trace->metrics[builder->of->counters->metrics[counter]];
  double busy = 0;
  for (uint32_t i = 0; construct->by_thread && i < trace->location_count; i++) {
    if (construct->by_thread[i].calls == 0)
      continue;
    const struct counter_sum *sum = sum_of(builder, i, region, counter);
    if (!sum || counters_are_scaled(trace, i, name))
      return false;
    busy += (double)construct->by_thread[i].busy;
    figures->threads++;
    add_thread(figures, i, sum);
  }
  return figures->threads > 1 && figures->ticks >= COVERED * busy &&
         figures->least_all >= FEWEST * (double)figures->threads;
}

enum finding_cause counted_text(const struct builder *builder, uint32_t region, char text[COUNTED_SIZE])
{
  const struct counters *counters = builder->of->counters;
  int counter = counters ? counters_instructions(builder->of->trace, counters) : -1;
  struct figures figures = {0};
  *text = '\0';
  if (counter < 0 || !add_up(builder, region, (unsigned)counter, &figures))
    return CAUSE_UNKNOWN;
  double longer = figures.threads * figures.most / figures.ticks - 1;
  double at_least = figures.threads * figures.least / figures.most_all - 1;
  double at_most = figures.threads * figures.largest / figures.least_all - 1;
  if (longer < LONGER)
    return CAUSE_UNKNOWN;
  if (at_most <= SAME * longer) {
    snprintf(text, COUNTED_SIZE,
             "; the slowest is busy %.0f %% longer than the mean with the same instructions (%+.0f %%): memory, or a "
             "slower processor, not more work",
             100 * longer, 100 * fmax(at_most, -1));
    return CAUSE_SPEED;
  }
  if (at_least < MORE * longer)
    return CAUSE_UNKNOWN;
  snprintf(text, COUNTED_SIZE,
           "; the slowest is busy %.0f %% longer than the mean and executes %.0f %% more instructions: it has more "
           "work",
           100 * longer, 100 * at_least);
  return CAUSE_WORK;
}
