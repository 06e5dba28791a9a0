#include "analyzer/record/launch/processor_counters.h"

#include "common/recorder/clock.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define OTHERS_MOST 8        /* processors that are compared with one; if there are more, some from all parts */
#define ROUNDS      64       /* with each */
#define MOST_NS     2000000  /* for each, ... */
#define ALL_NS      10000000 /* ... and for all: processors that others use are not compared */

struct comparison {
  _Alignas(64) atomic_uint asked; /* number of the round that the caller began */
  _Alignas(64) atomic_uint answered;
  uint64_t reading;      /* of the answer */
  _Atomic int processor; /* where the other thread goes next; -1: it ends */
  _Atomic int there;     /* where it is; -1: it could not */
};

/* A reading that is not before what precedes it, and not after what follows. */
static uint64_t read_in_order(void)
{
  atomic_thread_fence(memory_order_seq_cst);
#if defined(__x86_64__)
  _mm_lfence();
  uint64_t ticks = clock_tsc();
  _mm_lfence();
#elif defined(__aarch64__)
  __asm__ volatile("isb" ::: "memory");
  uint64_t ticks = clock_tsc();
  __asm__ volatile("isb" ::: "memory");
#else
  uint64_t ticks = clock_tsc();
#endif
  return ticks;
}

static bool move_to(int processor)
{
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(processor, &set);
  return pthread_setaffinity_np(pthread_self(), sizeof set, &set) == 0;
}

static void *answer(void *context)
{
  struct comparison *with = context;
  unsigned answered = 0;
  int here = -2;
  while (here != -1) {
    int wanted = atomic_load(&with->processor);
    if (wanted != here) {
      here = wanted;
      atomic_store(&with->there, here >= 0 && move_to(here) ? here : -1);
    }
    if (atomic_load_explicit(&with->asked, memory_order_acquire) == answered)
      continue;
    with->reading = read_in_order();
    atomic_store_explicit(&with->answered, ++answered, memory_order_release);
  }
  return NULL;
}

/* Waits for a number, until a time. */
static bool await(const atomic_uint *number, unsigned wanted, uint64_t until)
{
  for (unsigned i = 1; atomic_load_explicit(number, memory_order_acquire) != wanted; i++)
    if (i % 256 == 0 && clock_monotonic_ns() > until)
      return false;
  return true;
}

static enum processor_counters compare_with(struct comparison *with, int processor, unsigned *asked, uint64_t until)
{
  atomic_store(&with->processor, processor);
  while (atomic_load(&with->there) != processor)
    if (atomic_load(&with->there) == -1 || clock_monotonic_ns() > until)
      return COUNTERS_UNKNOWN;
  for (int i = 0; i < ROUNDS; i++) {
    uint64_t before = read_in_order();
    atomic_store_explicit(&with->asked, ++*asked, memory_order_release);
    if (!await(&with->answered, *asked, until))
      return COUNTERS_UNKNOWN;
    uint64_t after = read_in_order();
    if (with->reading < before || with->reading > after)
      return COUNTERS_DIFFER;
  }
  return COUNTERS_AGREE;
}

/* All but the first of the processors, or some of them. Returns their number. */
static int choose(const cpu_set_t *set, int *first, int others[OTHERS_MOST])
{
  int count = CPU_COUNT(set) - 1, seen = -1, chosen = 0;
  for (int i = 0; i < CPU_SETSIZE; i++) {
    if (!CPU_ISSET(i, set))
      continue;
    if (seen++ < 0)
      *first = i;
    else if (count <= OTHERS_MOST || (seen - 1) * OTHERS_MOST / count >= chosen)
      others[chosen++] = i;
    if (chosen == OTHERS_MOST)
      break;
  }
  return chosen;
}

/* The other thread is begun first: it would be bound as its maker is. */
static enum processor_counters compare_all(int first, const int *others, int count)
{
  struct comparison with = {.processor = others[0], .there = -2};
  uint64_t end = clock_monotonic_ns() + ALL_NS;
  enum processor_counters found = COUNTERS_UNKNOWN;
  unsigned asked = 0;
  pthread_t thread;
  if (pthread_create(&thread, NULL, answer, &with) != 0)
    return COUNTERS_UNKNOWN;
  count = move_to(first) ? count : 0;
  for (int i = 0; i < count && found != COUNTERS_DIFFER; i++) {
    uint64_t until = clock_monotonic_ns() + MOST_NS;
    enum processor_counters one = compare_with(&with, others[i], &asked, until < end ? until : end);
    found = one != COUNTERS_UNKNOWN ? one : found;
    if (one == COUNTERS_UNKNOWN && !await(&with.answered, asked, end))
      break;
  }
  atomic_store(&with.processor, -1);
  pthread_join(thread, NULL);
  return found;
}

enum processor_counters processor_counters_compare(void)
{
  cpu_set_t set;
  int first = 0, others[OTHERS_MOST];
  if (clock_counter_fault() != NULL || sched_getaffinity(0, sizeof set, &set) != 0)
    return COUNTERS_UNKNOWN;
  int count = choose(&set, &first, others);
  if (count == 0)
    return COUNTERS_AGREE;
  enum processor_counters found = compare_all(first, others, count);
  pthread_setaffinity_np(pthread_self(), sizeof set, &set);
  return found;
}
