/*
 * Constructs of functions that an optimizing compiler inlines into others with constructs of their own. Their bodies
 * include functions that it inlines from a header of a few lines. Marked as lines.c. A function is marked, too, where
 * its line stands for a construct without a statement with a line.
 */
#include "tests/programs/places/busy.h"
#include "tests/programs/program.h"

enum { N = 400, STEPS = 3 };
static double a[N], b[N];

static inline void scale(double f)
{
#pragma omp for schedule(static) // [for
  for (int i = 0; i < N; i++)
    a[i] = busy(a[i], i) * f; // for]
}

static inline void shift(double d)
{
#pragma omp for schedule(static) // [for
  for (int i = 0; i < N; i++)
    b[i] = busy(b[i], 2 * i) + d + a[i]; // for]
}

static inline void spread(double d)
{
#pragma omp for schedule(dynamic, 7) // [for
  for (int i = 0; i < N; i++)
    b[i] = busy(b[i], 3 * i) + d; // for]
}

static inline void guide(double d)
{
#pragma omp for schedule(guided) // [for
  for (int i = 0; i < N; i++)
    a[i] = busy(b[i], 3 * i) + d; // for]
}

static inline void alone(void)
{
#pragma omp single       // [single
  a[0] = busy(a[0], 10); // single]
}

static inline void parts(void)
{
#pragma omp sections // [sections
  {
#pragma omp section
    a[1] = busy(a[1], 100);
#pragma omp section
    a[2] = busy(a[2], 100);
  } // sections]
}

static inline void making(void) // [single
{
#pragma omp single
  {
#pragma omp task           // [task
    a[3] = busy(a[3], 77); // task]
#pragma omp taskloop       // [taskloop
    for (int i = 0; i < 20; i++)
      b[i] = busy(a[i], i); // taskloop]
  } // single]
}

static inline void whole(double f)
{
#pragma omp parallel for schedule(static) // [parallel [for
  for (int i = 0; i < N; i++)
    a[i] = busy(a[i], i) * f; // parallel] for]
}

static inline void whole_dynamic(double f)
{
#pragma omp parallel for schedule(dynamic, 3) // [parallel [for
  for (int i = 0; i < N; i++)
    b[i] = busy(a[i], i) * f; // parallel] for]
}

static inline void body(int i)
{
  b[i] = busy(a[i], i);
}

int main(void)
{
  for (int step = 0; step < STEPS; step++) {
#pragma omp parallel // [parallel
    {
      scale(1e-3);
      spread(2.5);
    } // parallel]
#pragma omp parallel // [parallel
    {
      shift(1.5);
      guide(1);
    } // parallel]
#pragma omp parallel // [parallel
    {
      alone();
      parts();
      making();
    } // parallel]
    whole(1e-3);
    whole_dynamic(1e-3);
#pragma omp parallel for // [parallel [for
    for (int i = 0; i < N; i++)
      body(i);       // parallel] for]
#pragma omp parallel // [parallel
    {
      double x = busy(step, 100);
#pragma omp for schedule(static, 3) // [for
      for (int i = 0; i < N; i++)
        body(i); // for]
      x = busy(x, 100);
#pragma omp single                    // [single
      a[7] = busy(x, 5);              // single]
#pragma omp for schedule(dynamic, 40) // [for
      for (int i = 0; i < N; i++)
        body(i); // for]
      a[8] = busy(x, 3);
#pragma omp barrier // [barrier barrier]
      a[9] = busy(x, 3);
    } // parallel]
  }
  return finish(b[5] > 0);
}
