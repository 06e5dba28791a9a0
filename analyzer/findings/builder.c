#include "analyzer/findings/builder.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define LACKED_WORTH 0.05 /* of a difference: less of it is not said */

#define MARGIN_SIZE 128

const char *builder_duration(const struct builder *builder, double ticks, char text[UNITS_SIZE])
{
  return units_duration((uint64_t)(ticks + 0.5), builder->of->trace->ticks_per_second, text);
}

static double percent(const struct builder *builder, double ticks)
{
  double run = builder->run;
  double part = run > 0 ? 100 * ticks / run : 0;
  return part < 100 ? part : 100;
}

const char *builder_won(const struct builder *builder, double ticks, char text[WON_SIZE])
{
  char won[UNITS_SIZE];
  const char *whole = builder->of->imbalance->unmeasured > 0 ? "the measured part of the run" : "the run";
  snprintf(text, WON_SIZE, "so up to %s (%.1f %% of %s) could be won", builder_duration(builder, ticks, won),
           percent(builder, ticks), whole);
  return text;
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

/* What follows a finding about a construct of which not all instances are recorded. */
static const char *margin_of(const struct builder *builder, uint32_t region, char text[MARGIN_SIZE])
{
  const struct imbalance *imbalance = builder->of->imbalance;
  const struct imbalance_construct *construct = region < imbalance->count ? &imbalance->constructs[region] : NULL;
  char margin[UNITS_SIZE];
  *text = 0;
  if (construct && construct->more)
    snprintf(
        text, MARGIN_SIZE, " (An estimate%s: not all of its instances are recorded.)",
        units_margin(imbalance_half_width(construct, IMBALANCE_TO_WIN), fine_total_ticks(construct->to_win), margin));
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

/* How certain a finding is; for one of a construct of which not all instances are recorded, as certain as what could be
 * won in it. */
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
  added.percent = percent(builder, finding->ticks);
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
