/* Doacross loops of two and three levels, with each schedule, over long and unsigned long long. */
#include "tests/programs/program.h"
#include <string.h>

enum { N = 6, M = 5, L = 4 };

static int a[N][M], b[N][M][L];

static bool sums_are_right(void)
{
  /* a[i][j] is the number of ways to it: each is the sum of the one above and the one to the left. */
  for (int i = 1; i < N; i++)
    for (int j = 1; j < M; j++)
      if (a[i][j] != a[i - 1][j] + a[i][j - 1])
        return false;
  return true;
}

static void prepare(void)
{
  memset(a, 0, sizeof a);
  for (int i = 0; i < N; i++)
    a[i][0] = 1;
  for (int j = 0; j < M; j++)
    a[0][j] = 1;
}

#define SWEEP(schedule_, type)                                                                                         \
  do {                                                                                                                 \
    prepare();                                                                                                         \
    _Pragma("omp parallel num_threads(2)")                                                                             \
    {                                                                                                                  \
      _Pragma(schedule_) for (type i = 1; i < N; i++) for (type j = 1; j < M; j++)                                     \
      {                                                                                                                \
        _Pragma("omp ordered depend(sink : i - 1, j) depend(sink : i, j - 1)") a[i][j] = a[i - 1][j] + a[i][j - 1];    \
        _Pragma("omp ordered depend(source)")                                                                          \
      }                                                                                                                \
    }                                                                                                                  \
    right = right && sums_are_right();                                                                                 \
  } while (0)

int main(void)
{
  bool right = true;
  SWEEP("omp for ordered(2) schedule(static)", int);
  SWEEP("omp for ordered(2) schedule(dynamic)", int);
  SWEEP("omp for ordered(2) schedule(guided)", int);
  SWEEP("omp for ordered(2) schedule(runtime)", int);
  SWEEP("omp for ordered(2) schedule(static)", unsigned long long);
  SWEEP("omp for ordered(2) schedule(dynamic)", unsigned long long);
  SWEEP("omp for ordered(2) schedule(guided)", unsigned long long);
  SWEEP("omp for ordered(2) schedule(runtime)", unsigned long long);
  b[0][0][0] = 1;
#pragma omp parallel num_threads(2)
  {
#pragma omp for ordered(3)
    for (int i = 1; i < N; i++)
      for (int j = 1; j < M; j++)
        for (int k = 1; k < L; k++) {
#pragma omp ordered depend(sink : i - 1, j - 1, k - 1)
          b[i][j][k] = b[i - 1][j - 1][k - 1] + 1;
#pragma omp ordered depend(source)
        }
  }
  truth("parallel", 9);
  truth("members", 18);
  truth("loops", 18);
  truth("doacross_posts", 8 * (N - 1) * (M - 1) + (N - 1) * (M - 1) * (L - 1));
  return finish(right && b[3][3][3] == 4 && b[5][4][3] == 3);
}
