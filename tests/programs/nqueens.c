/*
 * How many ways are there to put N queens on an N x N board? ./nqueens [N] [depth]. A task a placement down to `depth`
 * rows, serial below.
 */
#include "tests/programs/program.h"
#include <stdlib.h>

static const int answers[] = {1, 1, 0, 0, 2, 10, 4, 40, 92, 352, 724, 2680, 14200, 73712};
static atomic_long tasks;

/* Columns and diagonals that are taken are bits. */
static int serial(unsigned all, unsigned columns, unsigned left, unsigned right)
{
  int found = columns == all;
  for (unsigned rest = all & ~(columns | left | right); rest; rest &= rest - 1) {
    unsigned bit = rest & -rest;
    found += serial(all, columns | bit, (left | bit) << 1, (right | bit) >> 1);
  }
  return found;
}

static void parallel(int depth, unsigned all, unsigned columns, unsigned left, unsigned right, atomic_int *found)
{
  if (depth == 0 || columns == all) {
    atomic_fetch_add(found, serial(all, columns, left, right));
    return;
  }
  for (unsigned rest = all & ~(columns | left | right); rest; rest &= rest - 1) {
    unsigned bit = rest & -rest;
    atomic_fetch_add_explicit(&tasks, 1, memory_order_relaxed);
#pragma omp task
    parallel(depth - 1, all, columns | bit, (left | bit) << 1, (right | bit) >> 1, found);
  }
#pragma omp taskwait
}

int main(int argc, char **argv)
{
  int n = argc > 1 ? atoi(argv[1]) : 8, depth = argc > 2 ? atoi(argv[2]) : 3;
  if (n < 1 || n > 13 || depth < 0) {
    fprintf(stderr, "nqueens: N is a number from 1 to 13\n");
    return 2;
  }
  atomic_int found = 0;
#pragma omp parallel
  {
#pragma omp single
    parallel(depth, (1u << n) - 1, 0, 0, 0, &found);
  }
  printf("%d queens: %d ways\n", n, found);
  truth("parallel", 1);
  truth("single_blocks", 1);
  truth("tasks", tasks);
  truth("tasks_completed", tasks);
  return finish(found == answers[n]);
}
