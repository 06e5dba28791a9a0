#include "common/clock.h"

#include "common/file.h"

#include <string.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

bool clock_is_tsc;

/* CPUID's promise that the TSC ticks at one rate in all power states. */
static bool tsc_is_invariant(void)
{
#if defined(__x86_64__)
  unsigned eax, ebx, ecx, edx;
  return __get_cpuid(0x80000007, &eax, &ebx, &ecx, &edx) && (edx & 1u << 8);
#else
  return false;
#endif
}

void clock_choose(void)
{
  static bool chosen; /* for good: threads may read the clock when another recording begins */
  char source[32];
  if (chosen)
    return;
  chosen = true;
  /* The kernel watches the TSC and leaves it when cores disagree: its choice is the better judge. */
  clock_is_tsc =
      tsc_is_invariant() &&
      file_read("/sys/devices/system/clocksource/clocksource0/current_clocksource", source, sizeof source) > 0 &&
      strncmp(source, "tsc", 3) == 0;
}

struct clock_anchor clock_anchor_take(int tries)
{
  struct clock_anchor best = {0};
  uint64_t narrowest = UINT64_MAX;
  for (int i = 0; i < tries; i++) {
    uint64_t before = clock_ticks();
    uint64_t monotonic = clock_monotonic_ns();
    uint64_t after = clock_ticks();
    if (after - before < narrowest) {
      narrowest = after - before;
      best.ticks = before + (after - before) / 2;
      best.monotonic_ns = monotonic;
    }
  }
  struct timespec real;
  clock_gettime(CLOCK_REALTIME, &real);
  /* Realtime only dates the run; microseconds of delay since the best reading are taken out. */
  best.realtime_ns =
      (uint64_t)real.tv_sec * 1000000000u + (uint64_t)real.tv_nsec - (clock_monotonic_ns() - best.monotonic_ns);
  return best;
}
