/*
 * In-place LU factorization without pivoting, one or more times: ./lu [N [TIMES]]. For each k one parallel region with
 * two loops: scale column k below the diagonal (nowait), then update the trailing matrix. The rows of both loops are
 * dealt out in the same way, so a thread needs only the factors that it computed itself.
 */
#include "tests/programs/program.h"
#include <math.h>
#include <omp.h>
#include <stdlib.h>

/* The matrix: diagonally dominant, so that no pivoting is needed. */
static double element(int n, int i, int j)
{
  return i == j ? n : 1.0 / (1 + (i * 7 + j * 3) % 11);
}

static void fill(int n, double *a)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      a[i * n + j] = element(n, i, j);
}

static void factorize(int n, double *a)
{
  for (int k = 0; k < n - 1; k++) {
#pragma omp parallel
    {
#pragma omp for schedule(static) nowait
      for (int i = k + 1; i < n; i++)
        a[i * n + k] /= a[k * n + k];
#pragma omp for schedule(static)
      for (int i = k + 1; i < n; i++)
        for (int j = k + 1; j < n; j++)
          a[i * n + j] -= a[i * n + k] * a[k * n + j];
    }
  }
}

/* How far (L * U * v) is from (A * v), at most, for v = 1, 2, 3, 1, 2, 3 ... */
static double residual(int n, const double *a)
{
  double worst = 0, *uv = malloc((size_t)n * sizeof *uv);
  for (int i = 0; i < n; i++) {
    uv[i] = 0;
    for (int j = i; j < n; j++)
      uv[i] += a[i * n + j] * (1 + j % 3);
  }
  for (int i = 0; i < n; i++) {
    double av = 0, luv = uv[i];
    for (int j = 0; j < i; j++)
      luv += a[i * n + j] * uv[j];
    for (int j = 0; j < n; j++)
      av += element(n, i, j) * (1 + j % 3);
    worst = fmax(worst, fabs(av - luv));
  }
  free(uv);
  return worst;
}

int main(int argc, char **argv)
{
  int n = argc > 1 ? atoi(argv[1]) : 256;
  int times = argc > 2 ? atoi(argv[2]) : 1;
  if (n < 2 || n > 8192 || times < 1) {
    fprintf(stderr, "lu: N is a number from 2 to 8192, TIMES one from 1\n");
    return 2;
  }
  double *a = malloc((size_t)n * (size_t)n * sizeof *a);

  int threads = omp_get_max_threads();
  double start = omp_get_wtime();
  for (int time = 0; time < times; time++) {
    fill(n, a);
    factorize(n, a);
  }
  fprintf(stderr, "lu: %d x %d, %d threads, %.3f s\n", n, n, threads, omp_get_wtime() - start);

  bool right = residual(n, a) < 1e-8 * n;
  free(a);
  long regions = (long)(n - 1) * times;
  truth("parallel", regions);
  truth("members", regions * threads);
  truth("iterations", regions * n);
  truth("implicit_barriers", threads > 1 ? 2 * regions * threads : regions);
  return finish(right);
}
