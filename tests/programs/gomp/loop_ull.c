/* Loops over unsigned long long, up and down, beyond what a long holds, with each schedule that libgomp hands out. */
#include "tests/programs/program.h"
#include <limits.h>
#include <omp.h>

static const unsigned long long high = ULLONG_MAX - 50;

int main(void)
{
  unsigned long long up = 0, down = 0, guided = 0, runtime = 0, ordered = 0;
  bool in_order = true;
#pragma omp parallel num_threads(2)
  {
#pragma omp for schedule(dynamic, 3) reduction(+ : up)
    for (unsigned long long i = high; i < high + 20; i += 2)
      up += i - high;
#pragma omp for schedule(dynamic, 2) reduction(+ : down)
    for (unsigned long long i = high + 20; i > high; i -= 2)
      down += i - high;
#pragma omp for schedule(guided) reduction(+ : guided)
    for (unsigned long long i = high; i < high + 20; i++)
      guided += i - high;
#pragma omp for schedule(runtime) reduction(+ : runtime)
    for (unsigned long long i = high + 20; i > high; i--)
      runtime += i - high;
#pragma omp for schedule(dynamic) ordered
    for (unsigned long long i = high; i < high + 10; i++) {
#pragma omp ordered
      {
        in_order = in_order && i - high == ordered;
        ordered++;
      }
    }
  }
  truth("parallel", 1);
  truth("members", 2);
  truth("loops", 10);
  truth("iterations", 10 + 10 + 20 + 20 + 10);
  truth("ordereds", 10);
  return finish(up == 90 && down == 110 && guided == 190 && runtime == 210 && ordered == 10 && in_order);
}
