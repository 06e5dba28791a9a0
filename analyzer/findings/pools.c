/* Java's pools: shares of their workers, and tasks that wait for a worker. */
#include "analyzer/findings/builder.h"
#include "analyzer/findings/pool_sentence.h"

#include <stdlib.h>

static bool add(struct builder *builder, enum finding_kind kind, const struct task_pool *pool, double ticks, char *text)
{
  char won[WON_SIZE];
  struct finding finding = {kind, TRACE_NONE, pool->longest, ticks, .text = NULL};
  bool good = !text || ticks <= 0 || builder_add(builder, &finding, "%s, %s.", text, builder_won(builder, ticks, won));
  free(text);
  return good;
}

bool pools_add(struct builder *builder)
{
  const struct trace *trace = builder->of->trace;
  const struct tasks *tasks = builder->of->tasks;
  for (size_t i = 0; i < tasks->pool_count; i++) {
    const struct task_pool *pool = &tasks->pools[i];
    if (!add(builder, FINDING_POOL_UNEVEN, pool, pool_uneven(pool), pool_uneven_sentence(trace, pool)) ||
        !add(builder, FINDING_POOL_SMALL, pool, pool_starved(pool), pool_starved_sentence(trace, pool)))
      return false;
  }
  return true;
}
