/*
 * A table's rows are what may matter, its columns what may depend on it. If rows and columns are independent, each cell
 * is expected to have row * column / all (Anderson and Goodman 1957 and Billingsley 1961 for Markov chains); the
 * degrees of freedom are (rows - 1) (columns - 1).
 */
#include "analyzer/models/markov/independence.h"

#include "analyzer/models/markov/statistics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define INDEPENDENCE_COVERAGE 0.5 /* a test says something if it covers this part of what could depend */
enum { CELL_MIN = 5 };

/* One table. The last row and column are the pools of those with few observations; they may be empty. */
struct independence_table {
  const struct markov_table_cell *cells; /* by row, then by column */
  size_t cell_count;
  double *columns; /* totals; all zeros between tables */
  uint32_t *column_of, *members;
  uint32_t member_count;
  double total;
};

static double row_total(const struct independence_table *table, size_t begin, size_t *end)
{
  double total = 0;
  for (*end = begin; *end < table->cell_count && table->cells[*end].row == table->cells[begin].row; ++*end)
    total += (double)table->cells[*end].count;
  return total;
}

static void sum_columns(struct independence_table *table)
{
  for (size_t i = 0; i < table->cell_count; i++) {
    uint32_t column = table->cells[i].column;
    if (table->columns[column] == 0)
      table->members[table->member_count++] = column;
    table->columns[column] += (double)table->cells[i].count;
    table->total += (double)table->cells[i].count;
  }
}

/* Rows with less than this are pooled: the two most frequent columns must be testable in each that is not. */
static double least_row(const struct independence_table *table)
{
  double most = 0, second = 0;
  for (uint32_t i = 0; i < table->member_count; i++) {
    double total = table->columns[table->members[i]];
    second = fmax(second, fmin(total, most));
    most = fmax(most, total);
  }
  return second > 0 ? CELL_MIN * table->total / second : INFINITY;
}

/* Numbers the columns from 1; 0 is the pool. Returns how many columns there are with it. */
static uint32_t number_columns(struct independence_table *table, double smallest_row)
{
  double pooled = 0, least = INFINITY;
  uint32_t count = 1, rarest = 0;
  for (uint32_t i = 0; i < table->member_count; i++) {
    uint32_t to = table->members[i];
    double total = table->columns[to];
    bool own = total * smallest_row / table->total >= CELL_MIN;
    table->column_of[to] = own ? count++ : 0;
    pooled += own ? 0 : total;
    if (own && total < least) {
      least = total;
      rarest = to;
    }
  }
  if (pooled * smallest_row / table->total < CELL_MIN && count > 1) { /* the pool takes the rarest column, too */
    uint32_t gone = table->column_of[rarest];
    for (uint32_t i = 0; i < table->member_count; i++) {
      if (table->column_of[table->members[i]] == count - 1)
        table->column_of[table->members[i]] = gone;
    }
    table->column_of[rarest] = 0;
    count--;
  }
  return count;
}

/* Adds a row's share to the statistic. */
static void add_row(const double *row, const double *expected, uint32_t columns, double total, double all,
                    struct markov_independence *result, double *distance)
{
  double apart = 0;
  for (uint32_t c = 0; c < columns; c++) {
    double should = expected[c] * total / all;
    result->g += row[c] > 0 && should > 0 ? 2 * row[c] * log(row[c] / should) : 0;
    result->chi_square += should > 0 ? (row[c] - should) * (row[c] - should) / should : 0;
    apart += fabs(row[c] - should);
  }
  *distance += apart / 2;
}

static void test_table(struct independence_table *table, double *row, double *pool, double *expected,
                       struct markov_independence *result, double *distance)
{
  double least = least_row(table), pooled = 0, smallest = INFINITY;
  uint32_t rows = 0;
  size_t end;
  for (size_t i = 0; i < table->cell_count; i = end) {
    double total = row_total(table, i, &end);
    if (total < least)
      pooled += total;
    else {
      smallest = fmin(smallest, total);
      rows++;
    }
  }
  bool has_pool = pooled >= least; /* else the rows in it are left out */
  smallest = has_pool ? fmin(smallest, pooled) : smallest;
  rows += has_pool;
  uint32_t columns = rows < 2 ? 0 : number_columns(table, smallest);
  if (columns < 2)
    return;
  memset(pool, 0, columns * sizeof *pool);
  memset(expected, 0, columns * sizeof *expected);
  double all = table->total - (has_pool ? 0 : pooled);
  for (size_t i = 0; i < table->cell_count; i = end) {
    bool in_pool = row_total(table, i, &end) < least;
    for (size_t k = i; k < end; k++) {
      uint32_t column = table->column_of[table->cells[k].column];
      if (in_pool)
        pool[column] += (double)table->cells[k].count;
      if (!in_pool || has_pool)
        expected[column] += (double)table->cells[k].count;
    }
  }
  for (size_t i = 0; i < table->cell_count; i = end) {
    double total = row_total(table, i, &end);
    if (total < least)
      continue;
    memset(row, 0, columns * sizeof *row);
    for (size_t k = i; k < end; k++)
      row[table->column_of[table->cells[k].column]] += (double)table->cells[k].count;
    add_row(row, expected, columns, total, all, result, distance);
  }
  if (has_pool)
    add_row(pool, expected, columns, pooled, all, result, distance);
  uint32_t filled = 0; /* the pool of columns may be empty in what is left */
  for (uint32_t c = 0; c < columns; c++)
    filled += expected[c] > 0;
  result->freedom += (double)(rows - 1) * (filled - 1);
  result->tested += all;
}

/* All tables, one after another. */
static void test_all(const struct markov_table_cell *cells, size_t count, struct independence_table *table,
                     double *scratch, size_t columns, struct markov_independence *result)
{
  double distance = 0;
  for (size_t begin = 0, end; begin < count; begin = end) {
    for (end = begin; end < count && cells[end].table == cells[begin].table; end++)
      ;
    table->cells = &cells[begin];
    table->cell_count = end - begin;
    table->member_count = 0;
    table->total = 0;
    sum_columns(table);
    result->all += table->total;
    bool several_rows = cells[begin].row != cells[end - 1].row;
    if (several_rows && table->member_count > 1) {
      result->open += table->total;
      test_table(table, scratch, scratch + columns, scratch + 2 * columns, result, &distance);
    }
    for (uint32_t i = 0; i < table->member_count; i++)
      table->columns[table->members[i]] = 0;
  }
  result->difference = result->tested > 0 ? distance / result->tested : 0;
}

static int independence_compare_cells(const void *left, const void *right)
{
  const struct markov_table_cell *a = left, *b = right;
  int order = (a->table > b->table) - (a->table < b->table);
  order = order != 0 ? order : (a->row > b->row) - (a->row < b->row);
  return order != 0 ? order : (a->column > b->column) - (a->column < b->column);
}

bool markov_independence_test(struct markov_table_cell *cells, size_t count, uint32_t columns,
                              struct markov_independence *result)
{
  size_t n = (size_t)columns + 1;
  struct independence_table table = {.columns = calloc(n, sizeof(double)),
                                     .column_of = calloc(n, sizeof(uint32_t)),
                                     .members = calloc(n, sizeof(uint32_t))};
  double *scratch = calloc(3 * n, sizeof *scratch);
  bool good = table.columns && table.column_of && table.members && scratch;
  *result = (struct markov_independence){0};
  if (good && count > 0) {
    qsort(cells, count, sizeof *cells, independence_compare_cells);
    test_all(cells, count, &table, scratch, n, result);
  }
  free(table.columns);
  free(table.column_of);
  free(table.members);
  free(scratch);
  return good;
}

bool markov_independence_is_tested(const struct markov_independence *result)
{
  return result->all > 0 &&
         (result->open == 0 || (result->tested >= INDEPENDENCE_COVERAGE * result->open && result->freedom > 0));
}

double markov_independence_p(const struct markov_independence *result)
{
  if (result->freedom <= 0)
    return 1;
  return fmax(markov_chi_square_tail(result->chi_square, result->freedom),
              markov_chi_square_tail(result->g, result->freedom));
}

double markov_independence_difference(const struct markov_independence *result)
{
  double beyond = result->chi_square - result->freedom;
  return beyond > 0 ? result->difference * sqrt(beyond / result->chi_square) : 0;
}
