#include "common/recorder/clock.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#define ROUNDS     3         /* the quickest one counts: nothing came between */
#define RATE_SPAN  50000000u /* ns; anchors that are nearer to each other say little of the rate */
#define RATE_SHIFT 32

bool clock_is_tsc;

static struct {
  bool counter;  /* ticks are the counter's */
  int64_t shift; /* ticks by which the counter jumps when CLOCK_MONOTONIC is `at`; for tests */
  uint64_t at;
} state;

void clock_use(bool counter)
{
  clock_is_tsc = state.counter = counter;
}

void clock_shift(void)
{
  const char *text = secure_getenv("HEDDLE_CLOCK_SHIFT");
  char *end;
  if (!text || !clock_is_tsc)
    return;
  int64_t ticks = strtoll(text, &end, 10);
  if (*end != '@')
    return;
  state.shift = ticks;
  state.at = strtoull(end + 1, NULL, 10);
  clock_is_tsc = false;
}

bool clock_is_monotonic(void)
{
  return !state.counter;
}

uint64_t clock_read(void)
{
  if (!state.counter)
    return clock_monotonic_ns();
  uint64_t ticks = clock_tsc();
  return clock_monotonic_ns() < state.at ? ticks : ticks + (uint64_t)state.shift;
}

/* The processor's promise that the counter ticks at one rate in all power states; a guest has its host's. */
static bool counter_is_invariant(void)
{
#if defined(__x86_64__)
  unsigned eax, ebx, ecx, edx;
  return __get_cpuid(0x80000007, &eax, &ebx, &ecx, &edx) && (edx & 1u << 8);
#elif defined(__aarch64__)
  return true;
#else
  return false;
#endif
}

static bool counter_is_allowed(void)
{
#if defined(__x86_64__) && defined(PR_GET_TSC)
  int allowed = PR_TSC_ENABLE;
  return prctl(PR_GET_TSC, &allowed) != 0 || allowed == PR_TSC_ENABLE;
#else
  return true;
#endif
}

uint64_t clock_price(enum clock_reading reading, int count)
{
  uint64_t quickest = UINT64_MAX;
  for (int round = 0; round < ROUNDS; round++) {
    struct timespec now;
    uint64_t begin = clock_monotonic_ns();
    for (int i = 0; i < count; i++)
      if (reading == CLOCK_BY_COUNTER)
        clock_tsc();
      else if (reading == CLOCK_BY_CLOCK)
        clock_gettime(CLOCK_MONOTONIC, &now);
      else
        syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
    uint64_t lasted = clock_monotonic_ns() - begin;
    quickest = lasted < quickest ? lasted : quickest;
  }
  return quickest;
}

const char *clock_counter_fault(void)
{
  if (!counter_is_invariant())
    return "the processor does not promise that its counter runs at one rate";
  if (!counter_is_allowed())
    return "the program may not read the counter (PR_SET_TSC)";
  if (clock_price(CLOCK_BY_COUNTER, CLOCK_READINGS) > clock_price(CLOCK_BY_CLOCK, CLOCK_READINGS))
    return "a reading of the counter takes longer than a call of clock_gettime";
  return NULL;
}

struct clock_anchor clock_anchor_take(int tries)
{
  struct clock_anchor best = {.width = UINT64_MAX};
  for (int i = 0; i < tries; i++) {
    uint64_t before = clock_ticks();
    uint64_t monotonic = clock_monotonic_ns();
    uint64_t after = clock_ticks();
    if (after - before < best.width) {
      best.width = after - before;
      best.ticks = before + best.width / 2;
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

/* ns of a tick << RATE_SHIFT; 0: not known yet. And the anchor from which on it is measured next. */
static atomic_uint_fast64_t rate, from_ticks, from_ns;

/* 0: a jump lies between. No floating point: the calls layer must not change vector registers. */
static uint64_t rate_between(uint64_t ticks, uint64_t ns)
{
  for (; ns >> (64 - RATE_SHIFT) != 0; ns >>= 1)
    ticks >>= 1;
  uint64_t ns_a_tick = ticks == 0 ? 0 : (ns << RATE_SHIFT) / ticks;
  return ns_a_tick >> (RATE_SHIFT - 10) > 0 && ns_a_tick >> (RATE_SHIFT + 10) == 0 ? ns_a_tick : 0;
}

void clock_learn_rate(const struct clock_anchor *anchor)
{
  uint64_t before = atomic_load_explicit(&from_ns, memory_order_relaxed), ns = anchor->monotonic_ns - before;
  if (before != 0 && ns < RATE_SPAN)
    return;
  uint64_t found = rate_between(anchor->ticks - atomic_load_explicit(&from_ticks, memory_order_relaxed), ns);
  if (before != 0 && found != 0)
    atomic_store_explicit(&rate, found, memory_order_relaxed);
  atomic_store_explicit(&from_ticks, anchor->ticks, memory_order_relaxed);
  atomic_store_explicit(&from_ns, anchor->monotonic_ns, memory_order_relaxed);
}

uint64_t clock_ticks_ns(uint64_t ticks)
{
  if (!state.counter)
    return ticks;
  uint64_t known = atomic_load_explicit(&rate, memory_order_relaxed);
  if (known == 0)
    known = rate_between(clock_ticks() - atomic_load_explicit(&from_ticks, memory_order_relaxed),
                         clock_monotonic_ns() - atomic_load_explicit(&from_ns, memory_order_relaxed));
  return (uint64_t)((unsigned __int128)ticks * known >> RATE_SHIFT);
}
