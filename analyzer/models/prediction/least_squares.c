#include "analyzer/models/prediction/least_squares.h"

#include <math.h>

/* A column is a sum of others if less than this part of it is left without them: that is rounding. */
#define DEPENDENT 1e-13

/* Gives R's column k one more row by rotations, so that R stays triangular: the row itself becomes zero. */
static void rotate_in(struct least_squares *of, double *row)
{
  for (uint32_t k = 0; k < of->n; k++) {
    double length = hypot(of->r[k][k], row[k]);
    if (length == 0)
      continue;
    double cosine = of->r[k][k] / length, sine = row[k] / length;
    for (uint32_t j = k; j <= of->n; j++) {
      double above = of->r[k][j], below = row[j];
      of->r[k][j] = cosine * above + sine * below;
      row[j] = cosine * below - sine * above;
    }
  }
}

void least_squares_add(struct least_squares *of, const double *terms, double y, double factor)
{
  double row[LEAST_SQUARES_MAX + 1] = {0};
  for (uint32_t k = 0; k < of->n; k++)
    row[k] = factor * terms[k];
  row[of->n] = factor * y;
  rotate_in(of, row);
  of->rows++;
}

static bool is_independent(const struct least_squares *of, uint32_t column)
{
  double length = 0;
  for (uint32_t k = 0; k <= column; k++)
    length = hypot(length, of->r[k][column]);
  return of->r[column][column] > DEPENDENT * length;
}

bool least_squares_solve(const struct least_squares *of, double *c)
{
  bool good = of->rows >= of->n;
  for (uint32_t k = of->n; good && k-- > 0;) {
    double sum = of->r[k][of->n];
    for (uint32_t j = k + 1; j < of->n; j++)
      sum -= of->r[k][j] * c[j];
    c[k] = sum / of->r[k][k];
    good = is_independent(of, k) && isfinite(c[k]);
  }
  return good;
}

double least_squares_leverage(const struct least_squares *of, const double *terms, double factor)
{
  double part[LEAST_SQUARES_MAX], sum = 0;
  for (uint32_t k = 0; k < of->n; k++) {
    part[k] = factor * terms[k];
    for (uint32_t j = 0; j < k; j++)
      part[k] -= of->r[j][k] * part[j];
    part[k] /= of->r[k][k];
    sum += part[k] * part[k];
  }
  return sum;
}
