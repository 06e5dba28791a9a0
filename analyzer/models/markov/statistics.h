/*
 * Statistical tests of textbooks, their distribution functions and power, and the random numbers of permutations and
 * simulations.
 */
#ifndef HEDDLE_ANALYZER_MODELS_MARKOV_STATISTICS_H
#define HEDDLE_ANALYZER_MODELS_MARKOV_STATISTICS_H

#include "analyzer/models/markov/distribution.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Pseudo-random numbers, the same on every machine: xoshiro256** 1.0 (Blackman and Vigna 2018), its four words filled
 * by splitmix64 from the seed. Only integers are drawn.
 */
struct markov_random {
  uint64_t word[4];
};

void markov_random_seed(struct markov_random *random, uint64_t seed);

/* Returns any of 2^64 numbers. */
uint64_t markov_random_next(struct markov_random *random);

/* Returns 0 to limit - 1 with equal probability; limit > 0. */
uint64_t markov_random_below(struct markov_random *random, uint64_t limit);

/* P(X > x) for chi-square with that many degrees of freedom (> 0). Relative error about 1e-10. */
double markov_chi_square_tail(double x, double freedom);

/* P(F > x) for Fisher's F with these degrees of freedom (> 0). */
double markov_f_tail(double x, double above, double below);

/* P(|T| <= t) = level, for Student's t; 0 < level < 1, freedom >= 1. */
double markov_student_quantile(double level, double freedom);

/* P(D > d) of Kolmogorov and Smirnov's D, the limit for large samples of sizes n and m. */
double markov_ks_tail(double d, double n, double m);

/*
 * Computes the largest distance between the distribution functions of two samples. If a sample is in buckets, both are
 * compared only at the ends of buckets, which never makes the distance larger. False: out of memory.
 */
bool markov_ks_distance(const struct markov_distribution *left, const struct markov_distribution *right, double *d);

/* Test whether two rows of counts are samples of one distribution, as sums over several pairs of rows. */
struct markov_homogeneity {
  double chi_square;
  double freedom;
  double tested, all; /* observations of the right sample: in tested rows, and in all rows */
  double spread;      /* sum over tested rows of right^2 (1 / left + 1 / right): for the test's power */
};

struct markov_cell_pair {
  double left, right; /* counts */
};

/*
 * Adds a row of cells. Cells with less than 5 expected observations in either sample are pooled, the rarest first. A
 * pool that is still too small is not tested. Sorts the cells.
 */
void markov_homogeneity_add(struct markov_homogeneity *sums, struct markov_cell_pair *cells, size_t count);

/* Power of tests: the smallest difference that this number of observations shows with probability MARKOV_POWER. */

#define MARKOV_POWER 0.9

/* Returns the x with markov_chi_square_tail(x, freedom) = p; 0 < p < 1, freedom > 0. */
double markov_chi_square_quantile(double p, double freedom);

/* P(X > x) for noncentral chi-square; noncentrality >= 0. */
double markov_noncentral_tail(double x, double freedom, double noncentrality);

/* Returns the noncentrality at which a chi-square test at `level` rejects with probability MARKOV_POWER. */
double markov_noncentrality(double level, double freedom);

/*
 * Returns the smallest detectable difference: half of the sum of differences between probabilities, mean over `count`
 * observations in tables. By the inequality of Cauchy and Schwarz, a difference D has a noncentrality of at least count
 * (2 D)^2. With freedom 0: the smallest probability that `count` observations detect.
 */
double markov_smallest_difference(double level, double freedom, double count);

/*
 * Returns the smallest detectable distance of two distribution functions with n and m observations (Kolmogorov and
 * Smirnov).
 */
double markov_smallest_distance(double level, double n, double m);

/*
 * Private to markov/. Test of independence of rows and columns, over many tables at once: statistics and degrees of
 * freedom of the tables add up.
 */

struct markov_table_cell {
  uint32_t table, row, column;
  uint64_t count; /* > 0 */
};

struct markov_independence {
  double chi_square, g; /* G: twice the logarithm of the likelihood ratio */
  double freedom;
  double tested, open, all; /* observations in tested tables, in tables with several rows and columns, in all tables */
  double difference; /* half of the sum of differences between a row and its table, mean over tested observations */
};

/*
 * Columns are below `columns`. Counts of cells at the same place add up. Rare rows and columns are pooled. Sorts the
 * cells. False: out of memory.
 */
bool markov_independence_test(struct markov_table_cell *cells, size_t count, uint32_t columns,
                              struct markov_independence *result);

/* True if the test covers enough of the observations that could depend. */
bool markov_independence_is_tested(const struct markov_independence *result);

/* Returns the larger p of both statistics, because G is too large where cells are few. 1: nothing can depend. */
double markov_independence_p(const struct markov_independence *result);

/* Returns the difference beyond chance. */
double markov_independence_difference(const struct markov_independence *result);

#endif
