/*
 * The clock of the recorder. Ticks are the processor's counter (x86-64: the TSC; AArch64: CNTVCT_EL0), whatever clock
 * source the kernel has. It must run at one rate and be the same on all processors; else ticks are nanoseconds of
 * CLOCK_MONOTONIC. Any thread may call anything here; clock_use comes first, once.
 */
#ifndef HEDDLE_COMMON_RECORDER_CLOCK_H
#define HEDDLE_COMMON_RECORDER_CLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

/* HEDDLE_CLOCK beside tsc and monotonic, as `heddle record` sets it: it compared the counters of the processors, on the
 * machine with the boot id that follows. */
#define CLOCK_AGREE  "agree:"
#define CLOCK_DIFFER "differ:"

/* Readings of one moment. */
struct clock_anchor {
  uint64_t ticks;
  uint64_t monotonic_ns; /* CLOCK_MONOTONIC */
  uint64_t realtime_ns;  /* CLOCK_REALTIME */
  uint64_t width;        /* ticks that passed between the readings: the moment is known so exactly */
};

/* True if clock_tsc() has the ticks. Read-only but for clock_use. */
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

/* The processor's counter; 0: it has none. */
static inline __attribute__((always_inline)) uint64_t clock_tsc(void)
{
#if defined(__x86_64__)
  return __rdtsc();
#elif defined(__aarch64__)
  uint64_t ticks;
  __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
  return ticks;
#else
  return 0;
#endif
}

/* The time in ticks where they are not read by clock_tsc(). */
uint64_t clock_read(void);

/* The time in ticks. Never decreases within a thread, unless the machine is suspended or moved. */
static inline uint64_t clock_ticks(void)
{
#if defined(__x86_64__) || defined(__aarch64__)
  if (__builtin_expect(clock_is_tsc, 1))
    return clock_tsc();
#endif
  return clock_read();
}

/* True if ticks are nanoseconds of CLOCK_MONOTONIC. */
bool clock_is_monotonic(void);

/* What ticks are, before any is read: the counter's, or nanoseconds of CLOCK_MONOTONIC. clock_choice.h decides. */
void clock_use(bool counter);
/* For tests: HEDDLE_CLOCK_SHIFT=TICKS@NS lets the counter jump by so many ticks when CLOCK_MONOTONIC is NS. */
void clock_shift(void);

/* Why the counter cannot be the clock of this process, as a part of a sentence; NULL: it can. Reads it only if the
 * process may. Takes some 10 us. */
const char *clock_counter_fault(void);

/* Returns the ns that so many readings take: from the counter, by clock_gettime, or by a system call of the same
 * name. */
enum clock_reading { CLOCK_BY_COUNTER, CLOCK_BY_CLOCK, CLOCK_BY_CALL };
uint64_t clock_price(enum clock_reading reading, int count);
#define CLOCK_READINGS 100 /* as many as one can measure */

/* Takes an anchor: the narrowest of `tries` readings (50 for calibration, 1 where time is short). */
struct clock_anchor clock_anchor_take(int tries);

/* How long so many ticks are, in ns: by the rate between the anchors that were learned, as yet between one and now. */
uint64_t clock_ticks_ns(uint64_t ticks);
/* An anchor from which on, and up to which, the rate is measured. */
void clock_learn_rate(const struct clock_anchor *anchor);

#endif
