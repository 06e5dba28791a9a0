#include "analyzer/command/analysis.h"

#include "analyzer/command/unmeasured_sentence.h"
#include "analyzer/command/values.h"
#include "analyzer/findings/prints.h"
#include "base/count_of.h"

#include <inttypes.h>
#include <string.h>

enum { CRITICAL_PATH_TOP_TEXT = 20 };

struct critical_path_own_options {
  uint64_t top; /* 0: the format decides */
};

struct critical_path_view {
  const struct analysis_run *run;
  const struct critical_paths *paths;
  size_t shown; /* parts of each path */
};

static struct print_cell process_cell(const struct critical_path_view *view, size_t path)
{
  const struct trace *trace = view->run->trace;
  uint32_t process = view->paths->list[path].process;
  bool several = view->paths->count > 1 && process != TRACE_NONE;
  return several ? print_string(trace->processes[process].name) : print_none();
}

static void put_paths(const struct critical_path_view *view)
{
  static const struct print_column columns[] = {{"process", "Process", PRINT_STRING, true},
                                                {"length", "Length", PRINT_DURATION, false},
                                                {"last_thread", "Ends on", PRINT_STRING, false},
                                                {"continued", "Wakes followed", PRINT_COUNT, false},
                                                {"not_continued", "Not followed", PRINT_COUNT, true}};
  print_table(view->run->print, "paths", NULL, columns, COUNT_OF(columns), false);
  for (size_t i = 0; i < view->paths->count; i++) {
    const struct critical_path *path = &view->paths->list[i];
    struct print_cell cells[] = {process_cell(view, i), print_number(path->ticks),
                                 print_string(view->run->trace->locations[path->last].name), print_number(path->hops),
                                 print_number(path->lost)};
    print_row(view->run->print, cells);
  }
  print_table_end(view->run->print);
}

static const char *part_state_name(unsigned state)
{
  return state < STATES    ? state_name((enum state)state)
         : state == STATES ? "before its first event"
                           : "after its last event";
}

static void critical_path_put_parts(const struct critical_path_view *view)
{
  static const struct print_column columns[] = {
      {"process", "Process", PRINT_STRING, true}, {"construct", "Construct", PRINT_STRING, false},
      {"function", "in", PRINT_STRING, true},     {"thread", "Thread", PRINT_STRING, false},
      {"location", "No.", PRINT_NUMBER, false},   {"state", "State", PRINT_STRING, false},
      {"time", "On the path", PRINT_SHARE, false}};
  const struct trace *trace = view->run->trace;
  size_t path = 0, rank = 0;
  print_table(view->run->print, "parts", "By construct, thread and state", columns, COUNT_OF(columns), false);
  for (size_t i = 0; i < view->paths->part_count; i++) {
    const struct critical_part *part = &view->paths->parts[i];
    rank = part->path == path ? rank + 1 : 1;
    path = part->path;
    if (rank > view->shown)
      continue;
    const struct trace_region *region = part->construct < trace->region_count ? &trace->regions[part->construct] : NULL;
    bool function = region && *region->function && strcmp(region->function, region->name) != 0;
    struct print_cell cells[] = {process_cell(view, path),
                                 print_string(region ? region->name : "(no construct)"),
                                 function ? print_string(region->function) : print_none(),
                                 print_string(trace->locations[part->location].name),
                                 print_number(part->location),
                                 print_string(part_state_name(part->state)),
                                 print_share(part->ticks, view->paths->list[path].ticks)};
    print_row(view->run->print, cells);
  }
  print_table_end(view->run->print);
}

static void critical_path_put_sentence(const struct critical_path_view *view)
{
  if (view->paths->part_count == 0)
    print_sentence(view->run->print, "no_path", "The trace has no events of threads, and so no critical path.");
  else
    print_sentence(view->run->print, "at_most",
                   "The run is shorter by at most the time that a part has on the path, because another path may be "
                   "the longest one then. Time that is not on the path wins nothing.");
}

bool critical_path_put(const struct analysis_run *run, const struct critical_paths *paths, const struct waits *waits,
                       size_t top)
{
  struct critical_path_view view = {.run = run, .paths = paths};
  view.shown = top ? top : run->format == PRINT_TEXT ? CRITICAL_PATH_TOP_TEXT : SIZE_MAX;
  put_paths(&view);
  critical_path_put_parts(&view);
  critical_path_put_sentence(&view);
  return unmeasured_put(run->print, run->trace, waits->unmeasured, waits->lifetimes + waits->unmeasured);
}

static bool critical_path_print(const struct analysis_run *run, const void *result, const void *own)
{
  const struct waits_found *found = result;
  return critical_path_put(run, &found->paths, &found->waits, ((const struct critical_path_own_options *)own)->top);
}

static const struct command_option critical_path_own_options[] = {
    {.name = "top",
     .argument = "N",
     .help = "the N longest parts of each path (default: 20; JSON and CSV: all)",
     .take = option_number,
     .at = offsetof(struct critical_path_own_options, top),
     .least = 1},
    {.name = NULL}};

const struct command command_critical_path = {
    .name = "critical-path",
    .group = COMMAND_LOOK,
    .summary = "prints the chain of work that the length of the run depends on",
    .synopsis = ANALYSIS_SYNOPSIS,
    .about = "Prints the critical path: the chain of work from the run's begin to its end in which each thread had to "
             "wait for\n"
             "the one before, by construct, thread and state. DIR is the trace's directory or its .otf2 file.\n",
    ANALYSIS_OPERAND,
    .options = {{.list = critical_path_own_options}, ANALYSIS_OPTIONS},
    LOOK(.options_size = sizeof(struct critical_path_own_options), .analysis = &waits_analysis,
         .print = critical_path_print),
};
