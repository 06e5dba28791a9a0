/*
 * Private to markov/: are the rows and the columns of many tables independent? One test for all tables: the statistics
 * of tables add up, and so do their degrees of freedom.
 */
#ifndef HEDDLE_ANALYZER_MODELS_MARKOV_INDEPENDENCE_H
#define HEDDLE_ANALYZER_MODELS_MARKOV_INDEPENDENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct markov_table_cell {
  uint32_t table, row, column;
  uint64_t count; /* > 0 */
};

struct markov_independence {
  double chi_square, g; /* G: twice the logarithm of the likelihood ratio */
  double freedom;
  double tested, open, all; /* observations in tables that could be tested; in those with several rows and columns; in
                               all */
  double difference;        /* half of the sum of differences between a row and its table, mean over what was tested */
};

/*
 * Columns are below `columns`. Cells of one place add up. Rare rows and columns are pooled. Sorts the cells. False: no
 * memory.
 */
bool markov_independence_test(struct markov_table_cell *cells, size_t count, uint32_t columns,
                              struct markov_independence *result);

/* Can the test be believed: does it cover enough of what could depend? */
bool markov_independence_is_tested(const struct markov_independence *result);

/* The larger one of both statistics' p: where cells are few, G is too large. 1 if nothing could depend. */
double markov_independence_p(const struct markov_independence *result);

/* The difference without the part that chance makes. */
double markov_independence_difference(const struct markov_independence *result);

#endif
