#include "analyzer/findings/compare/rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Points for a match of two rows of one directive and function. Any match is better than none. */
#define SAME_TEXT  4.0
#define OTHER_TEXT 0.25
#define NO_TEXT    1.0
#define SAME_LINE  1.0 /* less the farther away */

static const char *base_of(const char *file)
{
  const char *slash = strrchr(file, '/');
  return slash ? slash + 1 : file;
}

static bool is_of_group(const struct run_row *one, const struct run_row *other)
{
  return one->kind == other->kind && strcmp(one->name, other->name) == 0 &&
         strcmp(one->function, other->function) == 0 && strcmp(base_of(one->file), base_of(other->file)) == 0;
}

static double points(const struct run_row *one, const struct run_row *other)
{
  double text = !*one->text || !*other->text ? NO_TEXT : strcmp(one->text, other->text) == 0 ? SAME_TEXT : OTHER_TEXT;
  return text + SAME_LINE / (1 + fabs((double)one->line - (double)other->line));
}

/* What is to be matched: indices of rows of a run, and of matched rows, by line. */
struct sides {
  struct matched_rows *rows;
  size_t run;
  VECTOR(size_t) new_rows, old_rows;
  bool *is_matched; /* by row of the run */
};

static const struct run_row *new_row(const struct sides *sides, size_t at)
{
  return &sides->rows->runs->list.items[sides->run].rows.items[sides->new_rows.items[at]];
}

static const struct run_row *old_row(const struct sides *sides, size_t at)
{
  return rows_latest(sides->rows, sides->old_rows.items[at]);
}

static void match(struct sides *sides, size_t old_index, size_t new_index)
{
  struct matched_row *row = &sides->rows->list.items[old_index];
  row->of_run[sides->run] = new_index;
  row->latest = sides->run;
  sides->is_matched[new_index] = true;
}

/* The alignment with the most points that keeps the order; a table of the best points of the first i and k rows. */
static bool align(struct sides *sides)
{
  size_t olds = sides->old_rows.count, news = sides->new_rows.count, width = news + 1;
  double *best = calloc((olds + 1) * width, sizeof *best);
  for (size_t i = 1; best && i <= olds; i++)
    for (size_t k = 1; k <= news; k++) {
      double both = best[(i - 1) * width + k - 1] + points(old_row(sides, i - 1), new_row(sides, k - 1));
      best[i * width + k] = fmax(both, fmax(best[(i - 1) * width + k], best[i * width + k - 1]));
    }
  for (size_t i = olds, k = news; best && i > 0 && k > 0;) {
    double here = best[i * width + k];
    if (here <= best[(i - 1) * width + k]) {
      i--;
    } else if (here <= best[i * width + k - 1]) {
      k--;
    } else {
      i--, k--;
      match(sides, sides->old_rows.items[i], sides->new_rows.items[k]);
    }
  }
  bool good = best;
  free(best);
  return good;
}

/* Keeps them by line; there are few. */
#define insert_by_line(list, count, row_of)                                                                            \
  for (size_t i_ = (count) - 1; i_ > 0 && row_of(sides, i_ - 1)->line > row_of(sides, i_)->line; i_--) {               \
    size_t other_ = (list)[i_];                                                                                        \
    (list)[i_] = (list)[i_ - 1];                                                                                       \
    (list)[i_ - 1] = other_;                                                                                           \
  }

/* The rows of the group of a new row that are not matched yet. */
static bool gather_group(struct sides *sides, const struct run_row *of)
{
  const struct run_figures *run = &sides->rows->runs->list.items[sides->run];
  sides->new_rows.count = sides->old_rows.count = 0;
  for (size_t i = 0; i < run->rows.count; i++) {
    if (sides->is_matched[i] || !is_of_group(&run->rows.items[i], of))
      continue;
    if (!vector_push(&sides->new_rows, i))
      return false;
    insert_by_line(sides->new_rows.items, sides->new_rows.count, new_row);
  }
  for (size_t i = 0; i < sides->rows->list.count; i++) {
    if (sides->rows->list.items[i].of_run[sides->run] != ROW_ABSENT || !is_of_group(rows_latest(sides->rows, i), of))
      continue;
    if (!vector_push(&sides->old_rows, i))
      return false;
    insert_by_line(sides->old_rows.items, sides->old_rows.count, old_row);
  }
  return true;
}

static bool match_groups(struct sides *sides)
{
  const struct run_figures *run = &sides->rows->runs->list.items[sides->run];
  for (size_t i = 0; i < run->rows.count; i++) {
    const struct run_row *row = &run->rows.items[i];
    bool is_first = !sides->is_matched[i]; /* no row before it is of its group */
    for (size_t before = 0; before < i && is_first; before++)
      is_first = !is_of_group(&run->rows.items[before], row);
    if (is_first && !(gather_group(sides, row) && align(sides)))
      return false;
  }
  return true;
}

static bool is_in_function(const struct run_row *row, const struct run_row *of)
{
  return strcmp(row->function, of->function) == 0 && strcmp(base_of(row->file), base_of(of->file)) == 0;
}

/* The run has nothing of the old row's function, and runs before had nothing of the new row's. A construct that merely
 * did not occur in one run is no rename. */
static bool is_function_renamed(const struct sides *sides, const struct run_row *old, const struct run_row *new)
{
  const struct run_figures *run = &sides->rows->runs->list.items[sides->run];
  bool gone = true, is_new = true;
  for (size_t i = 0; i < run->rows.count; i++)
    gone &= !is_in_function(&run->rows.items[i], old);
  for (size_t i = 0; i < sides->rows->list.count; i++)
    for (size_t k = 0; k < sides->run && is_new; k++) {
      const struct run_row *row = rows_of_run(sides->rows, i, k);
      is_new = !row || !is_in_function(row, new);
    }
  return gone && is_new;
}

/* One construct, in a function or file of another name. */
static bool may_be_renamed(const struct run_row *one, const struct run_row *other, bool by_text)
{
  if (one->kind != other->kind || strcmp(one->name, other->name) != 0 || one->line == 0 || other->line == 0)
    return false;
  return !by_text || (*one->text && strcmp(one->text, other->text) == 0);
}

/* The only match of a new row; ROW_ABSENT: there is none, or several. */
static size_t only_rename(const struct sides *sides, size_t at, bool by_text)
{
  const struct run_figures *run = &sides->rows->runs->list.items[sides->run];
  size_t found = ROW_ABSENT;
  for (size_t i = 0; i < run->rows.count; i++)
    if (i != at && !sides->is_matched[i] && may_be_renamed(&run->rows.items[at], &run->rows.items[i], by_text))
      return ROW_ABSENT;
  for (size_t i = 0; i < sides->rows->list.count; i++) {
    if (sides->rows->list.items[i].of_run[sides->run] != ROW_ABSENT ||
        !may_be_renamed(rows_latest(sides->rows, i), &run->rows.items[at], by_text))
      continue;
    if (found != ROW_ABSENT)
      return ROW_ABSENT;
    found = i;
  }
  return found;
}

static void match_renames(struct sides *sides, bool by_text)
{
  const struct run_figures *run = &sides->rows->runs->list.items[sides->run];
  for (size_t i = 0; i < run->rows.count; i++) {
    size_t old = sides->is_matched[i] ? ROW_ABSENT : only_rename(sides, i, by_text);
    if (old != ROW_ABSENT && is_function_renamed(sides, rows_latest(sides->rows, old), &run->rows.items[i]))
      match(sides, old, i);
  }
}

/* What nothing before has. */
static bool add_rows(struct sides *sides)
{
  size_t runs = sides->rows->runs->list.count;
  const struct run_figures *run = &sides->rows->runs->list.items[sides->run];
  for (size_t i = 0; i < run->rows.count; i++) {
    if (sides->is_matched[i])
      continue;
    struct matched_row row = {malloc(runs * sizeof *row.of_run), sides->run};
    for (size_t k = 0; row.of_run && k < runs; k++)
      row.of_run[k] = k == sides->run ? i : ROW_ABSENT;
    if (!row.of_run || !vector_push(&sides->rows->list, row)) {
      free(row.of_run);
      return false;
    }
  }
  return true;
}

bool rows_match(struct runs *runs, struct matched_rows *rows)
{
  bool good = true;
  *rows = (struct matched_rows){.runs = runs};
  for (size_t i = 0; i < runs->list.count && good; i++) {
    struct sides sides = {.rows = rows, .run = i};
    sides.is_matched = calloc(runs->list.items[i].rows.count + 1, sizeof *sides.is_matched);
    good = sides.is_matched && match_groups(&sides);
    if (good) {
      match_renames(&sides, true);
      match_renames(&sides, false);
      good = add_rows(&sides);
    }
    vector_free(&sides.new_rows);
    vector_free(&sides.old_rows);
    free(sides.is_matched);
  }
  return good;
}

void rows_free(struct matched_rows *rows)
{
  for (size_t i = 0; i < rows->list.count; i++)
    free(rows->list.items[i].of_run);
  vector_free(&rows->list);
}

const struct run_row *rows_latest(const struct matched_rows *rows, size_t row)
{
  return rows_of_run(rows, row, rows->list.items[row].latest);
}

const struct run_row *rows_of_run(const struct matched_rows *rows, size_t row, size_t run)
{
  size_t at = rows->list.items[row].of_run[run];
  return at == ROW_ABSENT ? NULL : &rows->runs->list.items[run].rows.items[at];
}

static bool has_figure(const struct run_figures *run, enum run_row_kind kind, enum run_figure figure)
{
  for (size_t i = 0; i < run->rows.count; i++)
    if (run->rows.items[i].kind == kind && !isnan(run->rows.items[i].values[figure]))
      return true;
  return false;
}

double rows_value(const struct matched_rows *rows, size_t row, size_t run, enum run_figure figure)
{
  const struct run_row *here = rows_of_run(rows, row, run), *latest = rows_latest(rows, row);
  if (here && !isnan(here->values[figure]))
    return here->values[figure];
  return !isnan(latest->values[figure]) && has_figure(&rows->runs->list.items[run], latest->kind, figure) ? 0 : NAN;
}

double rows_whole(const struct matched_rows *rows, size_t row, size_t run, enum run_figure figure)
{
  enum run_row_kind kind = rows_latest(rows, row)->kind;
  double time = rows_value(rows, 0, run, RUN_TIME), wall = rows_value(rows, 0, run, RUN_WALL);
  if (figure == RUN_WALL || figure == RUN_PATH)
    return wall;
  return kind == ROW_CAUSE || kind == ROW_LOCK ? fmax(time, wall * (double)rows->runs->list.items[run].threads) : time;
}
