/* Many threads with few events each: crowd THREADS LOOPS. Every thread executes its part of so many loops that nobody
 * waits for. */
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
  int threads = argc > 1 ? atoi(argv[1]) : 10000, loops = argc > 2 ? atoi(argv[2]) : 250;
  long sum = 0;
  if (threads < 1 || loops < 1) {
    fprintf(stderr, "usage: crowd THREADS LOOPS\n");
    return 2;
  }
#pragma omp parallel num_threads(threads) reduction(+ : sum)
  for (int loop = 0; loop < loops; loop++) {
#pragma omp for schedule(static) nowait
    for (int i = 0; i < threads; i++)
      sum += i ^ loop;
  }
  printf("%ld\n", sum);
  return 0;
}
