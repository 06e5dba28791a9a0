#include "analyzer/findings/compare_show.h"

#include "analyzer/command/print/units.h"
#include "base/count_of.h"

#include <stdlib.h>
#include <string.h>

#define NS           1000000000.
#define ONE_RUN_SAYS 5.0 /* percent */

static const char *const compare_verdicts[] = {
    [VERDICT_NO_WORSE] = "no worse", [VERDICT_WORSE] = "worse", [VERDICT_TOO_FEW] = "too few runs"};

static bool for_people(enum print_format format)
{
  return format == PRINT_TEXT || format == PRINT_MARKDOWN;
}

/* A value with its unit. */
static const char *compared_value(const struct compared *compared, double value, char text[UNITS_SIZE])
{
  return run_figure_is_time(compared->figure) ? units_mean(value * NS, (uint64_t)NS, text)
                                              : units_count((uint64_t)(value + 0.5), text);
}

/* One run of each: what differs by more than one run can say, or is another number. */
static bool single_is_shown(const struct compared *compared)
{
  double percent = fabs(compare_percent(compared, compared->shift));
  if (compared->figure == RUN_PATH) /* wall time says it already */
    return false;
  return run_figure_is_time(compared->figure) ? percent >= ONE_RUN_SAYS && compared->of_run >= COMPARE_WORTH
                                              : percent > 0;
}

static bool compared_is_shown(const struct comparison *comparison, const struct compared *compared)
{
  if (compared->row == 0)
    return true;
  if (comparison->counts[0] == 1 && comparison->counts[1] == 1)
    return single_is_shown(compared);
  if (compared->outcome == COMPARE_SAME || compared->outcome == COMPARE_TOO_FEW ||
      compared->outcome == COMPARE_NOT_TESTED)
    return false;
  bool time = run_figure_is_time(compared->figure);
  return !time || compared->of_run >= COMPARE_WORTH;
}

/* Percent with a sign, for people. */
static const char *signed_percent(double percent, char text[UNITS_SIZE])
{
  if (!isfinite(percent))
    return "-";
  snprintf(text, UNITS_SIZE, "%+.1f %%", percent);
  return text;
}

static const struct print_column people_columns[] = {
    {"what", "What", PRINT_STRING, false},         {"figure", "Figure", PRINT_STRING, false},
    {"outcome", "Outcome", PRINT_STRING, false},   {"old", "Old", PRINT_STRING, false},
    {"new", "New", PRINT_STRING, false},           {"change", "Change", PRINT_STRING, false},
    {"low", "at least", PRINT_STRING, false},      {"high", "at most", PRINT_STRING, false},
    {"of_run", "of the run", PRINT_PERCENT, true}, {"p", "p", PRINT_PROBABILITY, false}};

/* `label`: the row's, and from which run on if it is a change of a series. */
static void put_for_people(struct print *print, const char *label, const char *figure, const struct compared *compared)
{
  char old[UNITS_SIZE], new[UNITS_SIZE], change[UNITS_SIZE], low[UNITS_SIZE], high[UNITS_SIZE];
  struct print_cell cells[] = {print_string(label),
                               print_string(figure),
                               print_string(compare_outcome_name(compared)),
                               print_string(compared_value(compared, compared->medians[0], old)),
                               print_string(compared_value(compared, compared->medians[1], new)),
                               print_string(signed_percent(compare_percent(compared, compared->shift), change)),
                               print_string(signed_percent(compare_percent(compared, compared->low), low)),
                               print_string(signed_percent(compare_percent(compared, compared->high), high)),
                               print_finite(compared->of_run),
                               compared->is_exact ? print_real(0) : print_finite(compared->p)};
  if (compared->is_exact)
    cells[COUNT_OF(cells) - 1] = print_none();
  print_row(print, cells);
}

static const struct print_column program_columns[] = {{"kind", "", PRINT_STRING, false},
                                                      {"name", "", PRINT_STRING, false},
                                                      {"function", "", PRINT_STRING, false},
                                                      {"file", "", PRINT_STRING, false},
                                                      {"line", "", PRINT_NUMBER, false},
                                                      {"figure", "", PRINT_STRING, false},
                                                      {"outcome", "", PRINT_STRING, false},
                                                      {"worse", "", PRINT_NUMBER, false},
                                                      {"exact", "", PRINT_NUMBER, false},
                                                      {"old", "", PRINT_REAL, false},
                                                      {"new", "", PRINT_REAL, false},
                                                      {"shift", "", PRINT_REAL, false},
                                                      {"shift_low", "", PRINT_REAL, false},
                                                      {"shift_high", "", PRINT_REAL, false},
                                                      {"change_percent", "", PRINT_REAL, false},
                                                      {"of_run_percent", "", PRINT_REAL, false},
                                                      {"p", "", PRINT_PROBABILITY, false},
                                                      {"formerly_function", "", PRINT_STRING, false},
                                                      {"formerly_line", "", PRINT_NUMBER, false},
                                                      {"run", "", PRINT_STRING, false},
                                                      {"began", "", PRINT_NUMBER, false},
                                                      {"last", "", PRINT_NUMBER, false}};
enum { COLUMNS_OF_COMPARISON = COUNT_OF(program_columns) - 3 };

static struct print_cell known_text(const char *text)
{
  return *text ? print_string(text) : print_none();
}

/* `change`: NULL for a comparison. */
static void put_for_programs(struct print *print, const struct run_row *row, const struct run_row *before,
                             const struct compared *compared, const struct change *change,
                             const struct run_figures *from)
{
  struct print_cell cells[] = {
      print_string(run_row_kind_name(row->kind)),
      print_string(row->name),
      known_text(row->function),
      known_text(row->file),
      row->line ? print_number(row->line) : print_none(),
      print_string(run_figure_key(compared->figure)),
      print_string(compare_outcome_name(compared)),
      print_number(compared->is_worse),
      print_number(compared->is_exact),
      print_real(compared->medians[0]),
      print_real(compared->medians[1]),
      print_finite(compared->shift),
      print_finite(compared->low),
      print_finite(compared->high),
      print_finite(compare_percent(compared, compared->shift)),
      print_finite(compared->of_run),
      print_finite(compared->p),
      before ? print_string(before->function) : print_none(),
      before && before->line ? print_number(before->line) : print_none(),
      from ? print_string(from->path) : print_none(),
      from && from->began ? print_number(from->began) : print_none(),
      print_number(change && change->is_last),
  };
  print_row(print, cells);
}

static bool compare_put_row(struct print *print, const struct comparison *comparison, const struct compared *compared,
                            bool people)
{
  const struct run_row *row = rows_latest(&comparison->rows, compared->row);
  const struct run_row *before = compare_renamed(comparison, compared->row);
  if (!people) {
    put_for_programs(print, row, before, compared, NULL, NULL);
    return true;
  }
  char *label = run_row_label(row), *old = before ? run_row_label(before) : NULL, *both = NULL;
  bool good = label && (old || !before);
  if (good && before)
    good = asprintf(&both, "%s (formerly in %s)", label, before->function) >= 0;
  if (good)
    put_for_people(print, both ? both : label, run_figure_title(comparison->runs->list.items, row, compared->figure),
                   compared);
  free(label);
  free(old);
  free(both);
  return good;
}

static bool compare_put_table(struct print *print, const struct comparison *comparison, bool people, uint64_t top)
{
  print_table(print, "rows", NULL, people ? people_columns : program_columns,
              people ? COUNT_OF(people_columns) : COLUMNS_OF_COMPARISON, false);
  bool good = true;
  for (size_t i = 0; i < comparison->list.count && good && top > 0; i++) {
    const struct compared *compared = &comparison->list.items[i];
    if (people && !compared_is_shown(comparison, compared))
      continue;
    top--;
    good = compare_put_row(print, comparison, compared, people);
  }
  print_table_end(print);
  return good;
}

/* Whether each old run began before each new one, or each new one before each old one. */
static bool began_in_blocks(const struct comparison *comparison)
{
  uint64_t first[2] = {UINT64_MAX, UINT64_MAX}, last[2] = {0, 0};
  for (size_t i = 0; i < comparison->runs->list.count; i++) {
    uint64_t began = comparison->runs->list.items[i].began;
    unsigned group = i >= comparison->counts[0];
    first[group] = began < first[group] ? began : first[group];
    last[group] = began > last[group] ? began : last[group];
  }
  return first[0] > 0 && first[1] > 0 && (last[0] < first[1] || last[1] < first[0]);
}

static void compare_put_notes(struct print *print, const struct comparison *comparison)
{
  char text[400];
  size_t fewer = comparison->counts[0] < comparison->counts[1] ? comparison->counts[0] : comparison->counts[1];
  snprintf(text, sizeof text,
           "%zu figures of the run and %zu of its parts were tested (exact rank test, Holm's correction). If nothing "
           "differs, at most %.3g %% of comparisons find anything slower.",
           comparison->tests[0], comparison->tests[1], 100 * comparison->options.level);
  print_sentence(print, "method", text);
  if (fewer > 1 && fewer < comparison->rows_needed) {
    snprintf(text, sizeof text, "A change of a single part can be proved from %u runs of each on.",
             comparison->rows_needed);
    print_sentence(print, "parts_need", text);
  }
  if (fewer > 1 && began_in_blocks(comparison))
    print_sentence(print, "not_in_turns",
                   "All runs of one group began before the other group: a change of the machine looks like a change of "
                   "the program. Record old and new in turns.");
  bool processor_time = true;
  uint64_t threads = comparison->runs->list.items[0].threads;
  bool same_threads = true;
  for (size_t i = 0; i < comparison->runs->list.count; i++) {
    processor_time &= comparison->runs->list.items[i].processor_time;
    same_threads &= comparison->runs->list.items[i].threads == threads;
  }
  if (!processor_time)
    print_sentence(print, "no_processor_time",
                   "Some runs do not know the time in which threads had no processor: other programs make the time in "
                   "code longer.");
  if (!same_threads)
    print_sentence(print, "threads_differ", "The runs have different numbers of threads.");
}

bool compare_show(const struct comparison *comparison, enum print_format format, uint64_t top)
{
  bool people = for_people(format);
  struct print *print = print_open(format, stdout, (uint64_t)NS);
  char *sentence = compare_sentence(comparison);
  bool good = print && sentence;
  if (good) {
    if (!people) {
      print_fact(print, "verdict", "Verdict", PRINT_STRING, print_string(compare_verdicts[comparison->verdict]));
      print_fact(print, "old_runs", "Old runs", PRINT_COUNT, print_number(comparison->counts[0]));
      print_fact(print, "new_runs", "New runs", PRINT_COUNT, print_number(comparison->counts[1]));
      print_fact(print, "needed_runs", "Needed", PRINT_COUNT,
                 comparison->verdict == VERDICT_TOO_FEW ? print_number(comparison->needed) : print_none());
      print_fact(print, "level", "Level", PRINT_PROBABILITY, print_real(comparison->options.level));
      print_fact(print, "worse_percent", "Worse", PRINT_REAL, print_real(comparison->options.worse));
    }
    print_sentence(print, "sentence", sentence);
    good = compare_put_table(print, comparison, people, top);
    compare_put_notes(print, comparison);
  }
  free(sentence);
  return (!print || print_close(print)) && good;
}

static bool changes_put_row(struct print *print, const struct changes *changes, const struct change *change,
                            bool people)
{
  const struct run_row *row = rows_of_run(&changes->rows, change->compared.row, change->run);
  const struct run_figures *from = &changes->runs->list.items[change->run];
  row = row ? row : rows_latest(&changes->rows, change->compared.row);
  if (!people) {
    put_for_programs(print, row, NULL, &change->compared, change, from);
    return true;
  }
  char *label = run_row_label(row), *both = NULL;
  bool good = label && asprintf(&both, "run %zu: %s", change->run + 1, label) >= 0;
  if (good)
    put_for_people(print, both, run_figure_title(from, row, change->compared.figure), &change->compared);
  free(label);
  free(both);
  return good;
}

static void changes_put_sentence(struct print *print, const struct changes *changes)
{
  char text[400];
  size_t runs = changes->runs->list.count;
  if (changes->list.count == 0 && runs < changes->needed)
    snprintf(text, sizeof text, "Too few runs to decide: %zu. From %u runs on a change in their middle can be proved.",
             runs, changes->needed);
  else if (changes->list.count == 0)
    snprintf(text, sizeof text, "No change in %zu runs: %zu figures were tested.", runs, changes->tests);
  else
    snprintf(text, sizeof text, "%zu figure%s changed, in %zu runs; the first change is at run %zu, %s.",
             changes->list.count, changes->list.count == 1 ? "" : "s", runs, changes->list.items[0].run + 1,
             changes->runs->list.items[changes->list.items[0].run].path);
  print_sentence(print, "sentence", text);
}

bool changes_show(const struct changes *changes, enum print_format format, uint64_t top)
{
  bool people = for_people(format), good = true;
  struct print *print = print_open(format, stdout, (uint64_t)NS);
  if (!print)
    return false;
  if (!people) {
    print_fact(print, "verdict", "Verdict", PRINT_STRING, print_string(compare_verdicts[changes->verdict]));
    print_fact(print, "runs", "Runs", PRINT_COUNT, print_number(changes->runs->list.count));
  }
  changes_put_sentence(print, changes);
  if (!people || changes->list.count > 0) {
    print_table(print, "changes", NULL, people ? people_columns : program_columns,
                people ? COUNT_OF(people_columns) : COUNT_OF(program_columns), false);
    for (size_t i = 0; i < changes->list.count && i < top && good; i++)
      good = changes_put_row(print, changes, &changes->list.items[i], people);
    print_table_end(print);
  }
  char text[200];
  snprintf(
      text, sizeof text,
      "Exact rank tests at each run, Bonferroni's correction: a series without a change shows one in at most %.3g %%.",
      100 * changes->options.level);
  print_sentence(print, "method", text);
  return print_close(print) && good;
}
