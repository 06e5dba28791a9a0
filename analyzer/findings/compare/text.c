/* Names and sentences of a comparison. */
#include "analyzer/findings/compare/compare.h"

#include "analyzer/command/print/units.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CHANGE_SIZE = 80 };

const char *compare_outcome_name(const struct compared *compared)
{
  static const char *const names[] = {[COMPARE_SAME] = "same",
                                      [COMPARE_MORE] = "more",
                                      [COMPARE_LESS] = "less",
                                      [COMPARE_NEW] = "new",
                                      [COMPARE_GONE] = "gone",
                                      [COMPARE_TOO_FEW] = "too few runs",
                                      [COMPARE_NOT_TESTED] = "not tested"};
  if (run_figure_is_time(compared->figure) && compared->outcome == COMPARE_MORE)
    return "slower";
  if (run_figure_is_time(compared->figure) && compared->outcome == COMPARE_LESS)
    return "faster";
  return names[compared->outcome];
}

double compare_percent(const struct compared *compared, double shift)
{
  return compared->medians[0] > 0 ? 100 * shift / compared->medians[0]
         : shift > 0              ? INFINITY
         : shift < 0              ? -INFINITY
                                  : 0;
}

const struct run_row *compare_renamed(const struct comparison *comparison, size_t row)
{
  const struct run_row *now = rows_latest(&comparison->rows, row);
  for (size_t i = 0; i < comparison->counts[0]; i++) {
    const struct run_row *before = rows_of_run(&comparison->rows, row, i);
    if (before && (strcmp(before->function, now->function) != 0 || strcmp(before->name, now->name) != 0))
      return before;
  }
  return NULL;
}

/* "+8.0 % (6.1 to 9.9 %)". */
static const char *change_of(const struct compared *compared, char text[CHANGE_SIZE])
{
  double percent = compare_percent(compared, compared->shift);
  if (!isfinite(percent))
    return "from nothing";
  if (isnan(compared->low))
    snprintf(text, CHANGE_SIZE, "%+.1f %%", percent);
  else
    snprintf(text, CHANGE_SIZE, "%+.1f %% (%+.1f to %+.1f %%)", percent, compare_percent(compared, compared->low),
             compare_percent(compared, compared->high));
  return text;
}

static const char *value_of(const struct compared *compared, double value, char text[UNITS_SIZE])
{
  return run_figure_is_time(compared->figure) ? units_mean(value * 1e9, 1000000000, text)
                                              : units_count((uint64_t)(value + 0.5), text);
}

char *compared_sentence(const struct comparison *comparison, const struct compared *compared)
{
  const struct run_row *row = rows_latest(&comparison->rows, compared->row);
  const struct run_row *before = compare_renamed(comparison, compared->row);
  char old[UNITS_SIZE], new[UNITS_SIZE], change[CHANGE_SIZE], *text = NULL, *label = run_row_label(row);
  char *renamed = before ? run_row_label(before) : NULL;
  const struct run_figures *run = &comparison->runs->list.items[0];
  int length =
      !label || (before && !renamed)
          ? -1
          : asprintf(&text, "%s: %s %s to %s, %s%s%s%s", label, run_figure_title(run, row, compared->figure),
                     value_of(compared, compared->medians[0], old), value_of(compared, compared->medians[1], new),
                     change_of(compared, change), renamed ? "; formerly " : "", renamed ? renamed : "",
                     renamed && *before->function && strcmp(before->function, row->function) != 0
                         ? " (its function has another name)"
                         : "");
  free(label);
  free(renamed);
  return length < 0 ? NULL : text;
}

static char *sentence_too_few(const struct comparison *comparison, const struct compared *run)
{
  char *text = NULL, change[CHANGE_SIZE];
  unsigned long old = comparison->counts[0], new = comparison->counts[1];
  int length;
  if (!run)
    length = asprintf(&text, "Too few runs to decide: the runs have no common time.");
  else if (old == 1 && new == 1)
    length =
        asprintf(&text,
                 "One run each proves nothing: %s of the run %s. Record %u runs of each, in turns: then a change of "
                 "the run can be proved, and with %u each of its parts.",
                 run_figure_title(comparison->runs->list.items, rows_latest(&comparison->rows, 0), run->figure),
                 change_of(run, change), comparison->needed, comparison->rows_needed);
  else
    length = asprintf(&text,
                      "Too few runs to decide (%lu against %lu): %s of the run %s. About %u of each are needed to "
                      "rule out %.3g %% more.",
                      old, new,
                      run_figure_title(comparison->runs->list.items, rows_latest(&comparison->rows, 0), run->figure),
                      change_of(run, change), comparison->needed, comparison->options.worse);
  return length < 0 ? NULL : text;
}

/* What is worse: the part of the run with the largest loss, else the run. */
static const struct compared *worst_of(const struct comparison *comparison)
{
  const struct compared *run = NULL;
  for (size_t i = 0; i < comparison->list.count; i++) {
    const struct compared *compared = &comparison->list.items[i];
    if (compared->is_worse && compared->row != 0)
      return compared;
    if (compared->is_worse && !run)
      run = compared;
  }
  return run;
}

char *compare_sentence(const struct comparison *comparison)
{
  const struct compared *first = comparison->list.count > 0 ? comparison->list.items : NULL;
  const struct compared *run = first && first->row == 0 && run_figure_is_time(first->figure) ? first : NULL;
  char *text = NULL, change[CHANGE_SIZE];
  if (comparison->verdict == VERDICT_TOO_FEW)
    return sentence_too_few(comparison, run);
  if (comparison->verdict == VERDICT_WORSE) {
    char *worst = compared_sentence(comparison, worst_of(comparison));
    int length = worst ? asprintf(&text, "Worse: %s.", worst) : -1;
    free(worst);
    return length < 0 ? NULL : text;
  }
  return asprintf(&text, "No worse: %s of the run %s.",
                  run_figure_title(comparison->runs->list.items, rows_latest(&comparison->rows, 0), run->figure),
                  change_of(run, change)) < 0
             ? NULL
             : text;
}
