/*
 * More constructs than anybody can look at: ./storms WHAT N executes N tiny instances and says how many there were.
 * Times are not what it is about; the instances have next to no work.
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static long sum; /* of all that was done, so that the program itself tells when something is missing */

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

/* Tasks in regions: they come and go with them. */
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

int main(int argc, char **argv)
{
  static const struct {
    const char *name;
    void (*storm)(long);
  } storms[] = {{"regions", regions}, {"mixed", mixed},   {"loops", loops}, {"nowaits", nowaits},
                {"chunks", chunks},   {"nested", nested}, {"tasks", tasks}, {"singles", singles}};
  long n = argc > 2 ? atol(argv[2]) : 0;
  omp_set_max_active_levels(2);
  for (size_t i = 0; i < sizeof storms / sizeof *storms && n > 0; i++)
    if (strcmp(storms[i].name, argv[1]) == 0) {
      storms[i].storm(n);
      printf("truth: done=%ld\n", sum);
      return 0;
    }
  fprintf(stderr, "usage: storms regions|mixed|loops|nowaits|chunks|nested|tasks|singles N\n");
  return 2;
}
