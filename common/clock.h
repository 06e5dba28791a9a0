/*
 * The clock of the recorder: raw TSC ticks where the TSC runs at one rate in all cores and states, else nanoseconds of
 * CLOCK_MONOTONIC. Any thread may call anything here; clock_choose comes first, once.
 */
#ifndef HEDDLE_COMMON_CLOCK_H
#define HEDDLE_COMMON_CLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

/* Two readings of the same moment. */
struct clock_anchor {
  uint64_t ticks;
  uint64_t monotonic_ns; /* CLOCK_MONOTONIC */
  uint64_t realtime_ns;  /* CLOCK_REALTIME */
};

/* Whether ticks are TSC ticks. Read-only but for clock_choose. */
extern bool clock_is_tsc __attribute__((visibility("hidden")));

static inline uint64_t clock_monotonic_ns(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* ns between two looks of the kernel at its timers of processor time; 0: unknown. */
static inline uint64_t clock_kernel_tick_ns(void)
{
  struct timespec tick = {0};
  clock_getres(CLOCK_MONOTONIC_COARSE, &tick);
  return (uint64_t)tick.tv_sec * 1000000000u + (uint64_t)tick.tv_nsec;
}

#if defined(__x86_64__)
/* The same as clock_ticks, where clock_is_tsc. */
static inline uint64_t clock_tsc(void)
{
  return __rdtsc();
}
#else
static inline uint64_t clock_tsc(void)
{
  return 0; /* clock_is_tsc is false */
}
#endif

/* The time in ticks. Never decreases within a thread. */
static inline uint64_t clock_ticks(void)
{
#if defined(__x86_64__)
  if (__builtin_expect(clock_is_tsc, 1))
    return __rdtsc();
#endif
  return clock_monotonic_ns();
}

/* Decides between the TSC and CLOCK_MONOTONIC, for good: the kernel's own clock source must be the TSC. */
void clock_choose(void);

/* Takes an anchor: the narrowest of `tries` readings (50 for calibration, 1 where time is short). */
struct clock_anchor clock_anchor_take(int tries);

#endif
