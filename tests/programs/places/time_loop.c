/*
 * A Jacobi solver: three parallel regions in a time loop. In front of it an optimizing compiler makes the addresses of
 * what it outlined from them. Marked as lines.c; the brace of main and the time loop belong to no construct.
 */
#include "tests/programs/program.h"

enum { N = 60, STEPS = 100 };
static double a[N][N], b[N][N];

int main(void)
{
  double error = 0;
  for (int step = 0; step < STEPS; step++) {
    error = 0;

#pragma omp parallel for // [parallel [for
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        b[i][j] = 0.25 * (a[i - 1][j] + a[i + 1][j] + a[i][j - 1] + a[i][j + 1]) + 1; // parallel] for]

#pragma omp parallel for reduction(+ : error) // [parallel [for
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        error += (a[i][j] - b[i][j]) * (a[i][j] - b[i][j]); // parallel] for]

#pragma omp parallel for schedule(dynamic, 9) // [parallel [for
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        a[i][j] = b[i][j]; // parallel] for]
  }
  return finish(error > 0);
}
