#include "analyzer/findings/why/tree.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

bool tree_add(struct tree *tree, const struct why_node *node, const char *format, ...)
{
  struct why_node added = *node;
  added.trace = tree->trace;
  va_list list;
  va_start(list, format);
  int length = vasprintf(&added.text, format, list);
  va_end(list);
  if (length < 0)
    return false;
  if (vector_push(&tree->why->nodes, added))
    return true;
  free(added.text);
  return false;
}

enum why_verdict why_verdict_of(double threshold, double low, double percent, double high)
{
  return low >= threshold ? WHY_TRUE : high < threshold ? WHY_FALSE : percent >= threshold ? WHY_LIKELY : WHY_UNKNOWN;
}

bool tree_has_small_chunks(const struct tree *tree, uint32_t region)
{
  const struct schedules *schedules = tree->of->schedules;
  uint32_t at = 0;
  while (at < schedules->count && schedules->loops[at].region != region)
    at++;
  if (at == schedules->count || schedules->loops[at].team_count == 0)
    return false;
  const struct plan *recorded = &schedules->loops[at].recorded;
  const struct schedule_team *team = &schedules->loops[at].teams[0];
  const struct plan *best = &team->candidates[team->best].plan;
  bool handed_out = recorded->kind == PLAN_DYNAMIC || recorded->kind == PLAN_GUIDED;
  return handed_out && (best->kind == PLAN_STATIC || best->chunk > recorded->chunk);
}

double tree_percent(const struct tree *tree, double ticks)
{
  double run = tree->findings->run;
  double percent = run > 0 ? 100 * ticks / run : 0;
  return percent < 100 ? percent : 100;
}

bool tree_add_root(struct tree *tree, const struct states_sums *sums)
{
  double measured = 0, work = 0;
  for (uint32_t i = 0; i < sums->locations; i++) {
    measured += (double)states_measured(sums->threads[i].ticks);
    work += (double)sums->threads[i].ticks[STATE_RUN];
  }
  struct why_node root = {.aspect = WHY_ROOT, .key = "threads", .measured = measured > 0};
  root.percent = measured > 0 ? 100 * (measured - work) / measured : 0;
  root.low = root.high = root.percent;
  root.verdict = root.measured ? why_verdict_of(tree->why->threshold, root.low, root.percent, root.high) : WHY_UNKNOWN;
  return tree_add(tree, &root, "the threads could do more of the program's work");
}

/* Java's locks are no locks of POSIX threads. */
const char *tree_lacks_posix(const struct trace *trace)
{
  bool java = false;
  for (uint32_t i = 0; i < trace->location_count; i++)
    java |= trace->locations[i].type == TRACE_THREAD_JVM;
  return java || trace_has_pthreads(trace) ? NULL : "they are not in the trace: record with heddle record";
}
