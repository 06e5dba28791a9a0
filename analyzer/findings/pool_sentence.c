#include "analyzer/findings/pool_sentence.h"

#include "analyzer/command/print/print.h"
#include "analyzer/command/print/units.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

static uint32_t workers_of(const struct task_pool *pool)
{
  return pool->workers + pool->never_ran;
}

double pool_mean(const struct task_pool *pool)
{
  uint32_t members = workers_of(pool) + pool->callers;
  return members > 0 ? (double)pool->run / members : 0;
}

double pool_imbalance(const struct task_pool *pool)
{
  double more = (double)pool->run_max - pool_mean(pool);
  return more > 0 ? more : 0;
}

double pool_uneven(const struct task_pool *pool)
{
  return pool->most_at_work < workers_of(pool) ? 0 : pool_imbalance(pool);
}

/* In which another worker could have executed a task. */
static wide_total given_away(const struct task_pool *pool)
{
  return pool->blocked - pool->locked;
}

double pool_starved(const struct task_pool *pool)
{
  return pool->run > 0 ? (double)pool->starved * ((double)given_away(pool) / (double)pool->run) : 0;
}

__attribute__((format(printf, 1, 2))) static char *sentence(const char *format, ...)
{
  char *text = NULL;
  va_list arguments;
  va_start(arguments, format);
  if (vasprintf(&text, format, arguments) < 0)
    text = NULL;
  va_end(arguments);
  return text;
}

/* A duration in words. */
static const char *words(const struct trace *trace, double ticks, char text[UNITS_SIZE])
{
  return units_duration((uint64_t)(ticks + 0.5), trace->ticks_per_second, text);
}

char *pool_uneven_sentence(const struct trace *trace, const struct task_pool *pool)
{
  char longest[UNITS_SIZE], mean[UNITS_SIZE];
  if (pool_uneven(pool) <= 0)
    return NULL;
  return sentence("%s: %s was in tasks for %s, its threads for %s on average", pool->name,
                  trace_thread_said(trace, pool->longest), words(trace, (double)pool->run_max, longest),
                  words(trace, pool_mean(pool), mean));
}

char *pool_starved_sentence(const struct trace *trace, const struct task_pool *pool)
{
  char time[UNITS_SIZE], mean[UNITS_SIZE], share[UNITS_SIZE], workers[32];
  if (pool->starved == 0 || pool->submitted == 0)
    return NULL;
  if (pool->workers == 1)
    snprintf(workers, sizeof workers, "its worker");
  else
    snprintf(workers, sizeof workers, "one of its %" PRIu32 " workers", pool->workers);
  double waited = (double)pool->for_worker / (double)pool->submitted;
  if (pool->locked * 2 > pool->run)
    return sentence(
        "%s: for %s tasks waited for %s, %s a task, and the tasks wait for locks for %s of their time: more "
        "workers would wait there, too",
        pool->name, words(trace, (double)pool->starved, time), workers, words(trace, waited, mean),
        units_percent(print_percentage(pool->locked, pool->run), share));
  if (given_away(pool) * 2 > pool->run)
    return sentence("%s: for %s tasks waited for %s, %s a task, and the tasks are blocked for %s of their time: "
                    "the pool is too small, more workers run more of them at one time",
                    pool->name, words(trace, (double)pool->starved, time), workers, words(trace, waited, mean),
                    units_percent(print_percentage(given_away(pool), pool->run), share));
  return sentence("%s: for %s tasks waited for %s, %s a task; more workers help as far as there are processors",
                  pool->name, words(trace, (double)pool->starved, time), workers, words(trace, waited, mean));
}

char *pool_large_sentence(const struct task_pool *pool)
{
  uint32_t workers = workers_of(pool);
  if (pool->most_at_work == 0 || pool->most_at_work >= workers)
    return NULL;
  return sentence("%s: never more than %" PRIu64 " of its %" PRIu32 " workers %s in tasks at one time%s", pool->name,
                  pool->most_at_work, workers, pool->most_at_work == 1 ? "was" : "were",
                  pool->never_ran ? ", and some never were" : "");
}
