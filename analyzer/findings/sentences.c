#include "analyzer/findings/sentences.h"

#include "analyzer/analyses/overhead/overhead.h"
#include "analyzer/command/print/print.h"
#include "analyzer/command/print/units.h"
#include "analyzer/trace/definitions.h"
#include "base/count_of.h"
#include "common/raw/archive_names.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The budget that the location's process was recorded with; NULL: none, or not known. */
static const char *limit_of(const struct trace *trace, uint32_t location)
{
  const char *budget = overhead_budget_of(trace, location);
  return budget && strcmp(budget, VALUE_BUDGET_NONE) != 0 ? budget : NULL;
}

/* True if a budget omits instances of the construct: not for Java's constructs, nor for these. */
static bool is_omitted(const char *name, enum overhead_kind kind)
{
  static const char *const others[] = {NAME_OMP_JAVA, REGION_TASKLOOP, REGION_DISTRIBUTE, REGION_TEAMS};
  bool omitted = kind != OVERHEAD_OTHER && kind != OVERHEAD_USER;
  for (size_t i = 0; i < COUNT_OF(others); i++)
    omitted &= strncmp(name, others[i], strlen(others[i])) != 0;
  return omitted;
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
    before = is_omitted(trace->regions[overhead->construct].name, overhead->kind) ? "record with --budget 5%, or " : "";
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
    return sentence("%s: for %s tasks waited for %s, %s a task. The tasks wait for locks for %s of their time: more "
                    "workers would wait there, too",
                    pool->name, words(trace, (double)pool->starved, time), workers, words(trace, waited, mean),
                    units_percent(print_percentage(pool->locked, pool->run), share));
  if (given_away(pool) * 2 > pool->run)
    return sentence("%s: for %s tasks waited for %s, %s a task. The tasks are blocked for %s of their time: the pool "
                    "is too small, more workers run more of them at one time",
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

/* "lu.c:42", or the construct's name where the archive has no line. */
static void put_place(FILE *file, const struct trace_region *region)
{
  const char *slash = strrchr(region->file, '/');
  if (*region->file && region->line)
    fprintf(file, "%s:%" PRIu32, slash ? slash + 1 : region->file, region->line);
  else
    fputs(region->name, file);
}

/* A saving is between 0 and all of it. */
static double shown(double percent)
{
  return percent < 0 ? 0 : percent > 100 ? 100 : percent;
}

/* How much of the loop's time is lost because its threads don't finish together. */
static double uneven(const struct schedule_loop *loop)
{
  return loop->ticks ? shown(100 * (1 - fine_total_ticks(loop->ideal) / (double)loop->ticks)) : 0;
}

static void put_record(FILE *file, const struct schedule_loop *loop)
{
  fprintf(file, "record once with schedule(dynamic,%" PRIu64 ") to see its iterations", loop->suggested);
}

static void put_obstacle(FILE *file, const struct schedule_loop *loop)
{
  if (loop->obstacle == OBSTACLE_INCOMPLETE) {
    fputs("no execution has all its chunks, so no estimate is possible", file);
    return;
  }
  if (loop->obstacle == OBSTACLE_EMPTY) {
    fputs("its executions had no iterations, or none that took time, so no schedule is better than another", file);
    return;
  }
  if (loop->obstacle == OBSTACLE_ORDERED) {
    fputs(
        "its iterations wait for each other (ordered); the simulation does not include these waits, so no estimate is "
        "possible",
        file);
    return;
  }
  if (loop->obstacle == OBSTACLE_OFF) {
    fprintf(
        file,
        "its threads had no processor for %.0f %% of their time in it (`heddle states` says why); no schedule can be "
        "advised from such a run",
        loop->off_percent);
    return;
  }
  if (loop->obstacle == OBSTACLE_CHUNKLESS)
    fputs("its chunks are not recorded", file);
  else
    fputs("the times of its chunks are unknown, only the times of its threads are recorded", file);
  if (loop->threads <= 1) {
    fputs(", and one thread executed it; ", file);
    put_record(file, loop);
  } else if (uneven(loop) > SCHEDULE_WORTH) {
    fprintf(file, "; another schedule can save up to %.0f %%: ", uneven(loop));
    put_record(file, loop);
  } else {
    fprintf(file, ", but its threads end together: no schedule can save more than %.1f %%", uneven(loop));
  }
}

/* Cost under the simplest schedule, if it is not the recorded one. */
static void put_static(FILE *file, const struct schedule_loop *loop, const struct schedule_team *team)
{
  const struct schedule_candidate *block = &team->candidates[0];
  double more = loop->ticks ? 100 * (block->ticks / (double)loop->ticks - 1) : 0;
  if (!plan_same(&block->plan, &loop->recorded) && more > SCHEDULE_WORTH)
    fprintf(file, "; schedule(static) would take %.0f %% more", more);
}

static void put_recorded_team(FILE *file, const struct schedule_loop *loop, const struct schedule_team *team)
{
  char best[PLAN_TEXT], recorded[PLAN_TEXT];
  plan_text(&team->candidates[team->best].plan, best);
  switch (team->verdict) {
  case SCHEDULE_ADVISED:
    fprintf(file, "%s would take %.0f %% less of this loop's time (%.0f to %.0f %%)", best, team->gain,
            shown(team->gain_low), shown(team->gain_high));
    break;
  case SCHEDULE_UNSURE:
    fprintf(file, "%s might take %.0f %% less (%.0f to %.0f %%), but its executions or single chunks differ too much",
            best, team->gain, shown(team->gain_low), shown(team->gain_high));
    break;
  case SCHEDULE_TOO_COARSE:
    fprintf(file,
            "%s might take %.0f %% less (%.0f to %.0f %%), but its recorded chunks are too large for a sure answer: ",
            best, team->gain, shown(team->gain_low), shown(team->gain_high));
    put_record(file, loop);
    break;
  default:
    if (loop->recorded.kind == PLAN_UNKNOWN)
      fputs("its schedule is as good as it gets", file);
    else
      fprintf(file, "%s is as good as it gets", plan_text(&loop->recorded, recorded));
    put_static(file, loop, team);
  }
}

static void put_other_team(FILE *file, const struct trace *trace, const struct schedule_loop *loop,
                           const struct schedule_team *team)
{
  char best[PLAN_TEXT], time[UNITS_SIZE], least[UNITS_SIZE], most[UNITS_SIZE];
  const struct schedule_candidate *candidate = &team->candidates[team->best];
  fprintf(file, "; with %" PRIu32 " threads %s would take %s (%s to %s)", team->threads,
          plan_text(&candidate->plan, best), units_duration((uint64_t)candidate->ticks, trace->ticks_per_second, time),
          units_duration((uint64_t)candidate->least, trace->ticks_per_second, least),
          units_duration((uint64_t)candidate->most, trace->ticks_per_second, most));
  if (team->threads > loop->threads)
    fputs(", if processors, caches and memory suffice, which are not simulated", file);
}

char *schedule_sentence(const struct trace *trace, const struct schedule_loop *loop)
{
  char *text = NULL;
  size_t size;
  FILE *file = open_memstream(&text, &size);
  if (!file)
    return NULL;
  put_place(file, &trace->regions[loop->region]);
  fputs(": ", file);
  if (loop->obstacle != OBSTACLE_NONE)
    put_obstacle(file, loop);
  for (uint32_t i = 0; i < loop->team_count; i++) {
    if (i == 0)
      put_recorded_team(file, loop, &loop->teams[i]);
    else
      put_other_team(file, trace, loop, &loop->teams[i]);
  }
  if (loop->obstacle == OBSTACLE_NONE && loop->overhead_from == OVERHEAD_UNKNOWN)
    fputs("; handing out chunks is assumed to cost nothing, because no loop of the trace shows the cost", file);
  if (loop->incomplete > 0 && loop->obstacle != OBSTACLE_INCOMPLETE)
    fprintf(file, "; %" PRIu64 " of its %" PRIu64 " executions are incomplete and not used", loop->incomplete,
            loop->calls);
  fputc('.', file);
  if (fclose(file) == 0)
    return text;
  free(text);
  return NULL;
}
