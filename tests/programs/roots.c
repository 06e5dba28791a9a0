/*
 * Many threads of the program's own, each with a parallel region: ./roots [threads] [at once]. Each is a root for
 * OpenMP; at most `at once` of them live at the same time.
 */
#include "tests/programs/program.h"
#include <omp.h>
#include <pthread.h>
#include <stdlib.h>

static atomic_long members;

static void *root(void *unused)
{
  (void)unused;
#pragma omp parallel num_threads(2)
  atomic_fetch_add(&members, 1);
  return NULL;
}

int main(int argc, char **argv)
{
  int n = argc > 1 ? atoi(argv[1]) : 1000, at_once = argc > 2 ? atoi(argv[2]) : 50;
  if (n < 1 || at_once < 1 || at_once > 1000) {
    fprintf(stderr, "roots: threads is a number from 1, at once one from 1 to 1000\n");
    return 2;
  }
  pthread_t threads[1000];
  for (int started = 0; started < n; started += at_once) {
    int batch = n - started < at_once ? n - started : at_once;
    for (int i = 0; i < batch; i++)
      if (pthread_create(&threads[i], NULL, root, NULL) != 0)
        return finish(false);
    for (int i = 0; i < batch; i++)
      pthread_join(threads[i], NULL);
  }
  truth("parallel", n);
  truth("members", members);
  return finish(members >= n && members <= 2l * n);
}
