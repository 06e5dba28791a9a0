#include "analyzer/command/analysis.h"

#include "analyzer/analyses/omitted/omitted_show.h"
#include "analyzer/command/sentences.h"
#include "analyzer/findings/prints.h"
#include "analyzer/findings/sentences.h"
#include "base/count_of.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define THREADS_MAX   4096
#define SENTENCES_MAX 20 /* in text: for the loops with the most time */

struct schedule_own_options {
  uint32_t threads[SCHEDULE_TEAMS];
  uint32_t thread_count;
};

static uint64_t schedule_ticks_of(double ticks)
{
  return ticks > 0 ? (uint64_t)(ticks + 0.5) : 0;
}

static const char *verdict_name(const struct schedule_loop *loop)
{
  static const char *const obstacles[] = {
      NULL, "incomplete", "no chunks", "no iterations", "chunk times unknown", "ordered", "off the processor"};
  static const char *const verdicts[] = {"change", "good", "unsure", "too coarse", NULL};
  return loop->obstacle ? obstacles[loop->obstacle] : verdicts[loop->teams[0].verdict];
}

/* The columns of text; JSON and CSV also have more_columns. */
static const struct print_column schedule_columns[] = {{"loop", "Loop", PRINT_STRING, false},
                                                       {"executions", "Executions", PRINT_COUNT, false},
                                                       {"threads", "Threads", PRINT_COUNT, false},
                                                       {"iterations", "Iterations", PRINT_COUNT, false},
                                                       {"time", "Elapsed", PRINT_DURATION, false},
                                                       {"time_even", "if even", PRINT_DURATION, false},
                                                       {"schedule", "Schedule", PRINT_STRING, false},
                                                       {"best", "Best", PRINT_STRING, false},
                                                       {"best_time", "would take", PRINT_DURATION, false},
                                                       {"verdict", "Verdict", PRINT_STRING, false}};
static const struct print_column more_columns[] = {{"gain", "Saves", PRINT_PERCENT, false},
                                                   {"gain_low", "at least", PRINT_PERCENT, false},
                                                   {"gain_high", "at most", PRINT_PERCENT, false},
                                                   {"chunks", "Chunks", PRINT_COUNT, false},
                                                   {"incomplete", "Incomplete", PRINT_COUNT, false},
                                                   {"sampled", "Simulated", PRINT_COUNT, false},
                                                   {"error", "Error", PRINT_PERCENT, false},
                                                   {"overhead", "Overhead", PRINT_DURATION, false},
                                                   {"overhead_from", "Overhead from", PRINT_STRING, false},
                                                   {"record_with", "Record with", PRINT_COUNT, false},
                                                   {"function", "Function", PRINT_STRING, false},
                                                   {"file", "File", PRINT_STRING, false},
                                                   {"line", "Line", PRINT_NUMBER, false},
                                                   {"advice", "Advice", PRINT_STRING, false}};
static void put_loop_cells(struct print_cell *cell, const struct trace *trace, const struct schedule_loop *loop,
                           char texts[2][PLAN_TEXT])
{
  const struct schedule_team *team = loop->team_count ? &loop->teams[0] : NULL;
  const struct schedule_candidate *best = team ? &team->candidates[team->best] : NULL;
  bool known = loop->recorded.kind != PLAN_UNKNOWN;
  *cell++ = print_string(trace->regions[loop->region].name);
  *cell++ = print_number(loop->calls);
  *cell++ = print_number(loop->threads);
  *cell++ = print_number(loop->iterations);
  *cell++ = print_number(loop->ticks);
  *cell++ = loop->obstacle == OBSTACLE_ORDERED ? print_none()
                                               : print_number(schedule_ticks_of(fine_total_ticks(loop->ideal)));
  *cell++ = known ? print_string(plan_text(&loop->recorded, texts[0])) : print_none();
  *cell++ = best ? print_string(plan_text(&best->plan, texts[1])) : print_none();
  *cell++ = best ? print_number(schedule_ticks_of(best->ticks)) : print_none();
  *cell++ = print_string(verdict_name(loop));
}

static void put_more_cells(struct print_cell *cell, const struct trace *trace, const struct schedule_loop *loop,
                           const char *advice)
{
  static const char *const origins[] = {"loop", "trace", "unknown"};
  const struct trace_region *region = &trace->regions[loop->region];
  const struct schedule_team *team = loop->team_count ? &loop->teams[0] : NULL;
  *cell++ = team ? print_real(team->gain) : print_none();
  *cell++ = team ? print_real(team->gain_low) : print_none();
  *cell++ = team ? print_real(team->gain_high) : print_none();
  *cell++ = print_number(loop->chunks);
  *cell++ = print_number(loop->incomplete);
  *cell++ = print_number(loop->sampled);
  *cell++ = isnan(loop->error) ? print_none() : print_real(loop->error);
  *cell++ = loop->overhead_from == OVERHEAD_UNKNOWN ? print_none() : print_number(schedule_ticks_of(loop->overhead));
  *cell++ = print_string(origins[loop->overhead_from]);
  *cell++ = loop->obstacle == OBSTACLE_ORDERED ? print_none() : print_number(loop->suggested);
  *cell++ = *region->function ? print_string(region->function) : print_none();
  *cell++ = *region->file ? print_string(region->file) : print_none();
  *cell++ = region->line ? print_number(region->line) : print_none();
  *cell++ = print_string(advice);
}

/* False: out of memory. */
static bool put_loops(const struct analysis_run *run, const struct schedules *schedules)
{
  struct print_column all[COUNT_OF(schedule_columns) + COUNT_OF(more_columns)];
  size_t count = COUNT_OF(schedule_columns);
  memcpy(all, schedule_columns, sizeof schedule_columns);
  if (run->format != PRINT_TEXT) {
    memcpy(all + count, more_columns, sizeof more_columns);
    count += COUNT_OF(more_columns);
  }
  bool good = true;
  print_table(run->print, "loops", NULL, all, count, false);
  for (uint32_t i = 0; good && i < schedules->count; i++) {
    struct print_cell cells[COUNT_OF(schedule_columns) + COUNT_OF(more_columns)];
    char texts[2][PLAN_TEXT];
    char *advice = schedule_sentence(run->trace, &schedules->loops[i]);
    good = advice != NULL;
    put_loop_cells(cells, run->trace, &schedules->loops[i], texts);
    put_more_cells(cells + COUNT_OF(schedule_columns), run->trace, &schedules->loops[i], advice);
    if (good)
      print_row(run->print, cells);
    free(advice);
  }
  print_table_end(run->print);
  return good;
}

/* The family of a schedule: static, static,c, dynamic, guided. */
static unsigned family(const struct plan *plan)
{
  return plan->kind == PLAN_STATIC ? plan->chunk != 0 : plan->kind;
}

/* True if it is the first of the shortest schedules of its family. */
static bool leads_family(const struct schedule_team *team, uint32_t at)
{
  const struct schedule_candidate *all = team->candidates;
  for (uint32_t i = 0; i < team->count; i++) {
    if (family(&all[i].plan) == family(&all[at].plan) &&
        (all[i].ticks < all[at].ticks || (all[i].ticks == all[at].ticks && i < at)))
      return false;
  }
  return true;
}

/* Text has the shortest schedule of each family, and the recorded one; JSON and CSV have all. */
static bool schedule_is_shown(const struct analysis_run *run, const struct schedule_loop *loop,
                              const struct schedule_team *team, uint32_t at)
{
  return run->format != PRINT_TEXT || at == team->best || leads_family(team, at) ||
         plan_same(&team->candidates[at].plan, &loop->recorded);
}

static void put_schedules(const struct analysis_run *run, const struct schedules *schedules)
{
  static const struct print_column shape[] = {
      {"loop", "Loop", PRINT_STRING, false},         {"threads", "Threads", PRINT_COUNT, false},
      {"schedule", "Schedule", PRINT_STRING, false}, {"time", "Time", PRINT_DURATION, false},
      {"least", "at least", PRINT_DURATION, false},  {"most", "at most", PRINT_DURATION, false},
      {"note", "Note", PRINT_STRING, true}};
  print_table(run->print, "schedules", "Simulated", shape, COUNT_OF(shape), false);
  for (uint32_t i = 0; i < schedules->count; i++) {
    const struct schedule_loop *loop = &schedules->loops[i];
    for (uint32_t t = 0; t < loop->team_count; t++) {
      const struct schedule_team *team = &loop->teams[t];
      for (uint32_t k = 0; k < team->count; k++) {
        const struct schedule_candidate *candidate = &team->candidates[k];
        char text[PLAN_TEXT];
        bool recorded = t == 0 && plan_same(&candidate->plan, &loop->recorded);
        struct print_cell cells[] = {print_string(run->trace->regions[loop->region].name),
                                     print_number(team->threads ? team->threads : loop->threads),
                                     print_string(plan_text(&candidate->plan, text)),
                                     print_number(schedule_ticks_of(candidate->ticks)),
                                     print_number(schedule_ticks_of(candidate->least)),
                                     print_number(schedule_ticks_of(candidate->most)),
                                     k == team->best ? print_string(recorded ? "best, recorded" : "best")
                                     : recorded      ? print_string("recorded")
                                                     : print_none()};
        if (schedule_is_shown(run, loop, team, k))
          print_row(run->print, cells);
      }
    }
  }
  print_table_end(run->print);
}

/* Prints a sentence a loop in text; JSON and CSV have it in the table. False: out of memory. */
static bool schedule_put_sentences(const struct analysis_run *run, const struct schedules *schedules)
{
  if (schedules->count == 0)
    print_sentence(run->print, "loopless", "There is no loop in this trace that a team shared.");
  for (uint32_t i = 0; run->format == PRINT_TEXT && i < schedules->count && i < SENTENCES_MAX; i++) {
    char *sentence = schedule_sentence(run->trace, &schedules->loops[i]);
    if (!sentence)
      return false;
    print_sentence(run->print, "advice", sentence);
    free(sentence);
  }
  return true;
}

static int schedule_take_threads(const struct option_given *given, void *into)
{
  struct schedule_own_options *options = into;
  const char *value = given->value;
  for (const char *at = value;; at++) {
    char *end;
    unsigned long threads = strtoul(at, &end, 10);
    if (*at < '0' || *at > '9' || (*end && *end != ',') || threads < 1 || threads > THREADS_MAX)
      return command_usage(given->command, "--threads %s: give numbers from 1 to %d with commas between", value,
                           THREADS_MAX);
    if (options->thread_count == SCHEDULE_TEAMS)
      return command_usage(given->command, "--threads %s: %d numbers are the most", value, SCHEDULE_TEAMS);
    options->threads[options->thread_count++] = (uint32_t)threads;
    if (!*end)
      return -1;
    at = end;
  }
}

bool schedule_put(const struct analysis_run *run, const struct run_analyses *all)
{
  if (!put_loops(run, all->results.schedules))
    return false;
  put_schedules(run, all->results.schedules);
  findings_show(run, all);
  const struct imbalance *imbalance = all->results.imbalance;
  bool good = schedule_put_sentences(run, all->results.schedules);
  restricted_put_executions(run, all->results.schedules->excluded);
  return good && omitted_put_share(run, all->results.omitted, true, "Estimates of loops") &&
         not_measured_put(run->print, run->trace, imbalance->not_measured + imbalance->estimated,
                          imbalance->not_measured + imbalance->lifetimes);
}

static bool print_schedule(const struct analysis_run *run, const struct run_analyses *all, const void *own)
{
  (void)own;
  return schedule_put(run, all);
}

static bool schedule_work(const struct analysis_run *run, const void *own, struct error *error)
{
  const struct schedule_own_options *options = own;
  const struct schedules_options wanted = {options->threads, options->thread_count};
  const struct run_analyses_options all = {.own = {{&schedules_analysis, &wanted}}};
  return run_analyses_print(run, &all, print_schedule, own, error);
}

static const struct command_option schedule_own_options[] = {
    {.name = "threads",
     .argument = "N,M",
     .help = "also for teams of N, M, ... threads (up to 16 numbers from 1 to 4096)",
     .take = schedule_take_threads},
    {.name = NULL}};

const struct command command_schedule = {
    .name = "schedule",
    .group = COMMAND_LOOK,
    .summary = "estimates the time of each loop under other schedules",
    .synopsis = ANALYSIS_SYNOPSIS,
    .about = "Estimates the time of each loop under static, static,c, dynamic,c and guided,c: the recorded chunks give "
             "the\n"
             "cost of the iterations, and a simulation gives the times. Prints the schedule clause to write. The loops "
             "are\n"
             "sorted by their time. DIR is the trace's directory or its .otf2 file.\n",
    ANALYSIS_OPERAND,
    .options = {{.list = schedule_own_options}, ANALYSIS_OPTIONS},
    LOOK(.options_size = sizeof(struct schedule_own_options), .work = schedule_work, .leads_to_why = true),
};
