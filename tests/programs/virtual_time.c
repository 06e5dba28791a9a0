/*
 * A program with a clock of its own, which goes on only where the program says so: ./virtual_time KIND N. It executes N
 * parallel regions with a loop, and as often acquires a lock, and prints how long each took in all. What is estimated
 * from a recording can be compared with that.
 */
#include <errno.h>
#include <fcntl.h>
#include <omp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static uint64_t now = 1000000000000; /* ns */

/* In place of libc's, also for the recorder, which is loaded into this program. */
int clock_gettime(clockid_t clock, struct timespec *time)
{
  if (clock != CLOCK_MONOTONIC)
    return (int)syscall(SYS_clock_gettime, clock, time);
  *time = (struct timespec){(time_t)(now / 1000000000), (long)(now % 1000000000)};
  return 0;
}

/* The recorder must not know that the processor has a clock. */
int open(const char *path, int flags, ...)
{
  va_list list;
  va_start(list, flags);
  int mode = va_arg(list, int);
  va_end(list);
  if (strstr(path, "current_clocksource")) {
    errno = ENOENT;
    return -1;
  }
  return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

static uint64_t draw(void)
{
  static uint64_t state = 1;
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return state;
}

/* From 1 to 100 us. The first ones are slow, as in real programs. */
static uint64_t duration(const char *kind, long i, long n)
{
  if (i == 0)
    return 5000000;
  if (strcmp(kind, "periodic") == 0) /* with the blocks of HEDDLE_BUDGET=1/8 */
    return 1000 + 10000 * (uint64_t)(i % 8);
  if (strcmp(kind, "changing") == 0)
    return i < n * 2 / 3 ? 2000 + draw() % 500 : 50000 + draw() % 10000;
  return 1000 + draw() % 20000 * (draw() % 5);
}

int main(int argc, char **argv)
{
  if (argc != 3)
    return 2;
  long n = atol(argv[2]);
  uint64_t total = 0, held = 0;
  omp_lock_t lock;
  omp_init_lock(&lock);
  for (long i = 0; i < n; i++) {
    uint64_t lasts = duration(argv[1], i, n), holds = duration(argv[1], i, n);
    total += lasts;
    held += holds;
#pragma omp parallel num_threads(1)
    {
#pragma omp for schedule(static)
      for (int k = 0; k < 1; k++)
        now += lasts;
    }
    now += 1000;
    omp_set_lock(&lock);
    now += holds;
    omp_unset_lock(&lock);
  }
  omp_destroy_lock(&lock);
  printf("%ld %ju %ju\n", n, (uintmax_t)total, (uintmax_t)held);
  return 0;
}
