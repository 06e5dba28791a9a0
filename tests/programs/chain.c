/*
 * A doacross loop that is a serial chain: each iteration waits for the one before it, then sleeps. Prints what the
 * waits of each thread took on its own clock: `waited: <thread> <how many> <ns>`, without the first iteration, which
 * waits for none.
 */
#include "tests/programs/program.h"

#include <omp.h>
#include <stdint.h>
#include <time.h>

enum { ITERATIONS = 24, NAP_NS = 1000000, THREADS_MOST = 16 };

static int64_t now(void)
{
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

int main(void)
{
  static struct {
    int64_t waits, ns;
  } waited[THREADS_MOST];
  int sum = 0;
#pragma omp parallel for schedule(static, 1) ordered(1)
  for (int i = 0; i < ITERATIONS; i++) {
    int thread = omp_get_thread_num();
    int64_t begin = now();
#pragma omp ordered depend(sink : i - 1)
    waited[thread].ns += i > 0 ? now() - begin : 0;
    waited[thread].waits += i > 0;
    sum += i;
    nanosleep(&(struct timespec){.tv_nsec = NAP_NS}, NULL);
#pragma omp ordered depend(source)
  }
  for (int i = 0; i < omp_get_max_threads() && i < THREADS_MOST; i++)
    printf("waited: %d %ld %ld\n", i, (long)waited[i].waits, (long)waited[i].ns);
  truth("doacross_posts", ITERATIONS);
  return finish(sum == ITERATIONS * (ITERATIONS - 1) / 2);
}
