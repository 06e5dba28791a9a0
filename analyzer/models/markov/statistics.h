/* Distribution functions and tests of textbooks. */
#ifndef HEDDLE_ANALYZER_MODELS_MARKOV_STATISTICS_H
#define HEDDLE_ANALYZER_MODELS_MARKOV_STATISTICS_H

#include "analyzer/models/markov/distribution.h"

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

#endif
