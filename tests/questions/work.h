/* Work of a known length in processor time. It takes longer where a thread has no processor. */
#pragma once
#include <stdio.h>
#include <time.h>

static inline void work_ms(double ms)
{
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  double end = now.tv_sec * 1e3 + now.tv_nsec * 1e-6 + ms;
  do {
    for (int i = 0; i < 2000; i++)
      __asm__ volatile("");
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  } while (now.tv_sec * 1e3 + now.tv_nsec * 1e-6 < end);
}

static inline void sleep_ms(double ms)
{
  struct timespec time = {(time_t)(ms / 1e3), (long)(ms * 1e6) % 1000000000};
  nanosleep(&time, NULL);
}
