#include "analyzer/findings/builder.h"

#include "analyzer/trace/bound_to.h"
#include "common/raw/archive_names.h"

#include <math.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LACKED_WORTH 0.05 /* of a difference: less of it is not said */

#define MARGIN_SIZE 128

const char *builder_duration(const struct builder *builder, double ticks, char text[UNITS_SIZE])
{
  return units_duration((uint64_t)(ticks + 0.5), builder->of->trace->ticks_per_second, text);
}

double builder_percent(const struct builder *builder, double ticks)
{
  double run = builder->run;
  double part = run > 0 ? 100 * ticks / run : 0;
  return part < 100 ? part : 100;
}

#define WON_SIZE (UNITS_SIZE + 96)

static const char *won_text(const struct builder *builder, const struct finding *finding, char text[WON_SIZE])
{
  char won[UNITS_SIZE];
  const char *whole = builder->of->imbalance->not_measured > 0 ? "the measured part of the run" : "the run";
  snprintf(text, WON_SIZE, "so up to %s (%.1f %% of %s) could be won", builder_duration(builder, finding->ticks, won),
           finding->percent, whole);
  return text;
}

bool builder_finish(struct builder *builder)
{
  for (size_t i = 0; i < builder->list.count; i++) {
    struct finding *finding = &builder->list.items[i];
    char *mark = finding->text ? strchr(finding->text, *BUILDER_WON) : NULL, *text, won[WON_SIZE];
    if (!mark)
      continue;
    if (asprintf(&text, "%.*s%s%s", (int)(mark - finding->text), finding->text, won_text(builder, finding, won),
                 mark + 1) < 0)
      return false;
    free(finding->text);
    finding->text = text;
  }
  return true;
}

const char *builder_lacked(const struct builder *builder, double ticks, double lacked, char text[LACKED_SIZE])
{
  char time[UNITS_SIZE];
  *text = '\0';
  if (lacked >= LACKED_WORTH * (ticks + lacked))
    snprintf(text, LACKED_SIZE, " %s of the difference without a processor,", builder_duration(builder, lacked, time));
  return text;
}

const char *builder_region_name(const struct builder *builder, uint32_t region)
{
  return builder->of->trace->regions[region].name;
}

uint64_t builder_processors(const struct builder *builder, uint32_t location)
{
  const struct trace *trace = builder->of->trace;
  uint32_t process = location == TRACE_NONE ? TRACE_NONE : trace->locations[location].process;
  return process == TRACE_NONE ? 0 : trace_processors(trace, process);
}

const struct schedule_loop *builder_loop(const struct builder *builder, uint32_t region)
{
  const struct schedules *schedules = builder->of->schedules;
  for (uint32_t i = 0; i < schedules->count; i++)
    if (schedules->loops[i].region == region)
      return &schedules->loops[i];
  return NULL;
}

/* Appendix to a finding about a construct with instances that are not recorded. */
static const char *margin_of(const struct builder *builder, uint32_t region, char text[MARGIN_SIZE])
{
  const struct imbalance *imbalance = builder->of->imbalance;
  const struct imbalance_construct *construct = region < imbalance->count ? &imbalance->constructs[region] : NULL;
  char margin[UNITS_SIZE];
  *text = 0;
  if (!construct || !construct->more)
    return text;
  double half = imbalance_half_width(construct, IMBALANCE_TO_WIN), ticks = fine_total_ticks(construct->to_win);
  snprintf(text, MARGIN_SIZE, " (An estimate%s: not all of its instances are recorded.)",
           isfinite(half / ticks) ? units_margin(half, ticks, margin) : " of unknown error");
  return text;
}

/* Takes the text, which may be NULL. The caller frees the result; NULL: out of memory. */
static char *with_margin(const struct builder *builder, const struct finding *finding, char *text)
{
  char margin[MARGIN_SIZE], *whole = NULL;
  if (!text || !*margin_of(builder, finding->region, margin))
    return text;
  if (asprintf(&whole, "%s%s", text, margin) < 0)
    whole = NULL;
  free(text);
  return whole;
}

/* Certainty of a finding. If not all instances of its construct are recorded, it is as certain as the possible gain in
 * the construct. */
static void put_confidence(const struct builder *builder, struct finding *finding)
{
  const struct imbalance *imbalance = builder->of->imbalance;
  const struct imbalance_construct *construct =
      finding->region < imbalance->count ? &imbalance->constructs[finding->region] : NULL;
  if (finding->half_width > 0)
    return; /* the subject knows better */
  finding->recorded = finding->ticks;
  if (!construct || !construct->more)
    return;
  double to_win = fine_total_ticks(construct->to_win);
  double more = (double)estimate_more(&construct->more[IMBALANCE_TO_WIN]);
  double part = to_win > more ? 1 - more / to_win : 0;
  finding->recorded = finding->ticks * part;
  finding->half_width =
      to_win > 0 ? finding->ticks * imbalance_half_width(construct, IMBALANCE_TO_WIN) / to_win : INFINITY;
}

bool builder_add(struct builder *builder, const struct finding *finding, const char *format, ...)
{
  if (!(finding->ticks > 0))
    return true;
  struct finding added = *finding;
  added.percent = builder_percent(builder, finding->ticks);
  added.account = ACCOUNT_KINDS;
  put_confidence(builder, &added);
  va_list list;
  va_start(list, format);
  int length = vasprintf(&added.text, format, list);
  va_end(list);
  added.text = with_margin(builder, finding, length < 0 ? NULL : added.text);
  if (!added.text)
    return false;
  if (vector_push(&builder->list, added))
    return true;
  free(added.text);
  return false;
}

uint32_t bound_threads(const struct analysis_results *of, size_t begin, size_t end, uint32_t *processors)
{
  const struct processors_row *rows = of->processors->rows.items;
  uint32_t threads = 0, last = TRACE_NONE;
  bool bound = true;
  cpu_set_t all, own;
  CPU_ZERO(&all);
  for (size_t i = begin; i < end; i++) {
    if (!rows[i].ready || rows[i].location == last)
      continue;
    last = rows[i].location;
    threads++;
    bound = bound && trace_bound_to(of->trace, last, &own);
    if (bound)
      CPU_OR(&all, &all, &own);
  }
  *processors = bound ? (uint32_t)CPU_COUNT(&all) : 0;
  return threads;
}

/*
 * True if the slowest thread of a construct had more work than the others, or the same work and less speed. Its counts
 * of instructions decide, where they can.
 */

#define LONGER  0.10    /* from which part of the mean busy time on a difference is looked at */
#define SAME    0.25    /* up to which part of that difference instructions count as the same ... */
#define MORE    0.75    /* ... and from which part on they explain it */
#define FEWEST  10000.0 /* instructions of a mean thread: below, what constructs begin and end with counts */
#define COVERED 0.8     /* part of the busy time that must be counted */

/* Counts of the threads of a construct in state RUN. A count lies between its bounds (counters.h). */
struct figures {
  uint32_t threads, slowest;
  double ticks, most;                         /* counts of all, and of the slowest */
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

/* False: too little of a thread was counted, or the count is an estimate. */
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
