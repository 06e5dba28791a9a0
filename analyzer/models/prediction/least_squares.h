/* Private to prediction/: linear least squares of a few coefficients, by rotations, row by row. */
#ifndef HEDDLE_ANALYZER_MODELS_PREDICTION_LEAST_SQUARES_H
#define HEDDLE_ANALYZER_MODELS_PREDICTION_LEAST_SQUARES_H

#include <stdbool.h>
#include <stdint.h>

enum { LEAST_SQUARES_MAX = 4 };

/* Zeros and n, the number of coefficients, are a problem without rows. */
struct least_squares {
  double r[LEAST_SQUARES_MAX][LEAST_SQUARES_MAX + 1]; /* triangular; the right side is column n */
  uint32_t n, rows;
};

/* Adds the row "sum of c[k] terms[k] = y", multiplied with the square root of its weight. */
void least_squares_add(struct least_squares *of, const double *terms, double y, double factor);

/* False: the rows don't determine all coefficients. */
bool least_squares_solve(const struct least_squares *of, double *c);

/*
 * After least_squares_solve(): how much of its own fitted value a row that was added determines, 0 to 1. If it had been
 * left out, its deviation would be the present one / (1 - leverage).
 */
double least_squares_leverage(const struct least_squares *of, const double *terms, double factor);

#endif
