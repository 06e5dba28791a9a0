/* Java's pools: shares of their workers, and tasks that wait for a worker. */
#include "analyzer/findings/builder.h"
#include "analyzer/findings/pool_sentence.h"

#include <stdio.h>
#include <stdlib.h>

/* Ticks without a processor in tasks, by location: findings of the tasks have them. NULL: no memory. */
static double *pools_find_lacks(const struct builder *builder)
{
  const struct trace *trace = builder->of->trace;
  const struct processors *processors = builder->of->processors;
  double *lacks = calloc((size_t)trace->location_count + 1, sizeof *lacks);
  for (size_t i = 0; lacks && processors->known && i < processors->rows.count; i++) {
    const struct processors_row *row = &processors->rows.items[i];
    if (row->construct != TRACE_NONE && trace->regions[row->construct].role == OTF2_REGION_ROLE_TASK)
      lacks[row->location] += (double)row->ticks;
  }
  return lacks;
}

double *pools_uneven(const struct builder *builder)
{
  const struct tasks *tasks = builder->of->tasks;
  double *lacks = pools_find_lacks(builder), *uneven = calloc(tasks->pool_count + 1, sizeof *uneven);
  for (size_t i = 0, end; lacks && uneven && i < tasks->member_count; i = end) {
    uint32_t pool = tasks->members[i].pool;
    double most = 0, all = 0;
    for (end = i; end < tasks->member_count && tasks->members[end].pool == pool; end++) {
      double on = (double)tasks->members[end].run - lacks[tasks->members[end].location];
      all += on > 0 ? on : 0;
      most = on > most ? on : most;
    }
    double full = pool_uneven(&tasks->pools[pool]), part = most - all / (double)(end - i);
    uneven[pool] = part < full ? part : full;
  }
  if (!lacks) {
    free(uneven);
    uneven = NULL;
  }
  free(lacks);
  return uneven;
}

/* Takes the text. lacked: ticks that are not in `ticks`. */
static bool add(struct builder *builder, enum finding_kind kind, const struct task_pool *pool, double ticks,
                double lacked, char *text)
{
  char won[WON_SIZE], without[LACKED_SIZE];
  struct finding finding = {kind, TRACE_NONE, pool->longest, ticks, .text = NULL};
  bool good = !text || ticks <= 0 ||
              builder_add(builder, &finding, "%s,%s %s.", text, builder_lacked(builder, ticks, lacked, without),
                          builder_won(builder, ticks, won));
  free(text);
  return good;
}

bool pools_add(struct builder *builder)
{
  const struct trace *trace = builder->of->trace;
  const struct tasks *tasks = builder->of->tasks;
  double *uneven = pools_uneven(builder);
  bool good = uneven != NULL;
  for (size_t i = 0; good && i < tasks->pool_count; i++) {
    const struct task_pool *pool = &tasks->pools[i];
    good = add(builder, FINDING_POOL_UNEVEN, pool, uneven[i], pool_uneven(pool) - uneven[i],
               pool_uneven_sentence(trace, pool)) &&
           add(builder, FINDING_POOL_SMALL, pool, pool_starved(pool), 0, pool_starved_sentence(trace, pool));
  }
  free(uneven);
  return good;
}
