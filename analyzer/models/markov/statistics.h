/* Distribution functions and tests of textbooks. */
#ifndef HEDDLE_ANALYZER_MODELS_MARKOV_STATISTICS_H
#define HEDDLE_ANALYZER_MODELS_MARKOV_STATISTICS_H

#include "analyzer/models/markov/distribution.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* P(X > x) for chi-square with that many degrees of freedom (> 0). Relative error about 1e-10. */
double markov_chi_square_tail(double x, double freedom);

/* P(F > x) for Fisher's F with these degrees of freedom (> 0). */
double markov_f_tail(double x, double above, double below);

/* P(|T| <= t) = level, for Student's t; 0 < level < 1, freedom >= 1. */
double markov_student_quantile(double level, double freedom);

/* P(D > d), the limit for large samples, of sizes n and m. */
double markov_ks_tail(double d, double n, double m);

/*
 * The largest distance between two samples' distribution functions, and its place in the greatest bucket's terms. Where
 * one of them is in buckets, both are compared at the buckets' ends only, which can't make the distance larger.
 * False: no memory.
 */
bool markov_ks_distance(const struct markov_distribution *left, const struct markov_distribution *right, double *d);

/* Are two rows of counts samples of one distribution? Sums up over several such questions. */
struct markov_homogeneity {
  double chi_square;
  double freedom;
  double tested, all; /* observations of the right sample: in the rows that could be tested, and in all */
  double spread;      /* sum over tested rows of right^2 (1 / left + 1 / right): for the test's power */
};

struct markov_cell_pair {
  double left, right; /* counts */
};

/*
 * Adds a row of cells. Cells that would be expected to have less than 5 observations in either sample are pooled, the
 * rarest first; what is still too small then is left out, and not among `tested`. Sorts the cells.
 */
void markov_homogeneity_add(struct markov_homogeneity *sums, struct markov_cell_pair *cells, size_t count);

/*
 * The power of tests: the smallest difference that as many observations would have shown, with probability
 * MARKOV_POWER. A test that finds nothing says no more than this.
 */

#define MARKOV_POWER 0.9

/* The x with markov_chi_square_tail(x, freedom) = p; 0 < p < 1, freedom > 0. */
double markov_chi_square_quantile(double p, double freedom);

/* P(X > x) for noncentral chi-square; noncentrality >= 0. */
double markov_noncentral_tail(double x, double freedom, double noncentrality);

/* The noncentrality at which a chi-square test at `level` refuses with probability MARKOV_POWER. */
double markov_noncentrality(double level, double freedom);

/*
 * The smallest difference, as half of the sum of differences between probabilities, mean over `count` observations in
 * tables: by the inequality of Cauchy and Schwarz, a difference D has a noncentrality of at least count (2 D)^2. With
 * freedom 0 nothing varies: a probability that `count` observations would have met.
 */
double markov_smallest_difference(double level, double freedom, double count);

/* The smallest distance of two distribution functions, seen with n and m observations (Kolmogorov and Smirnov). */
double markov_smallest_distance(double level, double n, double m);

/*
 * Private to markov/: are the rows and the columns of many tables independent? One test for all tables: the statistics
 * of tables add up, and so do their degrees of freedom.
 */

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
