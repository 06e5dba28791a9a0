#include "analyzer/analyses/account/sentence.h"
#include "analyzer/findings/prints.h"
#include "base/count_of.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PLACES_SAID = 3 };
#define SAID 0.1 /* percent: less of a kind or place is not said */

static void put_first(const struct analysis_run *run, const struct run_analyses *all)
{
  static const struct print_column columns[] = {
      {"kind", "Kind", PRINT_STRING, false},        {"file", "File", PRINT_STRING, false},
      {"line", "Line", PRINT_NUMBER, false},        {"function", "Function", PRINT_STRING, false},
      {"thread", "No.", PRINT_NUMBER, false},       {"thread_name", "Thread", PRINT_STRING, false},
      {"lock", "Lock", PRINT_STRING, false},        {"could_win_percent", "Win", PRINT_REAL, false},
      {"low", "At least", PRINT_REAL, false},       {"high", "At most", PRINT_REAL, false},
      {"sentence", "Sentence", PRINT_STRING, false}};
  static const struct trace_region nowhere = {.file = "", .function = ""};
  const struct findings *findings = &all->findings;
  const struct account *account = all->results.account;
  const struct trace *trace = all->results.trace;
  const struct finding *most =
      findings->count > 0 && findings->list[0].account == findings->first_kind ? findings->list : NULL;
  const struct account_cause *cause = account_first_cause(account);
  enum account_kind kind = findings->first_kind;
  if (kind != account_first(account))
    cause = NULL;
  uint32_t place = cause ? cause->place : most ? most->region : TRACE_NONE;
  uint32_t thread = cause ? cause->thread : most ? most->location : TRACE_NONE;
  const struct trace_region *region = place == TRACE_NONE ? &nowhere : &trace->regions[place];
  bool sampled =
      cause && cause->function &&
      (place == TRACE_NONE || cause->note == NOTE_SPIN || cause->note == NOTE_ORDERED || cause->note == NOTE_LIBRARY);
  const char *file = sampled ? cause->file : region->file, *function = sampled ? cause->function : region->function;
  uint32_t line = sampled ? cause->line : region->line;
  double win = kind == ACCOUNT_FOREVER       ? 100
               : kind == ACCOUNT_MEASUREMENT ? (most ? most->percent : 0)
               : kind < ACCOUNT_KINDS        ? account_percent(account, account_can_win(account, kind))
                                             : 0;
  struct print_cell cells[] = {print_string(account_kind_name(kind)),
                               *file ? print_string(file) : print_none(),
                               line ? print_number(line) : print_none(),
                               *function ? print_string(function) : print_none(),
                               thread == TRACE_NONE ? print_none() : print_number(thread),
                               thread == TRACE_NONE ? print_none() : print_string(trace->locations[thread].name),
                               print_string(cause ? account_lock_name(trace, cause) : NULL),
                               print_real(win),
                               print_real(win),
                               print_real(win),
                               print_string(findings->first)};
  print_object(run->print, "first", columns, COUNT_OF(columns), cells);
}

/* Where most ticks of a kind are; the caller frees it. */
static char *main_place(const struct trace *trace, const struct account *account, enum account_kind kind)
{
  size_t i = 0;
  while (i < account->cause_count &&
         (account->causes[i].kind != kind || (account->causes[i].place == TRACE_NONE && !account->causes[i].function)))
    i++;
  if (kind == ACCOUNT_WORK || i == account->cause_count)
    return strdup("");
  char *text;
  const struct account_cause *cause = &account->causes[i];
  const char *name = cause->place == TRACE_NONE ? cause->function : trace->regions[cause->place].name;
  return asprintf(&text, "%s (%.1f %%)", name, account_percent(account, cause->ticks)) < 0 ? NULL : text;
}

static void put_account(const struct analysis_run *run, const struct account *account)
{
  char title[64], whose[ACCOUNT_WHOSE_SIZE];
  snprintf(title, sizeof title, "Time of %s", account_whose(account, whose));
  const struct print_column columns[] = {{"kind", title, PRINT_STRING, false},
                                         {"percent", "Share", PRINT_PERCENT, false},
                                         {"ticks", "Ticks", PRINT_NUMBER, false},
                                         {"place", "Most of it at", PRINT_STRING, true}};
  bool text = run->format == PRINT_TEXT;
  const struct print_column shown[] = {columns[0], columns[1], columns[3]};
  print_table(run->print, "account", NULL, text ? shown : columns, text ? COUNT_OF(shown) : COUNT_OF(columns), false);
  bool done[ACCOUNT_KINDS] = {false};
  for (unsigned row = 0; row < ACCOUNT_KINDS; row++) { /* work, and then the most first */
    unsigned kind = ACCOUNT_WORK;
    for (unsigned i = 1; row > 0 && i < ACCOUNT_KINDS; i++)
      if (!done[i] && (done[kind] || account->ticks[i] > account->ticks[kind]))
        kind = i;
    done[kind] = true;
    if (account->ticks[kind] == 0 || (text && account_percent(account, account->ticks[kind]) < 0.05))
      continue;
    char *place = main_place(run->trace, account, (enum account_kind)kind);
    struct print_cell cells[] = {print_string(account_kind_name((enum account_kind)kind)),
                                 print_real(account_percent(account, account->ticks[kind])),
                                 text ? print_string(place) : print_number(account->ticks[kind]), print_string(place)};
    print_row(run->print, cells);
    free(place);
  }
  print_table_end(run->print);
}

/* Nobody knows what a rank waits for, or whether it works for others. */
static void say_mpi(const struct analysis_run *run, const struct account *account)
{
  uint64_t ticks = 0;
  char text[160];
  for (size_t i = 0; i < account->cause_count; i++)
    ticks += account->causes[i].note == NOTE_MPI ? account->causes[i].ticks : 0;
  if (account_percent(account, ticks) < SAID)
    return;
  snprintf(text, sizeof text,
           "%.1f %% of the time is inside of MPI: it is unknown, for what ranks wait for is not recorded.",
           account_percent(account, ticks));
  print_sentence(run->print, "mpi", text);
}

/* Streams of accelerators are no threads: they use no processor. */
static void say_accelerators(const struct analysis_run *run)
{
  const struct trace *trace = run->trace;
  unsigned streams = 0;
  char text[160];
  for (uint32_t i = 0; i < trace->location_count; i++)
    streams += trace->locations[i].kind == OTF2_LOCATION_TYPE_ACCELERATOR_STREAM && !trace_is_processor(trace, i) &&
               trace->locations[i].events > 0;
  if (streams == 0)
    return;
  snprintf(text, sizeof text, "%u stream%s of accelerators stand%s apart: no share above has %s time.", streams,
           streams == 1 ? "" : "s", streams == 1 ? "s" : "", streams == 1 ? "its" : "their");
  print_sentence(run->print, "accelerators", text);
}

void account_show(const struct analysis_run *run, const struct run_analyses *all, bool shows)
{
  if (!findings_account(&all->results))
    return;
  if (run->format == PRINT_JSON)
    put_first(run, all);
  if (run->format == PRINT_JSON || shows) {
    put_account(run, all->results.account);
    say_mpi(run, all->results.account);
    say_accelerators(run);
  }
}

void account_say_kind(const struct analysis_run *run, const struct run_analyses *all, enum account_kind kind)
{
  static const char *const kinds[ACCOUNT_KINDS] = {[ACCOUNT_SYNCHRONIZATION] = "Synchronization",
                                                   [ACCOUNT_TASKS] = "Lack of ready tasks",
                                                   [ACCOUNT_GRAIN] = "Small pieces of work"};
  const struct account *account = findings_account(&all->results);
  double percent = account ? account_percent(account, account_can_win(account, kind)) : 0, left = percent;
  char *text = NULL, *more, whose[ACCOUNT_WHOSE_SIZE];
  unsigned places = 0;
  if (percent < SAID || !kinds[kind] ||
      asprintf(&text, "%s: %.1f %% of the time of %s is lost", kinds[kind], percent, account_whose(account, whose)) < 0)
    return;
  for (size_t i = 0; text && places < PLACES_SAID && i < all->findings.count; i++) {
    const struct finding *finding = &all->findings.list[i];
    int length;
    const char *place = finding_place(run->trace, finding, &length);
    if (finding->account != kind)
      continue;
    if (asprintf(&more, "%s%s %.1f %% at %.*s", text, places++ ? "," : ":", finding->percent, length, place) < 0)
      more = NULL;
    free(text);
    text = more;
    left -= finding->percent;
  }
  if (text && asprintf(&more, left < SAID || !places ? "%s." : "%s, %.1f %% elsewhere.", text, left) >= 0) {
    print_sentence(run->print, account_kind_name(kind), more);
    free(more);
  }
  free(text);
}
