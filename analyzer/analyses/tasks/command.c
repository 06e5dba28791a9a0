#include "analyzer/analyses/tasks/tasks.h"
#include "analyzer/command/analysis.h"
#include "analyzer/command/sentences.h"
#include "analyzer/command/values.h"
#include "analyzer/findings/findings.h"
#include "analyzer/findings/prints.h"
#include "analyzer/findings/sentences.h"
#include "base/count_of.h"
#include "base/statistics.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A region of the trace; one named `(unknown)` for TRACE_NONE. */
static const struct trace_region *task_region(const struct analysis_run *run, uint32_t region)
{
  static const struct trace_region unknown = {.name = "(unknown)", .function = "", .file = ""};
  return region < run->trace->region_count ? &run->trace->regions[region] : &unknown;
}

/* The length that `part` of them do not exceed, and the longest one; none where there are no lengths. */
static struct print_cell length_cell(const struct lengths *lengths, double part)
{
  return lengths->count ? print_number(lengths_percentile(lengths, part)) : print_none();
}

static struct print_cell longest_cell(const struct lengths *lengths)
{
  return lengths->count ? print_number(lengths->max) : print_none();
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
      {"pool", "Pool", PRINT_STRING, false},  {"thread_name", "Thread", PRINT_STRING, false},
      {"thread", "No.", PRINT_NUMBER, false}, {"role", "is a", PRINT_STRING, false},
      {"ran", "Tasks", PRINT_COUNT, false},   {"in_tasks", "In tasks", PRINT_SHARE, false}};
  print_by_thread(run->print, false);
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

static void virtual_show_put_table(const struct analysis_run *run, const struct tasks *tasks, size_t shown)
{
  static const struct print_column columns[] = {{"name", "Started at", PRINT_STRING, false},
                                                {"function", "in", PRINT_STRING, true},
                                                {"file", "File", PRINT_STRING, true},
                                                {"line", "Line", PRINT_NUMBER, true},
                                                {"threads", "Threads", PRINT_COUNT, false},
                                                {"ended", "Ended", PRINT_COUNT, true},
                                                {"most_alive", "at one time", PRINT_COUNT, false},
                                                {"mounts", "Mounted", PRINT_COUNT, false},
                                                {"run", "Run, all", PRINT_SHARE, false},
                                                {"run_median", "median", PRINT_DURATION, false},
                                                {"run_max", "longest", PRINT_DURATION, false},
                                                {"queue_median", "Queue: median", PRINT_DURATION, false},
                                                {"queue_90", "90 %", PRINT_DURATION, false},
                                                {"queue_max", "longest", PRINT_DURATION, false},
                                                {"unmounted", "Unmounted, all", PRINT_DURATION, false}};
  const bool text = run->format == PRINT_TEXT;
  print_table(run->print, "virtual_threads", "Virtual threads", columns, COUNT_OF(columns), false);
  for (size_t i = 0; i < shown; i++) {
    const struct virtual_site *site = &tasks->virtual_sites[i];
    const struct trace_region *region = task_region(run, site->region);
    struct print_cell cells[] = {print_string(region->name),
                                 *region->function ? print_string(region->function) : print_none(),
                                 !text && *region->file ? print_string(region->file) : print_none(),
                                 !text && region->line ? print_number(region->line) : print_none(),
                                 print_number(site->threads),
                                 text && site->ended == site->threads ? print_none() : print_number(site->ended),
                                 print_number(site->most_alive),
                                 print_number(site->mounts),
                                 print_share(site->run.total, tasks->lifetimes),
                                 length_cell(&site->run, 0.5),
                                 longest_cell(&site->run),
                                 length_cell(&site->queue, 0.5),
                                 length_cell(&site->queue, 0.9),
                                 longest_cell(&site->queue),
                                 print_number(site->unmounted)};
    print_row(run->print, cells);
  }
  print_table_end(run->print);
}

/* Half of them waited longer than they ran. */
static void virtual_show_put_sentences(const struct analysis_run *run, const struct tasks *tasks, size_t shown)
{
  char key[40], text[1024];
  for (size_t i = 0; i < shown && run->format == PRINT_TEXT; i++) {
    const struct virtual_site *site = &tasks->virtual_sites[i];
    if (site->queue.count < 2 || site->queue.total * 100 < tasks->elapsed ||
        lengths_percentile(&site->queue, 0.5) <= lengths_percentile(&site->run, 0.5))
      continue;
    snprintf(key, sizeof key, "virtual_threads_%zu", i + 1);
    snprintf(text, sizeof text,
             "%.700s: most of these virtual threads waited longer for a carrier than they ran. There are as many "
             "carriers as processors, unless an option of the JVM sets their number. heddle waits has the virtual "
             "threads that kept theirs while they waited.",
             task_region(run, site->region)->name);
    print_sentence(run->print, key, text);
  }
}

/* A table of `shown` lines at most, and a sentence where they wait for carriers; nothing if there are none. */
static void virtual_threads_put(const struct analysis_run *run, const struct tasks *tasks, size_t shown)
{
  if (tasks->virtual_count == 0)
    return;
  if (shown > tasks->virtual_count)
    shown = tasks->virtual_count;
  virtual_show_put_table(run, tasks, shown);
  virtual_show_put_sentences(run, tasks, shown);
}

enum { TASKS_TOP_TEXT = 10 };

struct tasks_own_options {
  uint64_t top; /* 0: the format decides */
};

struct tasks_view {
  const struct analysis_run *run;
  const struct tasks *tasks;
  size_t shown;
  bool all_submitted; /* the trace has the moment when each task was made */
};

static const char *grain_name(enum task_grain grain)
{
  static const char *const names[] = {[GRAIN_UNKNOWN] = NULL,
                                      [GRAIN_TOO_SMALL] = "too small",
                                      [GRAIN_SMALL] = "small",
                                      [GRAIN_TOO_LARGE] = "too large",
                                      [GRAIN_FINE] = "fine"};
  return names[grain];
}

static void put_sites(const struct tasks_view *view)
{
  static const struct print_column columns[] = {{"site", "No.", PRINT_NUMBER, false},
                                                {"name", "Task", PRINT_STRING, false},
                                                {"function", "in", PRINT_STRING, true},
                                                {"file", "File", PRINT_STRING, true},
                                                {"line", "Line", PRINT_NUMBER, true},
                                                {"made", "Tasks", PRINT_COUNT, false},
                                                {"omitted", "Not recorded", PRINT_COUNT, true},
                                                {"ended", "Ended", PRINT_COUNT, true},
                                                {"at_once", "At once", PRINT_COUNT, true},
                                                {"stolen", "Stolen", PRINT_COUNT, true},
                                                {"make", "Making one, at most", PRINT_DURATION, true},
                                                {"run", "Run, all", PRINT_SHARE, false},
                                                {"blocked", "Blocked", PRINT_DURATION, true},
                                                {"grain", "Grain", PRINT_STRING, true}};
  const bool text = view->run->format == PRINT_TEXT;
  print_table(view->run->print, "sites", NULL, columns, COUNT_OF(columns), false);
  for (size_t i = 0; i < view->shown; i++) {
    const struct task_site *site = &view->tasks->sites[i];
    const struct trace_region *region = task_region(view->run, site->region);
    bool where = !text || !strchr(region->name, '@');
    bool function = *region->function && strcmp(region->function, region->name) != 0;
    struct print_cell cells[] = {print_number(i + 1),
                                 print_string(region->name),
                                 function ? print_string(region->function) : print_none(),
                                 where && *region->file ? print_string(region->file) : print_none(),
                                 where && region->line ? print_number(region->line) : print_none(),
                                 print_number(site->made),
                                 print_number(site->omitted),
                                 text && site->ended == site->made ? print_none() : print_number(site->ended),
                                 site->submitted ? print_number(site->at_once) : print_none(),
                                 site->submitted ? print_number(site->stolen) : print_none(),
                                 site->submitted ? length_cell(&site->apart, 0.5) : print_none(),
                                 print_share(site->run.total, view->tasks->lifetimes),
                                 print_number(site->blocked),
                                 print_string(grain_name(task_site_grain(view->tasks, site)))};
    print_row(view->run->print, cells);
  }
  print_table_end(view->run->print);
}

static void put_lengths(const struct tasks_view *view)
{
  static const struct print_column columns[] = {{"site", "No.", PRINT_NUMBER, false},
                                                {"run_median", "Run: median", PRINT_DURATION, false},
                                                {"run_90", "90 %", PRINT_DURATION, false},
                                                {"run_max", "longest", PRINT_DURATION, false},
                                                {"queue_median", "Queue: median", PRINT_DURATION, false},
                                                {"queue_90", "90 %", PRINT_DURATION, false},
                                                {"queue_max", "longest", PRINT_DURATION, false},
                                                {"held_tasks", "Held back", PRINT_COUNT, true},
                                                {"held_median", "by others: median", PRINT_DURATION, true},
                                                {"held_max", "longest", PRINT_DURATION, true}};
  print_table(view->run->print, "lengths", "How long one took", columns, COUNT_OF(columns), false);
  for (size_t i = 0; i < view->shown; i++) {
    const struct task_site *site = &view->tasks->sites[i];
    struct print_cell cells[] = {print_number(i + 1),
                                 length_cell(&site->run, 0.5),
                                 length_cell(&site->run, 0.9),
                                 longest_cell(&site->run),
                                 site->submitted ? length_cell(&site->queue, 0.5) : print_none(),
                                 site->submitted ? length_cell(&site->queue, 0.9) : print_none(),
                                 site->submitted ? longest_cell(&site->queue) : print_none(),
                                 print_number(site->held.count),
                                 length_cell(&site->held, 0.5),
                                 longest_cell(&site->held)};
    print_row(view->run->print, cells);
  }
  print_table_end(view->run->print);
}

static void tasks_put_threads(const struct tasks_view *view)
{
  static const struct print_column columns[] = {
      {"site", "No.", PRINT_NUMBER, false},    {"thread_name", "Thread", PRINT_STRING, false},
      {"thread", "No.", PRINT_NUMBER, false},  {"made", "Made", PRINT_COUNT, false},
      {"ran", "Executed", PRINT_COUNT, false}, {"stolen", "Stolen", PRINT_COUNT, true},
      {"run", "Run", PRINT_SHARE, false}};
  print_by_thread(view->run->print, true);
  print_table(view->run->print, "threads", "Who made and who executed them", columns, COUNT_OF(columns), false);
  for (size_t i = 0; i < view->tasks->thread_count; i++) {
    const struct task_thread *thread = &view->tasks->threads[i];
    if (thread->site >= view->shown)
      continue;
    const struct task_site *site = &view->tasks->sites[thread->site];
    struct print_cell cells[] = {print_number(thread->site + 1),
                                 print_string(view->run->trace->locations[thread->location].name),
                                 print_number(thread->location),
                                 site->submitted ? print_number(thread->made) : print_none(),
                                 print_number(thread->ran),
                                 site->submitted ? print_number(thread->stolen) : print_none(),
                                 print_share(thread->run, site->run.total)};
    print_row(view->run->print, cells);
  }
  print_table_end(view->run->print);
}

static void put_grain(const struct tasks_view *view)
{
  char key[32], text[1024];
  for (size_t i = 0; i < view->shown && view->run->format == PRINT_TEXT; i++) {
    const struct task_site *site = &view->tasks->sites[i];
    enum task_grain grain = task_site_grain(view->tasks, site);
    const char *name = task_region(view->run, site->region)->name;
    snprintf(key, sizeof key, "grain_%zu", i + 1);
    if (grain == GRAIN_TOO_SMALL)
      snprintf(text, sizeof text,
               "%.700s: too small. To make such a task takes longer than to run it: make fewer, larger tasks.", name);
    else if (grain == GRAIN_TOO_LARGE)
      snprintf(text, sizeof text,
               "%.700s: the longest one takes more than each thread's even share of all of them: split it.", name);
    else
      continue;
    print_sentence(view->run->print, key, text);
  }
}

static void tasks_put_sentences(const struct tasks_view *view)
{
  const struct tasks *tasks = view->tasks;
  char text[512];
  if (tasks->site_count == 0 && tasks->virtual_count > 0)
    print_sentence(view->run->print, "no_tasks", "The trace has no tasks but virtual threads.");
  else if (tasks->site_count == 0)
    print_sentence(view->run->print, "no_tasks", "The trace has no tasks.");
  else if (!view->all_submitted)
    print_sentence(view->run->print, "not_submitted",
                   "Tasks that a thread executes itself, as by compute() or invoke(), count as created when they "
                   "begin. So do tasks that wait for their time first. They have no queue times.");
  pools_put_sentences(view->run, tasks);
  put_grain(view);
  if (tasks->site_count > view->shown && view->run->format == PRINT_TEXT) {
    snprintf(text, sizeof text, "%zu more sites have shorter tasks: --top %zu shows them, too.",
             tasks->site_count - view->shown, tasks->site_count);
    print_sentence(view->run->print, "more", text);
  }
  if (tasks->omitted > 0) {
    snprintf(text, sizeof text,
             "%" PRIu64 " tasks are not recorded (heddle record --budget off records all). The lengths are lengths of "
             "recorded tasks; the span counts the others as parts of the tasks that executed them.",
             tasks->omitted);
    print_sentence(view->run->print, "not_recorded", text);
  }
  if (tasks->never_ran > 0) {
    snprintf(text, sizeof text, "%" PRIu64 " tasks were made, but never begun.", tasks->never_ran);
    print_sentence(view->run->print, "never_ran", text);
  }
  if (tasks->unfollowed > 0) {
    snprintf(text, sizeof text, "%" PRIu64 " tasks were too many at one time: they are missing here.",
             tasks->unfollowed);
    print_sentence(view->run->print, "unfollowed", text);
  }
}

bool tasks_put(const struct analysis_run *run, const struct run_analyses *all, const struct tasks *tasks, size_t top)
{
  struct tasks_view view = {.run = run, .tasks = tasks, .all_submitted = true};
  const bool java = trace_is_of_java(run->trace);
  uint64_t submitted = 0;
  for (size_t i = 0; i < tasks->site_count; i++) {
    view.all_submitted &= tasks->sites[i].submitted == tasks->sites[i].made;
    submitted += tasks->sites[i].submitted;
  }
  view.shown = top ? top : run->format == PRINT_TEXT ? TASKS_TOP_TEXT : tasks->site_count;
  if (view.shown > tasks->site_count)
    view.shown = tasks->site_count;
  print_fact(run->print, "made", "Tasks made", PRINT_COUNT, print_number(tasks->made));
  print_fact(run->print, "ended", "Tasks ended", PRINT_COUNT, print_number(tasks->ended));
  print_fact(run->print, "most_waiting", "Most that waited at one time", PRINT_COUNT,
             submitted || !java ? print_number(tasks->most_waiting) : print_none());
  print_fact(run->print, "work", "Work", PRINT_DURATION, print_number(tasks->work));
  print_fact(run->print, "span", "Span", PRINT_DURATION, java ? print_none() : print_number(tasks->span));
  print_fact(run->print, "parallelism", "Work by span", PRINT_REAL,
             !java && tasks->span ? print_real((double)tasks->work / (double)tasks->span) : print_none());
  if (run->format != PRINT_TEXT || tasks->site_count > 0 || tasks->virtual_count == 0)
    put_sites(&view);
  if (run->format != PRINT_TEXT || tasks->site_count > 0) {
    put_lengths(&view);
    tasks_put_threads(&view);
  }
  if (java)
    pools_put(run, tasks);
  virtual_threads_put(run, tasks, top ? top : run->format == PRINT_TEXT ? TASKS_TOP_TEXT : tasks->virtual_count);
  account_say_kind(run, all, ACCOUNT_TASKS);
  account_say_kind(run, all, ACCOUNT_GRAIN);
  findings_say_first(run, all);
  tasks_put_sentences(&view);
  return not_measured_put(run->print, run->trace, tasks->not_measured, tasks->lifetimes + tasks->not_measured);
}

static bool tasks_work(const struct analysis_run *run, const void *own, struct error *error)
{
  struct tasks tasks = {.made = 0};
  const struct analysis_task also = {&tasks_analysis, NULL, &tasks};
  const struct run_analyses_options options = {.also = &also, .also_count = 1};
  struct run_analyses all;
  size_t top = ((const struct tasks_own_options *)own)->top;
  bool good = run_analyses(run->trace, run->pool, &options, &all, error) &&
              (tasks_put(run, &all, &tasks, top) || error_set(error, "out of memory"));
  analysis_free(&tasks_analysis, &tasks);
  run_analyses_free(&all);
  return good;
}

static const struct command_option tasks_own_options[] = {
    {.name = "top",
     .argument = "N",
     .help = "the N sites with the longest runs (default: 10; JSON and CSV: all)",
     .take = option_number,
     .at = offsetof(struct tasks_own_options, top),
     .least = 1},
    {.name = NULL}};

const struct command command_tasks = {
    .name = "tasks",
    .group = COMMAND_LOOK,
    .summary = "prints how many tasks there were, how long they waited and ran, and how parallel they could be",
    .synopsis = ANALYSIS_SYNOPSIS,
    .about =
        "Prints the tasks of OpenMP, and of Java's pools and executors, by the line of their code: how many, how long\n"
        "they waited and ran, which threads made and executed them; the work and the span of the run; and how pools\n"
        "share their work. DIR is the trace's directory or its .otf2 file.\n",
    ANALYSIS_OPERAND,
    .options = {{.list = tasks_own_options}, ANALYSIS_OPTIONS, THREAD_TABLE_OPTIONS},
    LOOK(.options_size = sizeof(struct tasks_own_options), .work = tasks_work, .leads_to_why = true),
};
