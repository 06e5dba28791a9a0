/*
 * As many events as asked for: ./storm EVENTS makes a trace of about that many OTF2 events, on the threads that
 * OMP_NUM_THREADS says. A round has a loop, a critical section and a barrier; 100 rounds a region.
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

enum { EVENTS_A_ROUND = 14 }; /* OTF2 events a thread: 4 of the loop and its chunk, 6 of critical, 4 of the barrier */

int main(int argc, char **argv)
{
  long events = argc > 1 ? atol(argv[1]) : 1000000;
  long rounds = events / EVENTS_A_ROUND / omp_get_max_threads(), sum = 0;
  if (rounds < 100) {
    fprintf(stderr, "storm: EVENTS is too small\n");
    return 2;
  }
  for (long region = 0; region < rounds / 100; region++) {
#pragma omp parallel
    for (int round = 0; round < 100; round++) {
#pragma omp for schedule(static) nowait
      for (int i = 0; i < 4; i++)
        __asm__ volatile("");
#pragma omp critical
      sum++;
#pragma omp barrier
    }
  }
  return sum > 0 ? 0 : 1;
}
