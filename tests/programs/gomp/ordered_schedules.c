/*
 * Ordered loops with each schedule, over long and unsigned long long; also with reductions over tasks, for which there
 * are start functions of their own. Each thread takes one iteration of each loop, and the first thread the first one.
 */
#include "tests/programs/program.h"
#include <limits.h>
#include <omp.h>

enum { LOOPS = 10 };

static atomic_int taken[LOOPS], arrived[LOOPS];
static int order[LOOPS], tasks;

static void let_the_first_be_first(int loop)
{
  if (omp_get_thread_num() == 1)
    hold(&taken[loop]);
}

static void take(int loop)
{
  release(&taken[loop]);
  meet(&arrived[loop], 2);
}

#define PRAGMA(text) _Pragma(#text)
/* Bounds that gcc does not know have the loop's type; it takes long for all others. */
#define LOOP(number, type, begin, clauses, body)                                                                       \
  let_the_first_be_first(number);                                                                                      \
  PRAGMA(omp for clauses) for (type i = begin; i < begin + 2; i++)                                                     \
  {                                                                                                                    \
    take(number);                                                                                                      \
    body order[number] = order[number] * 10 + (int)(i - begin) + 1;                                                    \
  }
#define ORDERED(number, type, begin, clauses) LOOP(number, type, begin, ordered clauses, _Pragma("omp ordered"))

static bool in_order(void)
{
  for (int i = 0; i < LOOPS; i++)
    if (order[i] != 12)
      return false;
  return true;
}

static void loops(long low, unsigned long long high)
{

#pragma omp parallel num_threads(2)
  {
    ORDERED(0, long, low, schedule(static))
    ORDERED(1, long, low, schedule(dynamic))
    ORDERED(2, long, low, schedule(guided))
    ORDERED(3, long, low, schedule(runtime))
    ORDERED(4, long, low, schedule(dynamic) reduction(task, + : tasks))
    ORDERED(5, unsigned long long, high, schedule(static))
    ORDERED(6, unsigned long long, high, schedule(guided))
    ORDERED(7, unsigned long long, high, schedule(runtime))
    ORDERED(8, unsigned long long, high, schedule(dynamic) reduction(task, + : tasks))
    LOOP(9, unsigned long long, high, schedule(dynamic) reduction(task, + : tasks), _Pragma("omp critical"))
  }
}

int main(int argc, char **argv)
{
  (void)argv;
  loops(argc + 9, ULLONG_MAX - 10 - (unsigned)argc);
  order[9] = order[9] == 21 ? 12 : order[9]; /* in any order */
  truth("parallel", 1);
  truth("members", 2);
  truth("loops", 2 * LOOPS);
  truth("ordereds", 2 * (LOOPS - 1));
  truth("criticals", 2);
  return finish(in_order());
}
