/*
 * a(i) = b(i) + c(i), i = 0 ... 399: the four schedules of mploop on four threads. An event stands before and after
 * each iteration, as in Tsai's thesis on Glimpse (chapter VI). The header is made from mploop.spec by `heddle spec
 * generate`.
 */
#include <mploop.h>

#include <stdbool.h>
#include <stdio.h>

enum { N = 400, CHUNK = 25, THREADS = 4, SIMPLE = 0, DYNAMIC, INTERLEAVE, GSS };

static double a[N], b[N], c[N];

static void body(int schedule, int i)
{
  mploop_event_x(schedule, i);
  a[i] = b[i] + c[i];
  mploop_event_y(schedule, i);
}

int main(void)
{
  for (int i = 0; i < N; i++)
    b[i] = i, c[i] = 1;
#pragma omp parallel for schedule(static) num_threads(THREADS)
  for (int i = 0; i < N; i++)
    body(SIMPLE, i);
#pragma omp parallel for schedule(dynamic, CHUNK) num_threads(THREADS)
  for (int i = 0; i < N; i++)
    body(DYNAMIC, i);
#pragma omp parallel for schedule(static, CHUNK) num_threads(THREADS)
  for (int i = 0; i < N; i++)
    body(INTERLEAVE, i);
#pragma omp parallel for schedule(guided) num_threads(THREADS)
  for (int i = 0; i < N; i++)
    body(GSS, i);
  bool right = true;
  for (int i = 0; i < N; i++)
    right = right && a[i] == i + 1;
  puts(right ? "done" : "wrong");
  return right ? 0 : 1;
}
