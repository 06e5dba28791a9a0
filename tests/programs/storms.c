/*
 * More constructs than anybody can look at: ./storms WHAT N [EACH] executes N tiny instances and says how many there
 * were. Times are not what it is about; the instances have next to no work. With EACH, locks, criticals and grains do
 * so much of the same work in one go, as a warning of their storm advises.
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static long each = 1;
static long sum; /* all that was done, so that the program itself reports what is missing */

static void done(void)
{
#pragma omp atomic
  sum++;
}

static void regions(long n)
{
  for (long i = 0; i < n; i++) {
#pragma omp parallel
    done();
  }
}

/* Regions come by the hundred, and then the program sleeps for 2 ms. */
static void pauses(long n)
{
  for (long i = 0; i < n; i++) {
#pragma omp parallel
    done();
    if (i % 100 == 99)
      nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
  }
}

/* Two kinds of regions in turn, and one in which there is more. */
static void mixed(long n)
{
  for (long i = 0; i < n; i++) {
#pragma omp parallel
    {
#pragma omp for schedule(dynamic, 1)
      for (int k = 0; k < 4; k++)
        done();
#pragma omp critical
      sum++;
#pragma omp barrier
#pragma omp single
      sum++;
    }
#pragma omp parallel
    done();
  }
}

static void loops(long n)
{
#pragma omp parallel
  for (long i = 0; i < n; i++) {
#pragma omp for schedule(dynamic, 2)
    for (int k = 0; k < 4; k++)
      done();
  }
}

static void nowaits(long n)
{
#pragma omp parallel
  for (long i = 0; i < n; i++) {
#pragma omp for schedule(dynamic, 2) nowait
    for (int k = 0; k < 4; k++)
      done();
  }
}

static void chunks(long n)
{
#pragma omp parallel for schedule(dynamic, 1)
  for (long i = 0; i < n; i++)
    done();
}

static void nested(long n)
{
#pragma omp parallel num_threads(2)
  for (long i = 0; i < n; i++) {
#pragma omp parallel num_threads(2)
    done();
  }
}

/* Nothing but work-sharing constructs: two of three have a barrier. */
static void works(long n)
{
#pragma omp parallel
  for (long i = 0; i < n; i++) {
#pragma omp for schedule(static)
    for (int k = 0; k < 4; k++)
      done();
#pragma omp single nowait
    done();
#pragma omp single
    done();
  }
}

/* Tasks in regions: they begin and end with them. */
static void tasks(long n)
{
  for (long i = 0; i < n; i++) {
#pragma omp parallel
#pragma omp single
    for (int k = 0; k < 4; k++) {
#pragma omp task
      done();
    }
  }
}

/* Tasks that constructs create which are not recorded: the tasks are. */
static void singles(long n)
{
#pragma omp parallel
  for (long i = 0; i < n; i++) {
#pragma omp single
    {
#pragma omp task
      {
#pragma omp critical
        sum++;
      }
    }
  }
}

static omp_lock_t lock;

static void locks(long n)
{
#pragma omp parallel
  {
#pragma omp for schedule(static)
    for (long i = 0; i < n / each; i++) {
      omp_set_lock(&lock);
      for (long k = 0; k < each; k++)
        done();
      omp_unset_lock(&lock);
    }
  }
}

static void criticals(long n)
{
#pragma omp parallel
  {
#pragma omp for schedule(static)
    for (long i = 0; i < n / each; i++) {
#pragma omp critical
      for (long k = 0; k < each; k++)
        done();
    }
  }
}

/* Tasks that one thread makes, and others too execute. */
static void grains(long n)
{
#pragma omp parallel
#pragma omp single
  for (long i = 0; i < n / each; i++) {
#pragma omp task
    for (long k = 0; k < each; k++)
      done();
  }
}

int main(int argc, char **argv)
{
  static const struct {
    const char *name;
    void (*storm)(long);
  } storms[] = {{"regions", regions}, {"pauses", pauses},   {"mixed", mixed},   {"loops", loops},
                {"nowaits", nowaits}, {"works", works},     {"chunks", chunks}, {"nested", nested},
                {"tasks", tasks},     {"singles", singles}, {"locks", locks},   {"criticals", criticals},
                {"grains", grains}};
  long n = argc > 2 ? atol(argv[2]) : 0;
  each = argc > 3 ? atol(argv[3]) : 1;
  n = each > 0 ? n : 0;
  omp_set_max_active_levels(2);
  omp_init_lock(&lock);
  for (size_t i = 0; i < sizeof storms / sizeof *storms && n > 0; i++)
    if (strcmp(storms[i].name, argv[1]) == 0) {
      storms[i].storm(n);
      printf("truth: done=%ld\n", sum);
      return 0;
    }
  fprintf(stderr,
          "usage: storms regions|pauses|mixed|loops|nowaits|works|chunks|nested|tasks|singles|locks|criticals|grains N "
          "[EACH]\n");
  return 2;
}
