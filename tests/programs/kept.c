/* A storm of N at each of some places. tests/end-to-end/keep.py finds their lines by the comments. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

static omp_lock_t lock;
static long done;

static __attribute__((noinline)) void first_lock(void)
{
  omp_set_lock(&lock); /* first lock */
  done++;
  omp_unset_lock(&lock);
}

static __attribute__((noinline)) void second_lock(void)
{
  omp_set_lock(&lock); /* second lock */
  done += 2;           /* gcc makes one function of two that are the same */
  omp_unset_lock(&lock);
}

static __attribute__((noinline)) void critical(void)
{
#pragma omp critical /* critical */
  done++;
}

static __attribute__((noinline)) void named(void)
{
#pragma omp critical(counter) /* named */
  done++;
}

static __attribute__((noinline)) void named_again(void)
{
#pragma omp critical(counter) /* named again */
  done += 2;
}

static __attribute__((noinline)) void other_name(void)
{
#pragma omp critical(count) /* other name */
  done++;
}

static __attribute__((noinline)) void task(void)
{
#pragma omp task shared(done) /* task */
#pragma omp atomic
  done++;
#pragma omp taskwait
}

static __attribute__((noinline)) void region(void)
{
#pragma omp parallel num_threads(2) /* region */
#pragma omp atomic
  done++;
  __asm__ volatile(""); /* no tail call: else its place would be the place of this function's call */
}

int main(int argc, char **argv)
{
  long n = argc > 1 ? atol(argv[1]) : 0;
  omp_init_lock(&lock);
#pragma omp parallel num_threads(2)
#pragma omp master
  for (long i = 0; i < n; i++) {
    first_lock();
    second_lock();
    critical();
    named();
    named_again();
    other_name();
    task();
  }
  for (long i = 0; i < n; i++)
    region();
  printf("truth: done=%ld\n", done);
  return 0;
}
