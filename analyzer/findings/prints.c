#include "analyzer/findings/prints.h"

#include "analyzer/command/sentences.h"
#include "base/count_of.h"

#include <stdio.h>
#include <stdlib.h>

#define NEXT_MOST 3 /* sentences of text after the first */

static void findings_show_put_table(const struct analysis_run *run, const struct findings *findings)
{
  static const struct print_column columns[] = {{"kind", "Kind", PRINT_STRING, false},
                                                {"subject", "Subject", PRINT_STRING, false},
                                                {"place", "Place", PRINT_STRING, false},
                                                {"file", "File", PRINT_STRING, false},
                                                {"line", "Line", PRINT_NUMBER, false},
                                                {"thread_name", "Thread", PRINT_STRING, false},
                                                {"could_win", "Could win", PRINT_DURATION, false},
                                                {"percent", "of the run", PRINT_PERCENT, false},
                                                {"text", "Finding", PRINT_STRING, false}};
  static const struct trace_region nowhere = {.name = NULL, .file = ""};
  print_table(run->print, "findings", NULL, columns, COUNT_OF(columns), false);
  for (size_t i = 0; i < findings->count; i++) {
    const struct finding *finding = &findings->list[i];
    const struct trace_region *region =
        finding->region == TRACE_NONE ? &nowhere : &run->trace->regions[finding->region];
    bool thread = finding->location != TRACE_NONE;
    bool account = finding->account < ACCOUNT_KINDS;
    struct print_cell cells[] = {print_string(account ? account_kind_name(finding->account) : NULL),
                                 print_string(finding_kind_name(finding->kind)),
                                 print_string(region->name),
                                 *region->file ? print_string(region->file) : print_none(),
                                 region->line ? print_number(region->line) : print_none(),
                                 thread ? print_string(run->trace->locations[finding->location].name) : print_none(),
                                 print_number((uint64_t)(finding->ticks + 0.5)),
                                 print_real(finding->percent),
                                 print_string(finding->text)};
    print_row(run->print, cells);
  }
  print_table_end(run->print);
}

/* The place of the first sentence, if a subject says more of it, and what follows. */
static void put_next(const struct analysis_run *run, const struct findings *findings)
{
  bool account = findings->count > 0 && findings->list[0].account < ACCOUNT_KINDS;
  bool is_first = account && findings->list[0].is_first, more = is_first && findings->list[0].kind != FINDING_PLACE;
  size_t begin = !account || (is_first && !more) || findings->first_kind == ACCOUNT_FOREVER ? 1 : 0;
  for (size_t i = begin; i < findings->count && i <= NEXT_MOST; i++) {
    char *text = NULL;
    const struct finding *next = &findings->list[i];
    bool is_place =
        next->kind != FINDING_PLACE || (next->account != ACCOUNT_PROCESSORS && next->account != ACCOUNT_THREADS);
    const char *leads = i == 0 && more ? "In detail:" : is_place ? "Then at" : "Then:";
    if (findings->list[i].text && asprintf(&text, "%s %s", leads, findings->list[i].text) >= 0)
      print_sentence(run->print, "then", text);
    free(text);
  }
}

void findings_say_first(const struct analysis_run *run, const struct run_analyses *all)
{
  print_sentence(run->print, "verdict", all->findings.first);
  account_show(run, all, false);
}

void findings_show(const struct analysis_run *run, const struct run_analyses *all)
{
  const struct findings *findings = &all->findings;
  findings_say_first(run, all);
  if (run->format == PRINT_JSON)
    findings_show_put_table(run, findings);
  if (run->format == PRINT_TEXT)
    put_next(run, findings);
  stolen_put(run->print, run->trace);
}

bool run_analyses_print(const struct analysis_run *run, const struct run_analyses_options *options,
                        bool (*print)(const struct analysis_run *run, const struct run_analyses *all, const void *own),
                        const void *own, struct error *error)
{
  struct run_analyses all;
  bool good = run_analyses(run->trace, run->pool, options, &all, error) &&
              (print(run, &all, own) || error_set(error, "out of memory"));
  run_analyses_free(&all);
  return good;
}
