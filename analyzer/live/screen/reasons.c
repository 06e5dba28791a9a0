#include "analyzer/live/screen/reasons.h"

#include "analyzer/findings/why/why.h"

static const char orders[] = "heddle why PID";

static void drop_parts(struct reasons *reasons)
{
  for (size_t i = 0; i < reasons->part_count; i++) {
    why_free(&reasons->parts[i]);
    findings_free(&reasons->part_findings[i]);
  }
  reasons->part_count = 0;
}

static bool begin(struct reasons *reasons, const struct live_reading *now)
{
  static const struct live_reading none = {.threads = NULL};
  drop_parts(reasons);
  live_reading_free(&reasons->base);
  return live_between(&none, now, &reasons->base);
}

static bool search(const struct live_reading *between, double threshold, struct findings *findings, struct why *why)
{
  struct why_sums sums = {.trace = between->trace, .profile = &between->profile, .orders = orders};
  return why_of_sums(&sums, threshold, findings, why);
}

/* Of all time since the begin. */
static bool look(struct reasons *reasons, const struct live_reading *now)
{
  struct live_reading all;
  why_free(&reasons->why);
  findings_free(&reasons->findings);
  bool good = live_between(&reasons->base, now, &all) && search(&all, WHY_WORTH, &reasons->findings, &reasons->why);
  live_reading_free(&all);
  return good &&
         (reasons->part_count < WHY_PARTS_LEAST || why_join(&reasons->why, reasons->parts, reasons->part_count));
}

bool reasons_add(struct reasons *reasons, const struct live_reading *now, const struct live_reading *between)
{
  if (!reasons->on)
    return true;
  if (!reasons->base.threads)
    return begin(reasons, now);
  size_t at = reasons->part_count;
  if (!search(between, FINDINGS_WORTH, &reasons->part_findings[at], &reasons->parts[at]))
    return false;
  reasons->part_count++;
  return look(reasons, now) && (reasons->part_count < REASONS_PARTS || begin(reasons, now));
}

void reasons_restart(struct reasons *reasons)
{
  bool on = reasons->on;
  reasons_free(reasons);
  *reasons = (struct reasons){.on = on};
}

void reasons_free(struct reasons *reasons)
{
  drop_parts(reasons);
  why_free(&reasons->why);
  findings_free(&reasons->findings);
  live_reading_free(&reasons->base);
}
