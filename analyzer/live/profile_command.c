#include "analyzer/live/profile_command.h"

#include "analyzer/command/analysis.h"
#include "analyzer/command/print/units.h"
#include "analyzer/command/values.h"
#include "analyzer/live/profile/profile.h"
#include "analyzer/live/profile_tables.h"
#include "base/count_of.h"

#include <stdlib.h>
#include <string.h>

struct profile_own_options {
  bool by_thread;
  uint64_t top; /* 0: all */
};

struct profile_view {
  const struct analysis_run *run;
  struct profiled shown; /* sorted by self time */
  wide_total whole;      /* the lives of all threads */
  bool narrow;
};

static const char *part_name(enum profile_kind kind)
{
  static const char *const names[PROFILE_KINDS] = {[PROFILE_CONSTRUCT] = NULL,
                                                   [PROFILE_MEMBER] = "code of threads",
                                                   [PROFILE_ACQUIRE] = "waits",
                                                   [PROFILE_HOLD] = "holds"};
  return names[kind];
}

/* By self time, then inclusive time; holds have none of the former. */
static int profile_compare(const void *a, const void *b)
{
  const struct profile_row *left = a, *right = b;
  if (left->self != right->self)
    return left->self < right->self ? 1 : -1;
  if (left->inclusive != right->inclusive)
    return left->inclusive < right->inclusive ? 1 : -1;
  if (left->region != right->region)
    return left->region < right->region ? -1 : 1;
  if (left->kind != right->kind)
    return left->kind < right->kind ? -1 : 1;
  return (left->location > right->location) - (left->location < right->location);
}

static void profile_put_row(const struct profile_view *view, const struct profile_row *row, size_t number)
{
  const struct trace *trace = view->run->trace;
  const struct trace_region *region = row->region == TRACE_NONE ? NULL : &trace->regions[row->region];
  bool text = view->run->format == PRINT_TEXT || view->run->format == PRINT_HTML, ran = row->executions > 0,
       thread = row->location != TRACE_NONE, wide = !(view->narrow && text);
  bool where = region && (!text || !strchr(region->name, '@'));
  struct print_cell cells[] = {wide ? print_number(number) : print_none(),
                               print_string(profiled_row_name(trace, row)),
                               print_string(text ? part_name(row->kind) : profiled_kind_key(row->kind)),
                               thread ? print_string(trace->locations[row->location].name) : print_none(),
                               thread ? print_number(row->location) : print_none(),
                               where && *region->file ? print_string(region->file) : print_none(),
                               where && region->line ? print_number(region->line) : print_none(),
                               print_number(row->executions),
                               print_share(row->self, view->whole),
                               ran && wide ? print_number(row->inclusive) : print_none(),
                               ran && wide ? print_number(profiled_quantile(row, 0.5)) : print_none(),
                               ran && wide ? print_number(profiled_quantile(row, 0.99)) : print_none(),
                               ran && wide ? print_number(row->longest) : print_none(),
                               wide ? print_number(row->contended) : print_none(),
                               print_number(row->waiting)};
  print_row(view->run->print, cells);
}

static void profile_put_rows(const struct profile_view *view, size_t shown)
{
  static const struct print_column columns[] = {{"row", "No.", PRINT_NUMBER, true},
                                                {"construct", "Construct", PRINT_STRING, false},
                                                {"part", "Part", PRINT_STRING, true},
                                                {"thread", "Thread", PRINT_STRING, true},
                                                {"location", "No.", PRINT_NUMBER, true},
                                                {"file", "File", PRINT_STRING, true},
                                                {"line", "Line", PRINT_NUMBER, true},
                                                {"executions", "Executions", PRINT_COUNT, false},
                                                {"self", "Self", PRINT_SHARE, false},
                                                {"inclusive", "Inclusive", PRINT_DURATION, true},
                                                {"half_at_most", "50 % at most", PRINT_DURATION, true},
                                                {"most_at_most", "99 % at most", PRINT_DURATION, true},
                                                {"longest", "Longest", PRINT_DURATION, true},
                                                {"contended", "Contended", PRINT_COUNT, true},
                                                {"waiting", "Waiting", PRINT_DURATION, true}};
  print_table(view->run->print, "rows", NULL, columns, COUNT_OF(columns), false);
  for (size_t i = 0; i < shown; i++)
    profile_put_row(view, &view->shown.rows[i], i + 1);
  print_table_end(view->run->print);
}

/* For programs: the whole histograms. */
static void put_durations(const struct profile_view *view, size_t shown)
{
  static const struct print_column columns[] = {{"row", "No.", PRINT_NUMBER, false},
                                                {"shorter_than", "Shorter than", PRINT_DURATION, false},
                                                {"executions", "Executions", PRINT_COUNT, false}};
  print_table(view->run->print, "durations", "Durations", columns, COUNT_OF(columns), false);
  for (size_t i = 0; i < shown; i++)
    for (unsigned k = 0; k < PROFILE_POWERS; k++)
      if (view->shown.rows[i].durations[k] > 0)
        print_row(view->run->print, (struct print_cell[]){print_number(i + 1), print_number(1ull << k),
                                                          print_number(view->shown.rows[i].durations[k])});
  print_table_end(view->run->print);
}

static void profile_put_sentences(const struct profile_view *view, size_t shown)
{
  size_t count = view->shown.count;
  char text[160];
  if (shown < count && view->run->format == PRINT_TEXT) {
    snprintf(text, sizeof text, "%zu more rows have less self time: --top %zu shows them, too.", count - shown, count);
    print_sentence(view->run->print, "more", text);
  }
  for (size_t i = 0; i < count; i++)
    if (view->shown.rows[i].kind == PROFILE_OTHER) {
      print_sentence(view->run->print, "full",
                     "The recorder's table was full: the constructs that began last are summed up in one row. A larger "
                     "--window has room for more.");
      return;
    }
}

bool profiled_rows_put(const struct analysis_run *run, const struct profiled *profile, struct profiled_shown how)
{
  struct profile_view view = {.run = run, .narrow = how.narrow};
  if (!profiled_sum(profile, &view.shown))
    return false;
  struct profiled *shown = &view.shown;
  view.whole = profiled_time(profile);
  if (how.by_thread) {
    memcpy(shown->rows, profile->rows, profile->count * sizeof *profile->rows);
    shown->count = profile->count;
  }
  if (shown->count > 0)
    qsort(shown->rows, shown->count, sizeof *shown->rows, profile_compare);
  size_t count = how.top && how.top < shown->count ? how.top : shown->count;
  profile_put_rows(&view, count);
  if (run->format == PRINT_JSON || run->format == PRINT_CSV)
    put_durations(&view, count);
  profile_put_sentences(&view, count);
  profiled_free(shown);
  return true;
}

bool profiled_rows_work(const struct analysis_run *run, const void *own, struct error *error)
{
  const struct profile_own_options *options = own;
  struct profiled profile;
  bool good = profiled_read(run->trace, run->pool, &profile, error);
  if (good)
    print_fact(run->print, "time", "Time of all threads", PRINT_DURATION, print_number(profiled_time(&profile)));
  struct profiled_shown how = {.by_thread = options && options->by_thread, .top = options ? options->top : 0};
  if (good && !(profiled_rows_put(run, &profile, how) && profiled_metrics_put(run, &profile, how)))
    good = error_set(error, "out of memory");
  profiled_free(&profile);
  return good;
}

/* An archive with events may have a profile beside them. */
static bool profile_work(const struct analysis_run *run, const void *own, struct error *error)
{
  if (!profiled_has(run->trace))
    return error_set(error,
                     "%s: has no profile: record with --profile or --profile-beside; see `heddle states --by region`",
                     run->trace->anchor);
  if (run->trace->restriction.timed)
    return error_set(error, "%s: its profile has no times: --from and --to need `heddle states`", run->trace->anchor);
  return profiled_rows_work(run, own, error);
}

static const struct command_option profile_own_options[] = {
    {.name = "by",
     .words = "construct|thread",
     .help = "a line a construct (default), or a line a construct and thread",
     .take = option_second,
     .at = offsetof(struct profile_own_options, by_thread)},
    {.name = "top",
     .argument = "N",
     .help = "the N lines with the longest self time (default: all)",
     .take = option_number,
     .at = offsetof(struct profile_own_options, top),
     .least = 1},
    {.name = NULL}};

const struct command command_profile = {
    .name = "profile",
    .group = COMMAND_LOOK,
    .summary = "prints the sums of a profile: executions, times and waits of each construct",
    .synopsis = ANALYSIS_SYNOPSIS,
    .about =
        "Prints how often each construct was executed, how long it took, and how long threads waited in it. DIR is a "
        "profile\n"
        "of `heddle record --profile`: the trace's directory or its .otf2 file.\n",
    ANALYSIS_OPERAND,
    .options = {{.list = profile_own_options}, ANALYSIS_OPTIONS},
    LOOK(.options_size = sizeof(struct profile_own_options), .work = profile_work,
         .work_on_profile = profiled_rows_work),
};

static const char profiled_page_begin[] =
    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width\">\n<title>Heddle: a profile</title>\n<style>\n"
    ":root { color-scheme: light dark; --back: #fff; --ink: #1d2733; --soft: #5c6875; --line: #d5dbe1; --bar: #bfe3d8 "
    "}\n"
    "@media (prefers-color-scheme: dark) {\n"
    "  :root { --back: #14191f; --ink: #e3e8ee; --soft: #97a3b0; --line: #333d48; --bar: #1d5647 }\n}\n"
    "body { margin: 0 auto; padding: 1rem 1.5rem 3rem; max-width: 90rem; background: var(--back); color: var(--ink);\n"
    "  font: 15px/1.5 system-ui, sans-serif }\n"
    "h1 { font-size: 1.5rem } h2 { font-size: 1.15rem; margin: 2rem 0 0.5rem }\n"
    "dl { display: grid; grid-template-columns: max-content 1fr; gap: 0.2rem 1rem } dt { color: var(--soft) } dd { "
    "margin: 0 }\n"
    ".wide { overflow-x: auto } table { border-collapse: collapse; font-variant-numeric: tabular-nums }\n"
    "caption { text-align: left; color: var(--soft); padding: 0.3rem 0 }\n"
    "th, td { padding: 0.15rem 0.7rem; border-bottom: 1px solid var(--line); text-align: right; white-space: pre }\n"
    "th { color: var(--soft); font-weight: 600; vertical-align: bottom } .text { text-align: left }\n"
    ".share { background: linear-gradient(to right, var(--bar) var(--part), transparent var(--part)) }\n"
    "p { max-width: 60rem }\n</style>\n</head>\n<body>\n";

/* The row with most waiting: at the last barrier of a region, or for a lock. NULL: no row has 1 % of the time. */
static const struct profile_row *worst(const struct profiled *sum, enum profile_kind kind, wide_total whole)
{
  const struct profile_row *most = NULL;
  for (size_t i = 0; i < sum->count; i++) {
    const struct profile_row *row = &sum->rows[i];
    if (row->kind == kind && row->region != TRACE_NONE && row->waiting > (most ? most->waiting : whole / 100))
      most = row;
  }
  return most;
}

static void put_worst(const struct analysis_run *run, const struct profile_row *row, wide_total whole)
{
  char text[1024], time[UNITS_SIZE], percent[UNITS_SIZE];
  if (!row)
    return;
  snprintf(text, sizeof text, "%s: threads waited %s %s (%s of all threads' time).",
           run->trace->regions[row->region].name,
           row->kind == PROFILE_ACQUIRE ? "for the lock" : "at the ends of the region",
           units_duration(row->waiting, run->trace->ticks_per_second, time),
           units_percent(print_percentage(row->waiting, whole), percent));
  print_sentence(run->print, "finding", text);
}

/* The larger one first. */
static void put_findings(const struct analysis_run *run, const struct profiled *sum, wide_total whole)
{
  const struct profile_row *barrier = worst(sum, PROFILE_MEMBER, whole), *lock = worst(sum, PROFILE_ACQUIRE, whole);
  bool lock_first = lock && (!barrier || lock->waiting > barrier->waiting);
  put_worst(run, lock_first ? lock : barrier, whole);
  put_worst(run, lock_first ? barrier : lock, whole);
  if (!barrier && !lock)
    print_sentence(run->print, "finding",
                   "Threads waited for less than 1 % of their time at the end of any region, or for any lock.");
}

/* Findings that follow from sums alone. */
static bool put_first(const struct analysis_run *run, const void *own, struct error *error)
{
  struct profiled profile, sum = {.rows = NULL};
  wide_total whole = 0;
  (void)own;
  bool good = profiled_read(run->trace, run->pool, &profile, error) &&
              (profiled_sum(&profile, &sum) || error_set(error, "out of memory"));
  for (size_t i = 0; good && i < sum.count; i++)
    whole += sum.rows[i].self;
  if (good) {
    print_fact(run->print, "threads", "Threads", PRINT_COUNT, print_number(run->trace->location_count));
    print_fact(run->print, "processes", "Processes", PRINT_COUNT, print_number(run->trace->process_count));
    put_findings(run, &sum, whole);
    print_sentence(run->print, "needs_events",
                   "This is a profile: sums, no events. The timeline, who waited for whom, chunks of loops, models and "
                   "predictions need events: record without --profile.");
  }
  profiled_free(&sum);
  profiled_free(&profile);
  return good;
}

bool profiled_page_write(FILE *file, const struct trace *trace, struct pool *pool, struct error *error)
{
  static const struct {
    const char *title;
    bool (*put)(const struct analysis_run *run, const void *own, struct error *error);
  } sections[] = {{"What to look at first", put_first},
                  {"Threads and their states", profiled_states_work},
                  {"Constructs", profiled_rows_work},
                  {"Waits at barriers, and what could be won", profiled_imbalance_work},
                  {"Locks", profiled_locks_work}};
  bool good = true;
  fputs(profiled_page_begin, file);
  fputs("<h1>", file);
  for (size_t i = 0; good && i < COUNT_OF(sections); i++) {
    struct analysis_run run = {.trace = (struct trace *)trace, .pool = pool, .format = PRINT_HTML};
    run.print = print_open(PRINT_HTML, file, trace->ticks_per_second);
    if (!run.print)
      return error_set(error, "out of memory");
    if (i == 0)
      print_html_text(run.print, trace->process_count > 0 ? trace->processes[0].name : "A profile");
    fprintf(file, "%s<h2>%s</h2>\n", i == 0 ? "</h1>\n" : "", sections[i].title);
    good = sections[i].put(&run, NULL, error);
    if (!print_close(run.print) && good)
      good = error_set(error, "the page cannot be written");
  }
  fputs("</body>\n</html>\n", file);
  return good;
}
