#include "analyzer/live/profiled_page.h"

#include "analyzer/command/print/units.h"
#include "analyzer/live/profile/profile.h"
#include "analyzer/live/profiled_waits.h"
#include "base/count_of.h"

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

/* Where most time is spent in waiting: at the last barriers of regions, or for a lock. NULL: it is nowhere 1 %. */
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

/* What sums can carry. */
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
