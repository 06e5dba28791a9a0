#include "analyzer/commands/pools_show.h"

#include "analyzer/print/units.h"
#include "base/count_of.h"

#include <inttypes.h>
#include <stdio.h>

#define WORTH 0.01 /* of the time that a pool had tasks, in which it could have ended earlier */

static double mean_run(const struct task_pool *pool)
{
  uint32_t members = pool->workers + pool->never_ran + pool->callers;
  return members > 0 ? (double)pool->run / members : 0;
}

static uint64_t imbalance_of(const struct task_pool *pool)
{
  double more = (double)pool->run_max - mean_run(pool);
  return more > 0 ? (uint64_t)(more + 0.5) : 0;
}

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
                                                {"for_worker", "for a worker", PRINT_DURATION, true}};
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
                                 print_number((uint64_t)(mean_run(pool) + 0.5)),
                                 print_number(pool->run_max),
                                 print_number(imbalance_of(pool)),
                                 print_number(pool->blocked),
                                 pool->submitted ? print_number(pool->queue) : print_none(),
                                 pool->submitted ? print_number(pool->for_worker) : print_none()};
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

/* A duration in words. */
static const char *words(const struct analysis_run *run, wide_total ticks, char text[UNITS_SIZE])
{
  return units_duration((uint64_t)ticks, run->trace->ticks_per_second, text);
}

static void say(const struct analysis_run *run, const char *key, size_t number, const char *text)
{
  char of_pool[48];
  snprintf(of_pool, sizeof of_pool, "%s_%zu", key, number);
  print_sentence(run->print, of_pool, text);
}

/* Tasks waited because all workers were in others. Blocked workers need no processor: more of them help for certain. */
static void put_too_small(const struct analysis_run *run, const struct task_pool *pool, size_t number)
{
  char text[1024], waited[UNITS_SIZE], mean[UNITS_SIZE], share[UNITS_SIZE];
  if (pool->submitted == 0 || (double)pool->for_worker < WORTH * (double)(pool->end - pool->begin) ||
      pool->most_at_work < pool->workers)
    return;
  bool blocks = pool->blocked * 2 > pool->run;
  snprintf(text, sizeof text,
           "%.500s: tasks waited for one of its %" PRIu32
           " workers for %s in all, %s a task: the pool is too small. %s",
           pool->name, pool->workers, words(run, pool->for_worker, waited),
           words(run, pool->for_worker / pool->submitted, mean), "");
  size_t used = strlen(text);
  if (blocks)
    snprintf(text + used, sizeof text - used,
             "Its tasks are blocked for %s of their time: more workers run more of them at one time.",
             units_percent(print_percentage(pool->blocked, pool->run), share));
  else
    snprintf(text + used, sizeof text - used, "More workers help as far as there are processors for them.");
  say(run, "pool_too_small", number, text);
}

static void put_too_large(const struct analysis_run *run, const struct task_pool *pool, size_t number)
{
  char text[1024];
  uint32_t workers = pool->workers + pool->never_ran;
  if (pool->most_at_work == 0 || pool->most_at_work >= workers || workers < 2)
    return;
  snprintf(text, sizeof text,
           "%.500s: never more than %" PRIu64 " of its %" PRIu32 " workers were in tasks at one time%s.", pool->name,
           pool->most_at_work, workers, pool->never_ran ? ", and some never were" : "");
  say(run, "pool_too_large", number, text);
}

static void put_uneven(const struct analysis_run *run, const struct task_pool *pool, size_t number)
{
  char text[1024], longest[UNITS_SIZE], mean[UNITS_SIZE], win[UNITS_SIZE];
  uint64_t uneven = imbalance_of(pool);
  if (pool->workers + pool->never_ran + pool->callers < 2 || pool->end <= pool->begin ||
      (double)uneven < WORTH * (double)(pool->end - pool->begin))
    return;
  snprintf(text, sizeof text,
           "%.300s: %.300s was in tasks for %s, its threads on average for %s: with even shares up to %s could be won.",
           pool->name, run->trace->locations[pool->longest].name, words(run, pool->run_max, longest),
           words(run, (uint64_t)mean_run(pool), mean), words(run, uneven, win));
  say(run, "pool_uneven", number, text);
}

void pools_put_sentences(const struct analysis_run *run, const struct tasks *tasks)
{
  for (size_t i = 0; i < tasks->pool_count && run->format == PRINT_TEXT; i++) {
    put_too_small(run, &tasks->pools[i], i + 1);
    put_too_large(run, &tasks->pools[i], i + 1);
    put_uneven(run, &tasks->pools[i], i + 1);
  }
}
