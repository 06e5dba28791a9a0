/*
 * Doacross loops over unsigned long long with each schedule; also, over both types, with reductions over tasks, which
 * have start functions of their own. Each thread takes one iteration of each loop, and the first thread the first
 * one.
 */
#include "tests/programs/program.h"
#include <limits.h>
#include <omp.h>

enum { LOOPS = 6 };

static atomic_int taken[LOOPS], arrived[LOOPS];
static int ways[LOOPS][3][3], tasks;

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

static void step(int way[3][3], int i, int j)
{
  way[i + 1][j + 1] = i + j == 0 ? 1 : way[i][j + 1] + way[i + 1][j];
}

#define PRAGMA(text) _Pragma(#text)
/* Bounds that gcc does not know have the loop's type; it takes long for all others. */
#define DOACROSS(number, type, begin, clauses)                                                                         \
  let_the_first_be_first(number);                                                                                      \
  PRAGMA(omp for ordered(2) clauses) for (type i = begin; i < begin + 2; i++) for (type j = begin; j < begin + 2; j++) \
  {                                                                                                                    \
    if (j == begin)                                                                                                    \
      take(number);                                                                                                    \
    _Pragma("omp ordered depend(sink : i - 1, j) depend(sink : i, j - 1)")                                             \
        step(ways[number], (int)(i - begin), (int)(j - begin));                                                        \
    _Pragma("omp ordered depend(source)")                                                                              \
  }

static void loops(long low, unsigned long long high)
{

#pragma omp parallel num_threads(2)
  {
    DOACROSS(0, unsigned long long, high, schedule(static))
    DOACROSS(1, unsigned long long, high, schedule(dynamic))
    DOACROSS(2, unsigned long long, high, schedule(guided))
    DOACROSS(3, unsigned long long, high, schedule(runtime))
    DOACROSS(4, unsigned long long, high, schedule(dynamic) reduction(task, + : tasks))
    DOACROSS(5, long, low, schedule(dynamic) reduction(task, + : tasks))
  }
}

int main(int argc, char **argv)
{
  (void)argv;
  loops(argc + 9, ULLONG_MAX - 10 - (unsigned)argc);
  bool right = true;
  for (int i = 0; i < LOOPS; i++)
    right = right && ways[i][2][2] == 2;
  truth("parallel", 1);
  truth("members", 2);
  truth("loops", 2 * LOOPS);
  truth("doacross_posts", 4 * LOOPS);
  return finish(right);
}
