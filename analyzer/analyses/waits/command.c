#include "analyzer/command/analysis.h"
#include "analyzer/command/sentences.h"
#include "analyzer/command/values.h"
#include "analyzer/findings/prints.h"
#include "base/count_of.h"
#include "common/raw/archive_names.h"

#include <inttypes.h>
#include <string.h>

void callers_show(const struct analysis_run *run, const struct callers *callers, const char *group, size_t shown)
{
  const struct print_column columns[] = {
      {group, "No.", PRINT_NUMBER, false},           {"place", "Place", PRINT_STRING, false},
      {"callers", "Called by", PRINT_STRING, false}, {"times", "Waits", PRINT_COUNT, false},
      {"time", "Time", PRINT_DURATION, false},       {"time_max", "Longest", PRINT_DURATION, false}};
  const struct trace *trace = run->trace;
  size_t first = group ? 0 : 1;
  if (callers->list.count == 0)
    return;
  print_table(run->print, "callers", "By callers", columns + first, COUNT_OF(columns) - first, false);
  for (size_t i = 0; i < callers->list.count; i++) {
    const struct callers_waits *row = &callers->list.items[i];
    struct print_cell cells[] = {print_number(row->group + 1),
                                 row->region < trace->region_count ? print_string(trace->regions[row->region].name)
                                                                   : print_none(),
                                 print_string(row->callers),
                                 print_number(row->times),
                                 print_number(row->ticks),
                                 print_number(row->longest)};
    if (row->group < shown)
      print_row(run->print, cells + first);
  }
  print_table_end(run->print);
}

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
      {"function", "in", PRINT_STRING, true},     {"thread_name", "Thread", PRINT_STRING, false},
      {"thread", "No.", PRINT_NUMBER, false},     {"state", "State", PRINT_STRING, false},
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
  return not_measured_put(run->print, run->trace, waits->not_measured, waits->lifetimes + waits->not_measured);
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
         .print = critical_path_print, .leads_to_why = true),
};

enum { WAITS_TOP_TEXT = 10, WAITS_NAME_SIZE = 1024 };

struct waits_own_options {
  uint64_t top; /* 0: the format decides */
};

struct waits_view {
  const struct analysis_run *run;
  const struct waits *waits;
  size_t shown;
};

static const char *how_name(enum wake_how how)
{
  static const char *const names[WAKE_HOWS] = {
      [WAKE_BY_THREAD] = "thread",   [WAKE_AMBIGUOUS] = "ambiguous", [WAKE_INTERRUPTED] = "interrupted",
      [WAKE_TIMED_OUT] = "time-out", [WAKE_ITSELF] = "itself",       [WAKE_UNKNOWN] = "unknown",
      [WAKE_CUT] = "did not end",    [WAKE_BY_IO] = "input, output",
  };
  return names[how];
}

static struct print_cell region_cell(const struct trace *trace, uint32_t region)
{
  return region < trace->region_count ? print_string(trace->regions[region].name) : print_none();
}

static struct print_cell thread_cell(const struct trace *trace, uint32_t location)
{
  return location < trace->location_count ? print_string(trace->locations[location].name) : print_none();
}

/* A Java object has its identity hash, and a socket its port. */
static void object_name(const struct waits_place *place, char name[WAITS_NAME_SIZE])
{
  if (place->object && strncmp(place->class_name, NAME_SOCKET, strlen(NAME_SOCKET)) == 0)
    snprintf(name, WAITS_NAME_SIZE, "%s:%" PRIu64, place->class_name, place->object);
  else if (place->object)
    snprintf(name, WAITS_NAME_SIZE, "%s@%" PRIx64, place->class_name, place->object);
  else
    snprintf(name, WAITS_NAME_SIZE, "%s", place->class_name);
}

static void waits_put_places(const struct waits_view *view)
{
  static const struct print_column columns[] = {{"wait", "No.", PRINT_NUMBER, false},
                                                {"place", "Place", PRINT_STRING, false},
                                                {"object", "Object", PRINT_STRING, true},
                                                {"function", "in", PRINT_STRING, true},
                                                {"file", "File", PRINT_STRING, true},
                                                {"line", "Line", PRINT_NUMBER, true},
                                                {"times", "Waits", PRINT_COUNT, false},
                                                {"time", "Time, all threads", PRINT_SHARE, false},
                                                {"time_mean", "Mean", PRINT_DURATION, PRINT_OMIT_FIRST},
                                                {"time_max", "Longest", PRINT_DURATION, false},
                                                {"omitted", "Not recorded", PRINT_COUNT, true}};
  const struct trace *trace = view->run->trace;
  bool text = view->run->format == PRINT_TEXT;
  print_table(view->run->print, "waits", NULL, columns, COUNT_OF(columns), false);
  for (size_t i = 0; i < view->shown; i++) {
    const struct waits_place *place = &view->waits->places[i];
    const struct trace_region none = {.name = "(unknown)", .function = "", .file = ""};
    const struct trace_region *region = place->region < trace->region_count ? &trace->regions[place->region] : &none;
    bool where = !text || !strchr(region->name, '@');
    bool function = *region->function && strcmp(region->function, region->name) != 0;
    char object[WAITS_NAME_SIZE];
    object_name(place, object);
    struct print_cell cells[] = {print_number(i + 1),
                                 print_string(region->name),
                                 *object ? print_string(object) : print_none(),
                                 function ? print_string(region->function) : print_none(),
                                 where && *region->file ? print_string(region->file) : print_none(),
                                 where && region->line ? print_number(region->line) : print_none(),
                                 print_number(place->times),
                                 print_share(place->ticks, view->waits->lifetimes),
                                 print_number(place->times ? place->ticks / place->times : 0),
                                 print_number(place->longest),
                                 print_number(place->omitted)};
    print_row(view->run->print, cells);
  }
  print_table_end(view->run->print);
}

static void waits_put_causes(const struct waits_view *view)
{
  static const struct print_column columns[] = {
      {"wait", "No.", PRINT_NUMBER, false},
      {"ended_by", "Ended by", PRINT_STRING, false},
      {"thread_name", "Thread", PRINT_STRING, false},
      {"at", "at", PRINT_STRING, false},
      {"or_thread_name", "or thread", PRINT_STRING, true},
      {"or_at", "or at", PRINT_STRING, true},
      {"times", "Waits", PRINT_COUNT, false},
      {"time", "Time", PRINT_SHARE, false},
      {"woken", "Until it went on", PRINT_DURATION, PRINT_OMIT_ZERO | PRINT_OMIT_FIRST},
      {"meanwhile", "It waited itself", PRINT_DURATION, PRINT_OMIT_ZERO | PRINT_OMIT_FIRST},
      {"meanwhile_for", "mostly at", PRINT_STRING, true}};
  const struct trace *trace = view->run->trace;
  print_table(view->run->print, "wakers", "What ended the waits", columns, COUNT_OF(columns), false);
  for (size_t i = 0; i < view->waits->cause_count; i++) {
    const struct waits_cause *cause = &view->waits->causes[i];
    if (cause->place >= view->shown)
      continue;
    struct print_cell cells[] = {print_number(cause->place + 1),
                                 print_string(how_name(cause->how)),
                                 thread_cell(trace, cause->from),
                                 region_cell(trace, cause->from_region),
                                 thread_cell(trace, cause->also),
                                 region_cell(trace, cause->also_region),
                                 print_number(cause->times),
                                 print_share(cause->ticks, view->waits->places[cause->place].ticks),
                                 cause->woken_times ? print_number(cause->woken) : print_none(),
                                 cause->meanwhile ? print_number(cause->meanwhile) : print_none(),
                                 region_cell(trace, cause->meanwhile_region)};
    print_row(view->run->print, cells);
  }
  print_table_end(view->run->print);
}

static void put_pinned(const struct waits_view *view)
{
  static const struct print_column columns[] = {
      {"wait", "No.", PRINT_NUMBER, false},          {"pinned_by", "Pinned by", PRINT_STRING, false},
      {"file", "File", PRINT_STRING, false},         {"line", "Line", PRINT_NUMBER, false},
      {"times", "Waits", PRINT_COUNT, false},        {"time", "Time", PRINT_DURATION, false},
      {"time_max", "Longest", PRINT_DURATION, false}};
  const struct callers *pinned = &view->waits->pinned;
  if (pinned->list.count == 0)
    return;
  print_table(view->run->print, "pinned", "Virtual threads that kept their carriers", columns, COUNT_OF(columns),
              false);
  for (size_t i = 0; i < pinned->list.count; i++) {
    const struct callers_waits *row = &pinned->list.items[i];
    const struct trace_region *region = &view->run->trace->regions[row->region];
    struct print_cell cells[] = {print_number(row->group + 1),
                                 print_string(*region->function ? region->function : region->name),
                                 *region->file ? print_string(region->file) : print_none(),
                                 region->line ? print_number(region->line) : print_none(),
                                 print_number(row->times),
                                 print_number(row->ticks),
                                 print_number(row->longest)};
    if (row->group < view->shown)
      print_row(view->run->print, cells);
  }
  print_table_end(view->run->print);
}

static void waits_put_sentences(const struct waits_view *view)
{
  char text[256];
  size_t more = view->waits->place_count - view->shown;
  if (view->waits->place_count == 0)
    print_sentence(view->run->print, "unwaited", "No thread waited at a recorded place.");
  else if (more > 0 && view->run->format == PRINT_TEXT) {
    snprintf(text, sizeof text, "%zu more places have shorter waits: --top %zu shows them, too.", more,
             view->waits->place_count);
    print_sentence(view->run->print, "more", text);
  }
  if (view->waits->beyond_limit > 0) {
    snprintf(text, sizeof text, "The trace has too many wakers: the wakers of %" PRIu64 " waits count as unknown.",
             view->waits->beyond_limit);
    print_sentence(view->run->print, "beyond_limit", text);
  }
}

bool waits_put(const struct analysis_run *run, const struct run_analyses *all, const struct waits *waits, size_t top)
{
  struct waits_view view = {.run = run, .waits = waits};
  view.shown = top ? top : run->format == PRINT_TEXT ? WAITS_TOP_TEXT : waits->place_count;
  if (view.shown > waits->place_count)
    view.shown = waits->place_count;
  print_fact(run->print, "waited", "Waited", PRINT_SHARE, print_share(waits->ticks, waits->lifetimes));
  waits_put_places(&view);
  if (run->format != PRINT_TEXT || waits->place_count > 0) {
    waits_put_causes(&view);
    callers_show(run, &waits->callers, "wait", view.shown);
    put_pinned(&view);
  }
  findings_say_first(run, all);
  waits_put_sentences(&view);
  return not_measured_put(run->print, run->trace, waits->not_measured, waits->lifetimes + waits->not_measured);
}

static bool waits_work(const struct analysis_run *run, const void *own, struct error *error)
{
  struct waits_found found = {.waits = {.places = NULL}};
  const struct analysis_task also = {&waits_analysis, NULL, &found};
  const struct run_analyses_options options = {.also = &also, .also_count = 1};
  struct run_analyses all;
  size_t top = ((const struct waits_own_options *)own)->top;
  bool good = run_analyses(run->trace, run->pool, &options, &all, error) &&
              (waits_put(run, &all, &found.waits, top) || error_set(error, "out of memory"));
  analysis_free(&waits_analysis, &found);
  run_analyses_free(&all);
  return good;
}

static const struct command_option waits_own_options[] = {
    {.name = "top",
     .argument = "N",
     .help = "the N places with the longest waits (default: 10; JSON and CSV: all)",
     .take = option_number,
     .at = offsetof(struct waits_own_options, top),
     .least = 1},
    {.name = NULL}};

const struct command command_waits = {
    .name = "waits",
    .group = COMMAND_LOOK,
    .summary = "prints where threads waited, and which thread ended each wait at which source line",
    .synopsis = ANALYSIS_SYNOPSIS,
    .about = "Prints where threads waited: barriers, locks and tasks of OpenMP, monitors, conditions and parking of "
             "Java;\n"
             "and which thread ended the waits at which source line. DIR is the trace's directory or its .otf2 file.\n",
    ANALYSIS_OPERAND,
    .options = {{.list = waits_own_options}, ANALYSIS_OPTIONS},
    LOOK(.options_size = sizeof(struct waits_own_options), .work = waits_work, .leads_to_why = true),
};
