/*
 * ./unseen_counts KIND N: N parallel regions of two threads. In each one both acquire a lock and enter a critical
 * section, meet a single construct, and one creates tasks, as often as KIND (alike, random, periodic, changing) says of
 * that region. Prints how often in all.
 */
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t draw(void)
{
  static uint64_t state = 1;
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return state;
}

static long number(const char *kind, long i, long n)
{
  if (strcmp(kind, "alike") == 0)
    return 2;
  if (strcmp(kind, "periodic") == 0) /* with the blocks of HEDDLE_AWAY=8 */
    return 1 + 4 * (i % 8);
  if (strcmp(kind, "changing") == 0)
    return i < n * 2 / 3 ? 2 + (long)(draw() % 3) : 20 + (long)(draw() % 10);
  return (long)(draw() % 8 * (draw() % 4));
}

int main(int argc, char **argv)
{
  if (argc != 3)
    return 2;
  long n = atol(argv[2]), locks = 0, criticals = 0, tasks = 0, singles[2] = {0};
  omp_lock_t lock;
  omp_init_lock(&lock);
  for (long i = 0; i < n; i++) {
    long times = number(argv[1], i, n);
#pragma omp parallel num_threads(2)
    {
      for (long k = 0; k < times; k++) {
        omp_set_lock(&lock);
        locks++;
        omp_unset_lock(&lock);
      }
      if (omp_get_thread_num() == 1)
        for (long k = 0; k < times; k++) {
#pragma omp critical
          criticals++;
        }
      else
        for (long k = 0; k < times / 2; k++) {
#pragma omp task
#pragma omp atomic
          tasks++;
        }
    }
#pragma omp parallel num_threads(2)
    for (long k = 0; k < times; k++) {
      singles[omp_get_thread_num()]++;
#pragma omp single nowait
      omp_get_level();
    }
  }
  printf("%ld %ld %ld %ld\n", locks, criticals, tasks, singles[0] + singles[1]);
  return 0;
}
