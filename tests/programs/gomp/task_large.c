/* Tasks that take a megabyte each with them, on a stack of the usual size. */
#include "tests/programs/program.h"
#include <string.h>

enum { SIZE = 1 << 20, TASKS = 8 };

struct large {
  char bytes[SIZE];
};

static struct large block;

static bool is_all(const struct large *l, char value)
{
  return l->bytes[0] == value && memcmp(l->bytes, l->bytes + 1, SIZE - 1) == 0;
}

static void make(atomic_int *right)
{
  struct large mine;
  for (int i = 0; i < TASKS; i++) {
    memset(mine.bytes, i + 1, SIZE);
#pragma omp task firstprivate(mine, i) if (i % 2)
    atomic_fetch_add(right, is_all(&mine, (char)(i + 1)));
  }
#pragma omp taskwait
}

int main(void)
{
  atomic_int right = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
  make(&right);
  memset(block.bytes, 7, SIZE);
  struct large mine = block;
#pragma omp parallel num_threads(2)
#pragma omp single
#pragma omp taskloop firstprivate(mine) num_tasks(3)
  for (int i = 0; i < 6; i++)
    atomic_fetch_add(&right, is_all(&mine, 7));
  truth("parallel", 2);
  truth("tasks", TASKS + 3);
  truth("tasks_completed", TASKS + 3);
  return finish(right == TASKS + 6);
}
