#include "analyzer/findings/facts.h"

#include "base/count_of.h"

#define FACTS_OF_JAVA 2 /* subscribers that only Java's archives need: tasks, and awaited */

/* The subscribers of the pass. */
struct finders {
  struct unrecorded_taker *skipped;
  struct overhead_counter *overhead;
  struct budget_taker *budget;
  struct states_adder *sums;
  struct imbalance_finder *imbalance;
  struct locks_finder *locks;
  struct schedules_finder *schedules;
  struct processors_taker *processors;
  struct deadlocks_finder *deadlocks;
  struct counters_taker *counters;
  struct tasks_search *tasks;    /* NULL: there are no pools */
  struct awaited_taker *awaited; /* NULL: there is nothing for it */
};

/* Pools are Java's. Tasks of OpenMP are found where they are asked for, for they take more memory. */
static bool has_pools(const struct trace *trace)
{
  bool tasks = false;
  for (uint32_t i = 0; i < trace->region_count; i++)
    tasks |= trace->regions[i].role == OTF2_REGION_ROLE_TASK;
  return tasks && trace_is_of_java(trace);
}

static bool facts_begin(struct finders *finders, const struct facts_options *options, struct facts *facts,
                        struct pool *pool, struct error *error)
{
  const struct trace *trace = facts->trace;
  return (finders->skipped = unrecorded_begin(trace, pool, error)) &&
         (finders->overhead = overhead_begin(trace, error)) &&
         (finders->budget = overhead_budget_begin(trace, error)) &&
         (finders->sums = states_sums_begin(trace, pool, error)) &&
         (finders->imbalance = imbalance_begin(trace, options->imbalance, &facts->imbalance, error)) &&
         (finders->locks = locks_begin(trace, options->sink, options->sink_context, error)) &&
         (finders->schedules = schedules_begin(trace, error)) &&
         (finders->processors = processors_begin(trace, pool, error)) &&
         (finders->deadlocks = deadlocks_begin(trace, error)) &&
         (finders->counters = counters_begin(trace, pool, error)) &&
         (!has_pools(trace) || (finders->tasks = tasks_begin(trace, error))) &&
         (!awaited_exist(trace) || (finders->awaited = awaited_begin(trace, error)));
}

static void facts_drop(const struct finders *finders)
{
  unrecorded_drop(finders->skipped);
  overhead_drop(finders->overhead);
  overhead_budget_drop(finders->budget);
  states_sums_drop(finders->sums);
  imbalance_drop(finders->imbalance);
  locks_drop(finders->locks);
  schedules_drop(finders->schedules);
  processors_drop(finders->processors);
  deadlocks_drop(finders->deadlocks);
  counters_drop(finders->counters);
  tasks_drop(finders->tasks);
  awaited_drop(finders->awaited);
}

static bool end(const struct finders *finders, const struct facts_options *options, struct facts *facts,
                struct pool *pool, struct error *error)
{
  unrecorded_end(finders->skipped, &facts->skipped);
  overhead_end(finders->overhead, &facts->overhead);
  overhead_budget_end(finders->budget, &facts->budget);
  bool good = states_sums_end(finders->sums, &facts->sums);
  good &= imbalance_end(finders->imbalance, error);
  good &= processors_end(finders->processors, &facts->processors);
  good &= counters_end(finders->counters, &facts->counters);
  good &= deadlocks_end(finders->deadlocks, &facts->deadlocks, error);
  good &= !finders->tasks || tasks_end(finders->tasks, &facts->tasks, error);
  good &= !finders->awaited || awaited_end(finders->awaited, &facts->awaited, error);
  good &= locks_end(finders->locks, &facts->locks, error);
  good &= schedules_end(finders->schedules, pool, options->threads, options->thread_count, &facts->schedules, error);
  return good;
}

static bool facts_pass(const struct finders *finders, const struct facts_options *options, const struct facts *facts,
                       struct pool *pool, struct error *error)
{
  const struct subscriber *own[] = {
      unrecorded_subscriber(finders->skipped),
      overhead_subscriber(finders->overhead),
      states_sums_subscriber(finders->sums),
      imbalance_subscriber(finders->imbalance),
      locks_subscriber(finders->locks),
      schedules_subscriber(finders->schedules),
      overhead_budget_subscriber(finders->budget),
      processors_subscriber(finders->processors),
      deadlocks_subscriber(finders->deadlocks),
      counters_subscriber(finders->counters),
  };
  const struct subscriber *all[COUNT_OF(own) + FACTS_OF_JAVA + FACTS_ALSO_MOST];
  unsigned count = 0;
  if (finders->tasks)
    all[count++] = tasks_subscriber(finders->tasks);
  for (unsigned i = 0; i < COUNT_OF(own); i++)
    all[count++] = own[i];
  if (finders->awaited)
    all[count++] = awaited_subscriber(finders->awaited);
  for (unsigned i = 0; i < options->also_count; i++)
    all[count++] = options->also[i];
  return pass_in_order(facts->trace, pool, all, count, error);
}

struct findings_of facts_for_findings(const struct facts *facts)
{
  return (struct findings_of){facts->trace,      &facts->sums,     &facts->imbalance,  &facts->locks,
                              &facts->schedules, &facts->overhead, &facts->processors, &facts->deadlocks,
                              &facts->counters,  &facts->tasks,    &facts->awaited};
}

static bool rank(struct facts *facts, struct error *error)
{
  struct findings_of of = facts_for_findings(facts);
  return findings_rank(&of, &facts->findings) || error_set(error, "%s: out of memory", facts->trace->anchor);
}

bool facts_find(const struct trace *trace, struct pool *pool, const struct facts_options *options, struct facts *facts,
                struct error *error)
{
  struct finders finders = {0};
  *facts = (struct facts){.trace = trace};
  if (!facts_begin(&finders, options, facts, pool, error) || !facts_pass(&finders, options, facts, pool, error)) {
    facts_drop(&finders);
    return false;
  }
  return end(&finders, options, facts, pool, error) && rank(facts, error);
}

void facts_free(struct facts *facts)
{
  unrecorded_free(&facts->skipped);
  states_sums_free(&facts->sums);
  imbalance_free(&facts->imbalance);
  locks_free(&facts->locks);
  schedules_free(&facts->schedules);
  processors_free(&facts->processors);
  deadlocks_free(&facts->deadlocks);
  counters_free(&facts->counters);
  tasks_free(&facts->tasks);
  awaited_free(&facts->awaited);
  findings_free(&facts->findings);
}
