/*
 * Counts for itself what `heddle_test_counter` says of each thread, and touches a known number of pages: ./counted WAY,
 * on two threads. The first loop only makes all code and stacks known to the kernel. In the second one thread 1 is busy
 * for 10 times 3 ms, and thread 0 for 10 times 1 ms:
 *     work      thread 1 counts three times as much
 *     memory    both count the same
 *     between   thread 1 counts twice as much: neither explains it
 * Then each thread counts and touches pages in critical sections, and in a single.
 */
#include "tests/programs/program.h"
#include <omp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#define MILLION 1000000ull
#define PAGE    4096u
#define PAGES   16u
#define ROUNDS  10

uint64_t heddle_test_counter(uint64_t number);

/* The numbers of counters: instructions, cycles. */
static _Thread_local volatile uint64_t counted[2];

uint64_t heddle_test_counter(uint64_t number)
{
  return number < 2 ? counted[number] : 0;
}

static uint64_t processor_ns(void)
{
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Pages that nobody has touched. */
static char *fresh(unsigned pages)
{
  char *map = mmap(NULL, (size_t)pages * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (map == MAP_FAILED)
    exit(2);
  madvise(map, (size_t)pages * PAGE, MADV_NOHUGEPAGE);
  return map;
}

/* Is busy for so long, and counts at its end. */
static void work(unsigned ms, uint64_t instructions, char *pages)
{
  uint64_t end = processor_ns() + ms * MILLION;
  for (unsigned i = 0; i < PAGES; i++)
    ((volatile char *)pages)[i * PAGE] = 1;
  while (processor_ns() < end)
    ;
  counted[0] += instructions;
  counted[1] += ms * MILLION;
}

static void loop(unsigned slow, uint64_t more, char *pages)
{
#pragma omp for schedule(static)
  for (int i = 0; i < 2; i++)
    for (int round = 0; round < (slow > 0 ? ROUNDS : 1); round++)
      work(i == 1 ? 1 + slow : 1, i == 1 ? more : MILLION, pages + (size_t)(i * ROUNDS + round) * PAGES * PAGE);
}

int main(int argc, char **argv)
{
  const char *way = argc > 1 ? argv[1] : "work";
  uint64_t more = strcmp(way, "work") == 0 ? 3 * MILLION : strcmp(way, "memory") == 0 ? MILLION : 2 * MILLION;
  char *first = fresh(2 * ROUNDS * PAGES), *second = fresh(2 * ROUNDS * PAGES), *third = fresh(2 * PAGES),
       *fourth = fresh(2 * PAGES);
#pragma omp parallel num_threads(2)
  {
    loop(0, MILLION, first);
#pragma omp critical(first)
    work(1, 7 * MILLION, first);
  }
#pragma omp parallel num_threads(2)
  {
    loop(2, more, second);
#pragma omp critical(counts)
    work(1, 7 * MILLION, third + omp_get_thread_num() * (int)(PAGES * PAGE));
#pragma omp single
    work(2, 5 * MILLION, fourth);
  }
  truth("loop_0", ROUNDS * (long)MILLION);
  truth("loop_1", ROUNDS * (long)more);
  truth("criticals", 2 * 7 * (long)MILLION);
  truth("singles", 5 * (long)MILLION);
  truth("loop_pages", 2 * ROUNDS * (long)PAGES);
  truth("critical_pages", 2 * (long)PAGES);
  truth("single_pages", PAGES);
  return finish(true);
}
