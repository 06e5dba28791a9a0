/* The figures of an archive's run: from all analyses, or from the sums of a profile. */
#include "analyzer/findings/compare/figures.h"

#include "analyzer/analyses/account/sentence.h"
#include "analyzer/analyses/calls/source.h"
#include "analyzer/analyses/waits/waits.h"
#include "analyzer/findings/all_analyses.h"
#include "analyzer/findings/compare/source_text.h"
#include "analyzer/live/profile/states.h"
#include "common/raw/archive_names.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct archive_reading {
  struct trace *trace;
  struct pool *pool;
  struct run_figures *run;
  struct tasks tasks;
  struct samples *samples;
  struct calls calls;
  bool good; /* false: out of memory */
};

static double seconds_of(const struct archive_reading *reading, wide_total ticks)
{
  uint64_t unit = reading->trace->ticks_per_second;
  return (double)ticks / (double)(unit ? unit : 1);
}

/* Valid until the next call. NULL: no memory, which is noted. */
static struct run_row *row_at(struct archive_reading *reading, enum run_row_kind kind, const char *name,
                              uint32_t region)
{
  struct run_row *row;
  if (region == TRACE_NONE || region >= reading->trace->region_count) {
    row = run_row_find(reading->run, kind, name ? name : "outside of constructs", NULL, NULL, 0);
  } else {
    const struct trace_region *at = &reading->trace->regions[region];
    const char *end = strstr(at->name, NAME_AT);
    char *directive = end ? strndup(at->name, (size_t)(end - at->name)) : strdup(at->name), *both = NULL;
    if (directive && name && asprintf(&both, "%s at %s", name, directive) < 0)
      both = NULL;
    row = directive && (both || !name)
              ? run_row_find(reading->run, kind, both ? both : directive, at->function, at->file, at->line)
              : NULL;
    free(both);
    free(directive);
  }
  reading->good &= row != NULL;
  return row;
}

/* NULL: there was no memory for the row. */
static void row_add(struct run_row *row, enum run_figure figure, double value)
{
  if (row)
    run_row_add(row, figure, value);
}

/* The time of the run and of constructs in own code. Readings have the time without a processor apart. */
static void take_states(struct archive_reading *reading, const struct states_sums *sums, bool readings)
{
  const struct trace *trace = reading->trace;
  struct run_row *run = row_at(reading, ROW_RUN, "the run", TRACE_NONE);
  uint64_t first = UINT64_MAX, last = 0;
  for (uint32_t i = 0; i < sums->locations; i++) {
    const struct states_thread *thread = &sums->threads[i];
    if (!thread->alive || !trace_is_program_thread(trace, i))
      continue;
    wide_total own = thread->ticks[STATE_RUN];
    own = readings ? wide_total_since(own, thread->off[STATE_RUN]) : own;
    row_add(run, RUN_TIME, seconds_of(reading, own));
    reading->run->threads++;
  }
  states_sums_lived(sums, &first, &last);
  if (last > first && run && isnan(run->values[RUN_WALL]))
    row_add(run, RUN_WALL, seconds_of(reading, last - first));
  for (uint32_t i = 0; i <= sums->regions; i++) {
    const struct states_construct *construct = &sums->constructs[i];
    bool outside = i == sums->regions;
    bool task = !outside && trace_region_is_directive(&trace->regions[i], "task");
    wide_total own = construct->ticks[STATE_RUN];
    own = readings ? wide_total_since(own, construct->off) : own;
    if (!outside) {
      struct estimate more = states_sums_more(sums, i);
      own += estimate_more(&more);
    }
    bool tool = !outside && rule_is_tool(state_rule_of(&trace->regions[i]));
    if ((construct->calls == 0 && !outside) || (outside && own == 0) || tool)
      continue;
    struct run_row *row = row_at(reading, task ? ROW_TASK : ROW_CONSTRUCT, NULL, outside ? TRACE_NONE : i);
    row_add(row, RUN_TIME, seconds_of(reading, own));
    if (!outside && !task)
      row_add(row, RUN_EXECUTIONS, (double)construct->calls);
  }
}

static void take_constructs(struct archive_reading *reading, const struct imbalance *imbalance)
{
  for (uint32_t i = 0; i < imbalance->count; i++) {
    const struct imbalance_construct *construct = &imbalance->constructs[i];
    if (construct->calls == 0)
      continue;
    struct run_row *row = row_at(reading, ROW_CONSTRUCT, NULL, i);
    row_add(row, RUN_WALL, seconds_of(reading, construct->elapsed));
    if (row)
      row->values[RUN_EXECUTIONS] = (double)construct->calls; /* by team, not by member */
    if (construct->chunks > 0)
      row_add(row, RUN_CHUNKS, (double)construct->chunks);
    if (construct->iterations > 0)
      row_add(row, RUN_ITERATIONS, (double)construct->iterations);
  }
}

/* An address is no name: it is another one in each run. */
static bool is_lock_name(const char *name)
{
  return name && *name && strncmp(name, "0x", 2) != 0;
}

static const char *known_lock_name(const struct trace *trace, const struct lock *lock)
{
  const char *name = *lock->class_name ? lock->class_name : trace_lock_name(trace, lock->number);
  return is_lock_name(name) ? name : NULL;
}

/* Locks that have a name by it, others by the place where they are acquired: their numbers are another run's others. */
static void take_locks(struct archive_reading *reading, const struct locks *locks)
{
  for (size_t i = 0; i < locks->places.count; i++) {
    const struct lock_party *party = &locks->places.list[i];
    const struct lock *lock = &locks->list[party->lock];
    const char *name = known_lock_name(reading->trace, lock);
    struct run_row *row = name ? row_at(reading, ROW_LOCK, name, TRACE_NONE)
                               : row_at(reading, ROW_LOCK, lock_kind_name(lock->kind), party->who);
    row_add(row, RUN_TIME, seconds_of(reading, lock_waiting(&party->sums)));
    row_add(row, RUN_CONTENDED, (double)(party->sums.waits + estimate_more(&party->sums.more[LOCK_WAITS])));
    if (lock_is_followed(lock))
      row_add(row, RUN_ACQUISITIONS,
              (double)(party->sums.acquisitions + estimate_more(&party->sums.more[LOCK_ACQUISITIONS])));
  }
}

/* Kinds whose places say something of the program: who has no processor depends on what else runs. */
static bool is_of_program(enum account_kind kind)
{
  return kind != ACCOUNT_WORK && kind != ACCOUNT_PROCESSORS && kind != ACCOUNT_MEASUREMENT && kind != ACCOUNT_OUTSIDE &&
         kind != ACCOUNT_UNKNOWN;
}

/* The account's kinds, and within them the places; work is in the rows of constructs. */
static void take_account(struct archive_reading *reading, const struct account *account)
{
  struct run_row *run = row_at(reading, ROW_RUN, "the run", TRACE_NONE);
  if (account->duration == 0)
    return;
  if (run)
    run->values[RUN_WALL] = seconds_of(reading, account->duration);
  for (unsigned kind = ACCOUNT_WORK + 1; kind < ACCOUNT_KINDS; kind++)
    if (account->ticks[kind] > 0)
      row_add(row_at(reading, ROW_CAUSE, account_kind_name((enum account_kind)kind), TRACE_NONE), RUN_TIME,
              seconds_of(reading, account->ticks[kind]));
  for (size_t i = 0; i < account->cause_count; i++) {
    const struct account_cause *cause = &account->causes[i];
    if (is_of_program(cause->kind) && cause->place != TRACE_NONE)
      row_add(row_at(reading, ROW_CAUSE, account_kind_name(cause->kind), cause->place), RUN_TIME,
              seconds_of(reading, cause->ticks));
  }
}

static void take_tasks(struct archive_reading *reading, const struct tasks *tasks, bool pools)
{
  for (size_t i = 0; i < tasks->site_count && !pools; i++) {
    struct run_row *row =
        row_at(reading, ROW_TASK, tasks->sites[i].region == TRACE_NONE ? "tasks that never ran" : NULL,
               tasks->sites[i].region);
    row_add(row, RUN_TASKS, (double)(tasks->sites[i].ended + tasks->sites[i].omitted));
  }
  for (size_t i = 0; i < tasks->pool_count && pools; i++) {
    struct run_row *row = row_at(reading, ROW_POOL, tasks->pools[i].name, TRACE_NONE);
    row_add(row, RUN_TIME, seconds_of(reading, tasks->pools[i].run));
    row_add(row, RUN_TASKS, (double)tasks->pools[i].tasks);
  }
}

static void take_counters(struct archive_reading *reading, const struct counters *counters)
{
  int instructions = counters->count > 0 ? counters_instructions(reading->trace, counters) : -1;
  double all = 0;
  for (size_t i = 0; i < counters->rows.count && instructions >= 0; i++) {
    const struct counters_row *from = &counters->rows.items[i];
    double count = (double)counters_sum(counters, from, (unsigned)instructions)->count;
    row_add(row_at(reading, ROW_CONSTRUCT, NULL, from->construct), RUN_INSTRUCTIONS, count);
    all += count;
  }
  if (instructions >= 0)
    row_add(row_at(reading, ROW_RUN, "the run", TRACE_NONE), RUN_INSTRUCTIONS, all);
}

/* The first trigger of processor time. */
static uint32_t timed_trigger(const struct samples *samples)
{
  for (uint32_t i = 0; i < samples->trigger_count; i++)
    if (samples->triggers[i].timed && !samples->triggers[i].waits && samples->triggers[i].period > 0)
      return i;
  return TRACE_NONE;
}

static void take_functions(struct archive_reading *reading)
{
  struct calls_selection selection = CALLS_ALL;
  struct calls_tree tree = {0};
  struct calls_figures figures = {0};
  selection.trigger = timed_trigger(reading->samples);
  if (selection.trigger == TRACE_NONE)
    return;
  double period = (double)reading->samples->triggers[selection.trigger].period / 1e9;
  reading->good &= calls_tree_make(reading->samples, CALLS_FUNCTIONS, &tree) &&
                   calls_figures_find(reading->trace, &reading->calls, &selection, &tree, &figures);
  for (uint32_t i = 0; reading->good && i < tree.code_count; i++) {
    const struct samples_function *function = &reading->samples->functions[tree.codes[i].function];
    if (figures.codes[i].self == 0)
      continue;
    struct run_row *row = run_row_find(reading->run, ROW_FUNCTION, function->name, function->name, function->file, 0);
    reading->good &= row != NULL;
    row_add(row, RUN_TIME, (double)figures.codes[i].self * period);
  }
  calls_figures_free(&figures);
  calls_tree_free(&tree);
}

/* Own code on the critical paths. Rows of constructs that are not on it have 0, so that runs can be compared. */
static void take_paths(struct archive_reading *reading, const struct critical_paths *paths)
{
  for (size_t i = 0; i < reading->run->rows.count; i++)
    if (reading->run->rows.items[i].kind == ROW_CONSTRUCT || reading->run->rows.items[i].kind == ROW_TASK)
      reading->run->rows.items[i].values[RUN_PATH] = 0;
  for (size_t i = 0; i < paths->part_count; i++) {
    const struct critical_part *part = &paths->parts[i];
    bool task =
        part->construct != TRACE_NONE && trace_region_is_directive(&reading->trace->regions[part->construct], "task");
    if (part->state == STATE_RUN)
      row_add(row_at(reading, task ? ROW_TASK : ROW_CONSTRUCT, NULL, part->construct), RUN_PATH,
              seconds_of(reading, part->ticks));
  }
}

static bool has_tasks(const struct trace *trace)
{
  for (uint32_t i = 0; i < trace->region_count; i++)
    if (trace_region_is_directive(&trace->regions[i], "task") ||
        trace_region_is_directive(&trace->regions[i], "taskloop"))
      return true;
  return false;
}

static bool take_trace(struct archive_reading *reading, struct error *error)
{
  bool none = true;
  if (calls_has_samples(reading->trace)) {
    reading->samples = samples_open(reading->trace, &none, error);
    if (!reading->samples && !none)
      return false;
  }
  struct waits_found found = {0};
  struct analysis_task also[3] = {{&waits_analysis, NULL, &found}};
  struct run_analyses_options options = {.also = also, .also_count = 1};
  if (has_tasks(reading->trace))
    also[options.also_count++] = (struct analysis_task){&tasks_analysis, NULL, &reading->tasks};
  if (reading->samples)
    also[options.also_count++] = (struct analysis_task){&calls_analysis, reading->samples, &reading->calls};
  struct run_analyses all;
  bool good = run_analyses(reading->trace, reading->pool, &options, &all, error);
  if (good) {
    const struct processors *processors = all.results.processors;
    reading->run->processor_time = processors->known || processors->read;
    take_states(reading, all.results.sums, processors->read && !processors->known);
    take_constructs(reading, all.results.imbalance);
    take_locks(reading, all.results.locks);
    take_account(reading, all.results.account);
    take_tasks(reading, all.results.tasks, true);
    take_tasks(reading, &reading->tasks, false);
    take_counters(reading, all.results.counters);
    take_paths(reading, &found.paths);
    if (reading->samples)
      take_functions(reading);
  }
  run_analyses_free(&all);
  analysis_free(&waits_analysis, &found);
  analysis_free(&tasks_analysis, &reading->tasks);
  analysis_free(&calls_analysis, &reading->calls);
  samples_close(reading->samples);
  return good;
}

static void take_metrics(struct archive_reading *reading, const struct profiled *profile)
{
  for (size_t i = 0; i < profile->metric_count; i++) {
    const struct profile_metric *metric = &profile->metrics[i];
    if (metric->kind == PROFILE_CHUNKS) {
      struct run_row *row = row_at(reading, ROW_CONSTRUCT, NULL, metric->region);
      row_add(row, RUN_CHUNKS, (double)metric->count);
      row_add(row, RUN_ITERATIONS, metric->is_real ? metric->real_sum : (double)metric->sum);
    } else if (metric->kind == PROFILE_TASKS) {
      row_add(row_at(reading, ROW_TASK, NULL, metric->region), RUN_TASKS, (double)metric->count);
    } else if (metric->kind == PROFILE_LOCK) {
      struct run_row *row = is_lock_name(metric->object)
                                ? row_at(reading, ROW_LOCK, metric->object, TRACE_NONE)
                                : row_at(reading, ROW_LOCK, lock_kind_name(LOCK_ROUTINE), metric->region);
      row_add(row, RUN_ACQUISITIONS, (double)metric->count);
      row_add(row, RUN_CONTENDED, (double)metric->contended);
      row_add(row, RUN_TIME, seconds_of(reading, metric->waiting));
    }
  }
}

static bool take_profile(struct archive_reading *reading, struct error *error)
{
  struct profiled profile;
  struct states_sums sums = {0};
  bool good = profiled_read(reading->trace, reading->pool, &profile, error);
  if (good && !profiled_states(reading->trace, &profile, &sums))
    good = error_set(error, "%s: out of memory", reading->trace->anchor);
  if (good) {
    take_states(reading, &sums, false);
    take_metrics(reading, &profile);
  }
  states_sums_free(&sums);
  profiled_free(&profile);
  return good;
}

bool run_of_archive(const char *path, struct pool *pool, struct runs *runs, struct error *error)
{
  struct run_figures run = {.path = strdup(path)};
  struct archive_reading reading = {.trace = trace_open(path, error), .pool = pool, .run = &run, .good = true};
  if (!reading.trace) {
    run_figures_free(&run);
    return false;
  }
  const struct trace *trace = reading.trace;
  const char *program = trace->process_count > 0 && trace->processes[0].name ? trace->processes[0].name : "";
  const char *number = strrchr(program, '['); /* the process id */
  run.program = strndup(program, number && number > program ? (size_t)(number - program - 1) : strlen(program));
  run.began = trace->realtime_ns == UINT64_MAX ? 0 : trace->realtime_ns;
  bool good = profiled_is(trace) ? take_profile(&reading, error) : take_trace(&reading, error);
  if (good)
    good = (reading.good && run.path && run.program && source_texts(&run) && vector_push(&runs->list, run)) ||
           error_set(error, "%s: out of memory", path);
  if (!good)
    run_figures_free(&run);
  trace_close(reading.trace);
  return good;
}
