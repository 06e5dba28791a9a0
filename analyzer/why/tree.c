#include "analyzer/why/tree.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

bool tree_add(struct tree *tree, const struct why_node *node, const char *format, ...)
{
  struct why_node added = *node;
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

enum why_verdict tree_verdict(const struct tree *tree, double low, double percent, double high)
{
  double threshold = tree->why->threshold;
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
