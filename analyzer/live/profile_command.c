/* Command `heddle profile`. */
#include "analyzer/command/analysis.h"
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
  bool text = view->run->format == PRINT_TEXT, ran = row->executions > 0, thread = row->location != TRACE_NONE,
       wide = !(view->narrow && text);
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
                                                {"thread_name", "Thread", PRINT_STRING, true},
                                                {"thread", "No.", PRINT_NUMBER, true},
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
