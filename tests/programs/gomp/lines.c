/*
 * Constructs at known places: a line that ends in `// [name` begins one, the line that ends in `// name]` is its last
 * one. Where the compiler has moved code, a construct must still be found at its own place.
 */
#include "tests/programs/program.h"

static double a[1000], b[1000];

static __attribute__((noinline)) void use(double *x)
{
  __asm__ volatile("" : : "r"(x) : "memory");
}

static void static_loops(int n)
{
#pragma omp parallel // [parallel
  {
    double mine = 1;
    mine += b[2];

#pragma omp for schedule(static) nowait // [for
    for (int i = 0; i < n; i++) {
      a[i] = b[i] * mine;
      b[i] += 1;
    } // for]

#pragma omp for schedule(static) // [for
    for (int i = 0; i < n; i++)
      b[i] = a[i] + mine; // for]

#pragma omp for schedule(static, 4) // [for
    for (int i = 0; i < n; i++)
      a[i] = b[i] + mine; // for]
    use(a);
  } // parallel]
}

static double dynamic_loops(int n)
{
  double sum = 0;
#pragma omp parallel // [parallel
  {
    use(b);

#pragma omp for schedule(dynamic, 3) // [for
    for (int i = 0; i < n; i++)
      b[i] = a[i] + 1; // for]

#pragma omp for schedule(guided) nowait // [for
    for (int i = 0; i < n; i++) {
      use(a);
      b[i] = a[i] + 1;
    } // for]
    use(a);
#pragma omp for schedule(runtime) reduction(+ : sum) // [for
    for (int i = 0; i < n; i++)
      sum += a[i]; // for]
  } // parallel]
  return sum;
}

static int others(void)
{
  int x = 0;
#pragma omp parallel // [parallel
  {
    use(b);

#pragma omp barrier // [barrier barrier]

#pragma omp single // [single
    {
      use(a);
      x++;
    } // single]

#pragma omp sections // [sections
    {
#pragma omp section
      use(a);
#pragma omp section
      use(b);
    } // sections]
    use(a);

#pragma omp single nowait // [single
    x += 2;               // single]

#pragma omp critical // [critical
    x += 5;          // critical]

    int y;
#pragma omp single copyprivate(y) // [single
    y = 7;                        // single]
    use(a + y);
  } // parallel]
  return x;
}

static double combined(int n)
{
  double sum = 0;
#pragma omp parallel for // [parallel [for
  for (int i = 0; i < n; i++)
    a[i] = b[i];                           // parallel] for]
#pragma omp parallel for schedule(dynamic) // [parallel [for
  for (int i = 0; i < n; i++)
    a[i] = b[i];              // parallel] for]
#pragma omp parallel sections // [parallel [sections
  {
#pragma omp section
    use(a);
#pragma omp section
    use(b);
  } // parallel] sections]
#pragma omp parallel for reduction(+ : sum) // [parallel [for
  for (int i = 0; i < n; i++)
    sum += b[i]; // parallel] for]
  return sum;
}

static void tasks(void)
{
#pragma omp parallel // [parallel
#pragma omp single   // [single
  {
#pragma omp task // [task
    use(a);      // task]
#pragma omp task // [task
    {
      use(b);
    } // task]
#pragma omp taskwait
#pragma omp taskgroup
    {
#pragma omp task // [task
      use(a);    // task]
    }
#pragma omp taskloop // [taskloop
    for (int i = 0; i < 10; i++)
      use(a); // taskloop]
  } // parallel] single]
}

int main(int argc, char **argv)
{
  (void)argv;
  int n = 900 + argc;
  static_loops(n);
  double sum = dynamic_loops(n) + others() + combined(n);
  tasks();
  use(&sum);
  return finish(true);
}
