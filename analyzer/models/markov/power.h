/*
 * The power of tests: the smallest difference that as many observations would have shown, with probability
 * MARKOV_POWER. A test that finds nothing says no more than this.
 */
#ifndef HEDDLE_ANALYZER_MODELS_MARKOV_POWER_H
#define HEDDLE_ANALYZER_MODELS_MARKOV_POWER_H

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

#endif
