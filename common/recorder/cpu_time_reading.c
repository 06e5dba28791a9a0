#include "common/recorder/cpu_time_reading.h"

#include "common/budget/mix.h"
#include "common/raw/raw_trace.h"
#include "common/recorder/clock.h"
#include "common/recorder/recording.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#define LEAST_NS  50000    /* less is reported with the next one */
#define OLD_NS    2000000u /* on the processor: the thread existed long before it was recorded */
#define COST_EACH 100u     /* a reading takes at most one of so many ticks */
#define COST_MOST 25u      /* of a ms; what seems to take more was interrupted */

/* Until it is measured, the fewest that any clock has. */
static _Atomic uint64_t ticks_per_ms = 1000000u;

static uint64_t processor_ns(void)
{
  struct timespec now;
  if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now) != 0)
    return 0;
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* How often the thread gave its processor up to wait for something. Out of line: who calls this reads a file after it,
 * on the same stack. */
static __attribute__((noinline)) uint64_t times_blocked(void)
{
  struct rusage usage;
  return getrusage(RUSAGE_THREAD, &usage) == 0 ? (uint64_t)usage.ru_nvcsw : 0;
}

/* ns that the thread could have run, but had no processor, since it was created; 0: unknown. The file is open for a
 * moment only: a descriptor a thread would be in the program's way. */
static uint64_t delay_ns(void)
{
  char text[96] = "";
  long file = syscall(SYS_openat, AT_FDCWD, "/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return 0;
  long size = syscall(SYS_read, file, text, sizeof text - 1);
  syscall(SYS_close, file);
  const char *second = size > 0 ? strchr(text, ' ') : NULL;
  return second ? strtoull(second + 1, NULL, 10) : 0;
}

static void set_due(struct recorder *self, uint64_t begin)
{
  uint64_t took = clock_ticks() - begin, least = atomic_load_explicit(&ticks_per_ms, memory_order_relaxed);
  if (took > least / COST_MOST)
    took = least / COST_MOST;
  self->stalled += took;
  self->reading.due = begin + (took * COST_EACH > least ? took * COST_EACH : least);
}

static uint64_t earlier(uint64_t a, uint64_t b)
{
  return a < b ? a : b;
}

void cpu_reading_set_next(struct recorder *self)
{
  self->due = earlier(earlier(self->reading.due, self->counters_due), self->profile_update);
  self->due_waiting = earlier(self->due, self->profile_update_due);
}

uint64_t cpu_reading_ticks_of_ms(unsigned ms)
{
  return ms * atomic_load_explicit(&ticks_per_ms, memory_order_relaxed);
}

static void begin_time(struct recorder *self, uint64_t now)
{
  int kept = errno;
  self->reading.ticks = now;
  self->reading.monotonic_ns = clock_monotonic_ns();
  self->reading.processor_ns = processor_ns();
  self->reading.blocked = times_blocked();
  self->reading.delay_ns = self->reading.processor_ns > OLD_NS ? delay_ns() : 0;
  self->reading.carried = 0;
  set_due(self, now);
  errno = kept;
}

void cpu_reading_begin(struct recorder *self, uint64_t now)
{
  self->reading.due = UINT64_MAX;
  if (recording_config()->reads)
    begin_time(self, now);
  counters_begin_thread(self, now);
  cpu_reading_set_next(self);
}

/* The part of `off`, ns without a processor, in which the thread could have run. */
static uint64_t ready_of(struct recorder *self, uint64_t off)
{
  uint64_t blocked = times_blocked();
  bool has_blocked = blocked != self->reading.blocked;
  self->reading.blocked = blocked;
  if (!has_blocked)
    return off;
  uint64_t total = delay_ns(), since = total > self->reading.delay_ns ? total - self->reading.delay_ns : 0;
  if (total > 0)
    self->reading.delay_ns = total;
  return since < off ? since : off;
}

static void put(struct recorder *self, uint64_t now, uint64_t off)
{
  uint64_t since = now - self->reading.ticks, ready = ready_of(self, off);
  uint64_t *at = self->cursor;
  at[1] = now;
  at[2] = off;
  at[3] = ready;
  at[READING_OF_TIME_WORDS] = 0;
  __atomic_store_n(at, raw_head(RAW_READING, 0, since < RAW_VALUE_MASK ? since : RAW_VALUE_MASK), __ATOMIC_RELEASE);
  self->cursor = at + READING_OF_TIME_WORDS;
}

/* The clock's rate, from stretches that are long enough for it. */
static void measure_ticks(uint64_t ticks, uint64_t ns)
{
  if (ns > 500000u && ticks < UINT64_MAX / 1000000u)
    atomic_store_explicit(&ticks_per_ms, ticks * 1000000u / ns, memory_order_relaxed);
}

static void put_time(struct recorder *self, uint64_t now)
{
  if (!recording_config()->reads) {
    self->reading.due = UINT64_MAX;
    return;
  }
  int kept = errno;
  uint64_t begin = clock_ticks(), monotonic = clock_monotonic_ns(), processor = processor_ns();
  uint64_t passed = monotonic - self->reading.monotonic_ns;
  self->reading.carried += (int64_t)(passed - (processor - self->reading.processor_ns));
  measure_ticks(begin - self->reading.ticks, passed);
  if (self->reading.carried >= LEAST_NS) {
    put(self, now, (uint64_t)self->reading.carried);
    self->reading.carried = 0;
  }
  self->reading.ticks = now;
  self->reading.monotonic_ns = monotonic;
  self->reading.processor_ns = processor;
  set_due(self, begin);
  errno = kept;
}

void cpu_reading_put(struct recorder *self, uint64_t now)
{
  if (now >= self->reading.due)
    put_time(self, now);
  if (now >= self->counters_due)
    counters_put(self, now);
  cpu_reading_set_next(self);
}

void cpu_reading_put_last(struct recorder *self, uint64_t now)
{
  if (self->reading.due != UINT64_MAX)
    put_time(self, now);
  if (self->counters_due != UINT64_MAX)
    counters_put(self, now);
}

/* The machine's. Asking costs some microseconds, so it is done once. */
static long online(void)
{
  static atomic_long known;
  long count = atomic_load_explicit(&known, memory_order_relaxed);
  if (count == 0) {
    count = sysconf(_SC_NPROCESSORS_ONLN);
    atomic_store_explicit(&known, count, memory_order_relaxed);
  }
  return count;
}

unsigned cpu_affinity_record(struct recorder *self, uint64_t now, uint64_t *head,
                             uint64_t words[CPU_AFFINITY_WORDS - 1])
{
  cpu_set_t set;
  uint64_t sum = 0;
  unsigned sets = 0;
  /* On a machine with more processors than the set has this fails, and nothing is known. */
  if (sched_getaffinity(0, sizeof set, &set) != 0)
    return 0;
  bool bound = CPU_COUNT(&set) < online();
  words[0] = now;
  for (unsigned i = 0; i < sizeof set / sizeof(uint64_t) && bound; i++) {
    uint64_t mask;
    memcpy(&mask, (const char *)&set + i * sizeof mask, sizeof mask);
    if (mask == 0)
      continue;
    bound = sets < CPU_AFFINITY_SETS;
    if (!bound)
      break;
    words[1 + 2 * sets] = 64u * i;
    words[2 + 2 * sets] = mask;
    sum = mix(sum ^ mask) + i;
    sets++;
  }
  sum = bound ? sum : 0;
  if (sum == self->bound)
    return 0;
  self->bound = sum;
  *head = raw_head(RAW_THREAD_BOUND, bound ? sets : 0, 0);
  return bound ? 2 + 2 * sets : 2;
}
