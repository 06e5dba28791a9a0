#include "analyzer/findings/overhead_sentence.h"

#include "analyzer/analyses/overhead/budget.h"
#include "analyzer/command/print/units.h"
#include "analyzer/trace/definitions.h"
#include "base/count_of.h"
#include "common/raw/archive_names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The budget that the location's process was recorded with; NULL: none, or not known. */
static const char *limit_of(const struct trace *trace, uint32_t location)
{
  const char *budget = overhead_budget_of(trace, location);
  return budget && strcmp(budget, VALUE_BUDGET_NONE) != 0 ? budget : NULL;
}

/* True if a budget leaves out instances of the construct: neither of Java's constructs nor of these. */
static bool is_thinned(const char *name, enum overhead_kind kind)
{
  static const char *const others[] = {NAME_OMP_JAVA, REGION_TASKLOOP, REGION_DISTRIBUTE, REGION_TEAMS};
  bool thinned = kind != OVERHEAD_OTHER && kind != OVERHEAD_USER;
  for (size_t i = 0; i < COUNT_OF(others); i++)
    thinned &= strncmp(name, others[i], strlen(others[i])) != 0;
  return thinned;
}

/* How to have fewer events of a kind: in the program, and with a budget if it helps. NULL: out of memory. */
static char *advice(const struct trace *trace, const struct overhead *overhead)
{
  static const char *const changes[OVERHEAD_KINDS] = {[OVERHEAD_OTHER] = "do more between them",
                                                      [OVERHEAD_LOOPS] = "give it a larger chunk size",
                                                      [OVERHEAD_INSTANCES] =
                                                          "merge its instances into fewer, longer ones",
                                                      [OVERHEAD_LOCKS] = "do more each time that it is acquired",
                                                      [OVERHEAD_TASKS] = "make fewer, larger tasks",
                                                      [OVERHEAD_USER] = "enter it less often"};
  const char *before = "", *after = "";
  char *text = NULL;
  if (!limit_of(trace, overhead->location))
    before = is_thinned(trace->regions[overhead->construct].name, overhead->kind) ? "record with --budget 5%, or " : "";
  else if (overhead_budget_keeps(trace, overhead->location, overhead->construct))
    after = ", or record without --keep";
  return asprintf(&text, "%s%s%s", before, changes[overhead->kind], after) < 0 ? NULL : text;
}

/* "; 30 % of this is omp_set_lock @a.c:3 (locks and critical sections together: 90 %): <advice>". NULL: out of memory.
 */
static char *whose(const struct trace *trace, const struct overhead *overhead)
{
  static const char *const kinds[OVERHEAD_KINDS] = {[OVERHEAD_OTHER] = "barriers and the like",
                                                    [OVERHEAD_LOOPS] = "loops",
                                                    [OVERHEAD_INSTANCES] = "constructs like it",
                                                    [OVERHEAD_LOCKS] = "locks and critical sections",
                                                    [OVERHEAD_TASKS] = "tasks",
                                                    [OVERHEAD_USER] = "the program's own regions"};
  char together[96] = "";
  char *text = NULL;
  if (overhead->construct == TRACE_NONE)
    return strdup("");
  if (overhead->kind_share > overhead->share + 0.05)
    snprintf(together, sizeof together, " (%s together: %.0f %%)", kinds[overhead->kind], 100 * overhead->kind_share);
  char *help = advice(trace, overhead);
  if (!help || asprintf(&text, "; %.0f %% of this is %s%s: %s", 100 * overhead->share,
                        trace->regions[overhead->construct].name, together, help) < 0)
    text = NULL;
  free(help);
  return text;
}

char *overhead_sentence(const struct trace *trace, const struct overhead *overhead)
{
  char recording[UNITS_SIZE], lifetime[UNITS_SIZE], exceeded[64] = "";
  const char *budget = limit_of(trace, overhead->location);
  char *text = NULL, *construct = whose(trace, overhead);
  if (budget && strchr(budget, '%'))
    snprintf(exceeded, sizeof exceeded, "The budget of %.8s could not be held: recording", budget);
  units_duration(overhead->recording, trace->ticks_per_second, recording);
  units_duration(overhead->lifetime, trace->ticks_per_second, lifetime);
  if (!construct || asprintf(&text, "%s has likely slowed %s down by %.0f %% or more (%s of its %s)%s.",
                             *exceeded ? exceeded : "Recording", trace_thread_said(trace, overhead->location),
                             overhead_percent(overhead), recording, lifetime, construct) < 0)
    text = NULL;
  free(construct);
  return text;
}
