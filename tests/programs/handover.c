/*
 * Two threads hand a ball to each other N times, as quickly as they can: the true order of all releases and
 * acquisitions is known. handover N spins on a word within critical sections of their own, so the trace shows what
 * processors' clocks differ by: truth: handovers=N
 */
#include "tests/programs/program.h"
#include <omp.h>
#include <stdatomic.h>

static _Alignas(64) atomic_long ball;

int main(int argc, char **argv)
{
  long number = argc > 1 ? atol(argv[1]) : 1000;
  omp_lock_t locks[2];
  omp_init_lock(&locks[0]);
  omp_init_lock(&locks[1]);
#pragma omp parallel num_threads(2)
  {
    int me = omp_get_thread_num();
    for (long i = me; i < number; i += 2) {
      while (atomic_load_explicit(&ball, memory_order_acquire) != i)
        continue;
      omp_set_lock(&locks[me]);
      omp_unset_lock(&locks[me]);
      atomic_store_explicit(&ball, i + 1, memory_order_release);
    }
  }
  printf("truth: handovers=%ld\n", atomic_load(&ball));
  return 0;
}
