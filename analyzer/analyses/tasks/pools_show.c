#include "analyzer/analyses/tasks/pools_show.h"

#include "analyzer/findings/findings.h"
#include "analyzer/findings/pool_sentence.h"
#include "base/count_of.h"

#include <stdio.h>
#include <stdlib.h>

static void put_pools(const struct analysis_run *run, const struct tasks *tasks)
{
  static const struct print_column columns[] = {{"pool", "Pool", PRINT_STRING, false},
                                                {"workers", "Workers", PRINT_COUNT, false},
                                                {"never_ran", "without tasks", PRINT_COUNT, true},
                                                {"callers", "Callers", PRINT_COUNT, true},
                                                {"most_at_work", "At work at one time", PRINT_COUNT, false},
                                                {"tasks", "Tasks", PRINT_COUNT, false},
                                                {"time", "Elapsed", PRINT_DURATION, false},
                                                {"mean", "In tasks: mean", PRINT_DURATION, false},
                                                {"max", "max", PRINT_DURATION, false},
                                                {"imbalance", "Imbalance", PRINT_DURATION, false},
                                                {"blocked", "Blocked, all", PRINT_DURATION, false},
                                                {"queue", "Queue, all", PRINT_DURATION, true},
                                                {"for_worker", "for a worker", PRINT_DURATION, true},
                                                {"waits", "Waits for its tasks", PRINT_COUNT, false},
                                                {"await", "their time", PRINT_DURATION, false}};
  print_table(run->print, "pools", "Pools", columns, COUNT_OF(columns), false);
  for (size_t i = 0; i < tasks->pool_count; i++) {
    const struct task_pool *pool = &tasks->pools[i];
    struct print_cell cells[] = {print_string(pool->name),
                                 print_number(pool->workers + pool->never_ran),
                                 print_number(pool->never_ran),
                                 print_number(pool->callers),
                                 print_number(pool->most_at_work),
                                 print_number(pool->tasks),
                                 print_number(pool->end > pool->begin ? pool->end - pool->begin : 0),
                                 print_number((uint64_t)(pool_mean(pool) + 0.5)),
                                 print_number(pool->run_max),
                                 print_number((uint64_t)(pool_imbalance(pool) + 0.5)),
                                 print_number(pool->blocked),
                                 pool->submitted ? print_number(pool->queue) : print_none(),
                                 pool->submitted ? print_number(pool->for_worker) : print_none(),
                                 print_number(pool->awaited),
                                 print_number(pool->await)};
    print_row(run->print, cells);
  }
  print_table_end(run->print);
}

static void put_members(const struct analysis_run *run, const struct tasks *tasks)
{
  static const struct print_column columns[] = {
      {"pool", "Pool", PRINT_STRING, false},    {"thread", "Thread", PRINT_STRING, false},
      {"location", "No.", PRINT_NUMBER, false}, {"role", "is a", PRINT_STRING, false},
      {"ran", "Tasks", PRINT_COUNT, false},     {"in_tasks", "In tasks", PRINT_SHARE, false}};
  print_table(run->print, "workers", "Their threads", columns, COUNT_OF(columns), false);
  for (size_t i = 0; i < tasks->member_count; i++) {
    const struct task_member *member = &tasks->members[i];
    const struct task_pool *pool = &tasks->pools[member->pool];
    struct print_cell cells[] = {print_string(pool->name),
                                 print_string(run->trace->locations[member->location].name),
                                 print_number(member->location),
                                 print_string(member->calls ? "caller" : "worker"),
                                 print_number(member->ran),
                                 print_share(member->run, pool->end > pool->begin ? pool->end - pool->begin : 0)};
    print_row(run->print, cells);
  }
  print_table_end(run->print);
}

void pools_put(const struct analysis_run *run, const struct tasks *tasks)
{
  if (run->format == PRINT_TEXT && tasks->pool_count == 0)
    return;
  put_pools(run, tasks);
  put_members(run, tasks);
}

static void pools_show_say(const struct analysis_run *run, const char *key, size_t number, char *text)
{
  char of_pool[48], *whole = NULL;
  snprintf(of_pool, sizeof of_pool, "%s_%zu", key, number);
  if (text && asprintf(&whole, "%s.", text) >= 0)
    print_sentence(run->print, of_pool, whole);
  free(whole);
  free(text);
}

/* True if ticks are worth a sentence. */
static bool matters(const struct tasks *tasks, double ticks)
{
  return ticks * 100 >= FINDINGS_WORTH * (double)tasks->elapsed;
}

void pools_put_sentences(const struct analysis_run *run, const struct tasks *tasks)
{
  for (size_t i = 0; i < tasks->pool_count && run->format == PRINT_TEXT; i++) {
    const struct task_pool *pool = &tasks->pools[i];
    if (matters(tasks, (double)pool->starved))
      pools_show_say(run, "pool_starved", i + 1, pool_starved_sentence(run->trace, pool));
    if (matters(tasks, pool_uneven(pool)))
      pools_show_say(run, "pool_uneven", i + 1, pool_uneven_sentence(run->trace, pool));
    pools_show_say(run, "pool_large", i + 1, pool_large_sentence(pool));
  }
}
