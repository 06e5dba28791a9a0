/*
 * For each state b a table: rows are the states a before it, columns the states c after it. If the chain is of first
 * order, rows and columns are independent (Anderson and Goodman 1957; Billingsley 1961); the statistics of all tables
 * add up, and so do their degrees of freedom, (rows - 1) (columns - 1).
 */
#include "analyzer/markov/order.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CELL_MIN = 5 };

/* One state's table. The last row and column are the pools of those with few observations; they may be empty. */
struct table {
  const struct markov_transition *cells; /* by row (edge a to b), then by column */
  size_t cell_count;
  double *columns; /* totals, by state; all zeros between tables */
  uint32_t *column_of, *members;
  uint32_t member_count;
  double total;
};

size_t markov_edge_index(const struct markov_model *model, uint32_t from, uint32_t to)
{
  const struct markov_state *state = &model->list[from];
  uint32_t low = 0, high = state->edge_count;
  while (low < high) {
    uint32_t middle = (low + high) / 2;
    if (state->edges[middle].to < to)
      low = middle + 1;
    else
      high = middle;
  }
  bool found = low < state->edge_count && state->edges[low].to == to;
  return found ? (size_t)(&state->edges[low] - model->edges) : SIZE_MAX;
}

static double row_total(const struct table *table, size_t begin, size_t *end)
{
  double total = 0;
  for (*end = begin; *end < table->cell_count && table->cells[*end].from == table->cells[begin].from; ++*end)
    total += (double)table->cells[*end].count;
  return total;
}

static void sum_columns(struct table *table)
{
  for (size_t i = 0; i < table->cell_count; i++) {
    uint32_t to = table->cells[i].to;
    if (table->columns[to] == 0)
      table->members[table->member_count++] = to;
    table->columns[to] += (double)table->cells[i].count;
    table->total += (double)table->cells[i].count;
  }
}

/* Rows with less than this are pooled: the two most frequent columns must be testable in each that is not. */
static double least_row(const struct table *table)
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
static uint32_t number_columns(struct table *table, double smallest_row)
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
                    struct markov_order *order, double *distance)
{
  double apart = 0;
  for (uint32_t c = 0; c < columns; c++) {
    double should = expected[c] * total / all;
    order->chi_square += should > 0 ? (row[c] - should) * (row[c] - should) / should : 0;
    apart += fabs(row[c] - should);
  }
  *distance += apart / 2;
}

static void test_table(struct table *table, double *row, double *pool, double *expected, struct markov_order *order,
                       double *distance)
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
      uint32_t column = table->column_of[table->cells[k].to];
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
      row[table->column_of[table->cells[k].to]] += (double)table->cells[k].count;
    add_row(row, expected, columns, total, all, order, distance);
  }
  if (has_pool)
    add_row(pool, expected, columns, pooled, all, order, distance);
  uint32_t filled = 0; /* the pool of columns may be empty in what is left */
  for (uint32_t c = 0; c < columns; c++)
    filled += expected[c] > 0;
  order->freedom += (double)(rows - 1) * (filled - 1);
  order->tested += all;
}

/* All tables, one state b after another: the edges into it are sorted together. */
static void test_all(const struct markov_transition *cells, size_t count, const uint32_t *middle, struct table *table,
                     double *scratch, uint32_t states, struct markov_order *order)
{
  double distance = 0;
  for (size_t begin = 0, end; begin < count; begin = end) {
    for (end = begin; end < count && middle[cells[end].from] == middle[cells[begin].from]; end++)
      ;
    table->cells = &cells[begin];
    table->cell_count = end - begin;
    table->member_count = 0;
    table->total = 0;
    sum_columns(table);
    bool several_rows = cells[begin].from != cells[end - 1].from;
    if (several_rows && table->member_count > 1) {
      order->open += table->total;
      test_table(table, scratch, scratch + states + 1, scratch + 2 * ((size_t)states + 1), order, &distance);
    }
    for (uint32_t i = 0; i < table->member_count; i++)
      table->columns[table->members[i]] = 0;
  }
  order->difference = order->tested > 0 ? distance / order->tested : 0;
}

static int compare_by_middle(const void *left, const void *right, void *middle_of)
{
  const struct markov_transition *a = left, *b = right;
  const uint32_t *middle = middle_of;
  uint32_t x = middle[a->from], y = middle[b->from];
  int order = (x > y) - (x < y);
  order = order != 0 ? order : (a->from > b->from) - (a->from < b->from);
  return order != 0 ? order : (a->to > b->to) - (a->to < b->to);
}

bool markov_order_test(const struct markov_model *run, const struct markov_transition_counts *triples,
                       struct markov_order *order)
{
  size_t n = (size_t)run->count + 1;
  size_t triples_count = markov_transition_counts_distinct(triples);
  struct markov_transition *cells = markov_transition_counts_sorted(triples);
  uint32_t *middle = calloc(run->edge_count + 1, sizeof *middle);
  struct table table = {.columns = calloc(n, sizeof(double)),
                        .column_of = calloc(n, sizeof(uint32_t)),
                        .members = calloc(n, sizeof(uint32_t))};
  double *scratch = calloc(3 * n, sizeof *scratch);
  bool good = cells && middle && table.columns && table.column_of && table.members && scratch;
  *order = (struct markov_order){0};
  if (good) {
    for (size_t i = 0; i < run->edge_count; i++)
      middle[i] = run->edges[i].to;
    qsort_r(cells, triples_count, sizeof *cells, compare_by_middle, middle);
    test_all(cells, triples_count, middle, &table, scratch, run->count, order);
  }
  free(cells);
  free(middle);
  free(table.columns);
  free(table.column_of);
  free(table.members);
  free(scratch);
  return good;
}
