/*
 * Jacobi iteration for the heat equation on a square plate whose upper edge is at 1: ./jacobi [N] [sweeps].
 * One parallel region around all sweeps; a loop with a reduction a sweep; single and explicit barriers between them.
 */
#include "tests/programs/program.h"
#include <math.h>
#include <omp.h>
#include <stdlib.h>

static double sweep_serial(int n, const double *from, double *to)
{
  double change = 0;
  for (int i = 1; i < n - 1; i++)
    for (int j = 1; j < n - 1; j++) {
      to[i * n + j] =
          0.25 * (from[(i - 1) * n + j] + from[(i + 1) * n + j] + from[i * n + j - 1] + from[i * n + j + 1]);
      change = fmax(change, fabs(to[i * n + j] - from[i * n + j]));
    }
  return change;
}

static double jacobi(int n, int sweeps, double *x, double *y)
{
  double change = 0;
#pragma omp parallel
  for (int s = 0; s < sweeps; s++) {
#pragma omp single
    change = 0;
#pragma omp for schedule(static) reduction(max : change)
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++) {
        y[i * n + j] = 0.25 * (x[(i - 1) * n + j] + x[(i + 1) * n + j] + x[i * n + j - 1] + x[i * n + j + 1]);
        change = fmax(change, fabs(y[i * n + j] - x[i * n + j]));
      }
#pragma omp for schedule(dynamic, 8)
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        x[i * n + j] = y[i * n + j];
#pragma omp barrier
  }
  return change;
}

static double *plate(int n)
{
  double *x = calloc((size_t)n * (size_t)n, sizeof *x);
  for (int j = 0; j < n; j++)
    x[j] = 1;
  return x;
}

int main(int argc, char **argv)
{
  int n = argc > 1 ? atoi(argv[1]) : 130, sweeps = argc > 2 ? atoi(argv[2]) : 20;
  if (n < 3 || n > 8192 || sweeps < 1) {
    fprintf(stderr, "jacobi: N is a number from 3 to 8192, sweeps one from 1\n");
    return 2;
  }
  int threads = omp_get_max_threads();
  double *x = plate(n), *y = plate(n), *u = plate(n), *v = plate(n);
  double change = jacobi(n, sweeps, x, y), expected = 0;
  for (int s = 0; s < sweeps; s++) {
    expected = sweep_serial(n, u, v);
    double *t = u;
    u = v;
    v = t;
  }
  bool right = change == expected;
  for (int i = 0; i < n * n && right; i++)
    right = x[i] == u[i];

  truth("parallel", 1);
  truth("members", threads);
  truth("singles", (long)sweeps * threads);
  truth("single_blocks", sweeps);
  truth("loops", 2l * sweeps * threads);
  truth("iterations", 2l * sweeps * (n - 2));
  truth("barriers", (long)sweeps * threads);
  free(x), free(y), free(u), free(v);
  return finish(right);
}
