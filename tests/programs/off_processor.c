/*
 * Reasons why threads do not run. Each thread of a parallel region sleeps, reads a pipe, waits for a slow
 * page, spins, shares its processor, yields, is stopped or works. It measures how much of the region's time it had a
 * processor (its own clock) and how much it was in what blocks.
 * usage: off_processor sleep|pipe|page|spin|preempt|yield|stop|work|crowd       (crowd: 8 threads work, else 2)
 * Exit status 77: the kernel has no slow pages.
 * truth: <thread>_wall=, <thread>_cpu=, <thread>_blocked=: ns
 */
#include "tests/programs/program.h"
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <omp.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { THREADS = 2, THREADS_MOST = 8, REPEATS = 5, WORK_NS = 20000000, SLEEP_NS = 30000000 };

static struct {
  long wall, cpu, blocked;
} measured[THREADS_MOST];

static int pipe_ends[2];
static atomic_int arrived, rounds;

static struct {
  int faults; /* a userfaultfd */
  char *pages;
  size_t size; /* of one */
} slow;

static long now(clockid_t clock)
{
  struct timespec time;
  clock_gettime(clock, &time);
  return time.tv_sec * 1000000000l + time.tv_nsec;
}

/* Works until the thread has had a processor for so long. */
static void work(long ns)
{
  volatile double sum = 0;
  long end = now(CLOCK_THREAD_CPUTIME_ID) + ns;
  while (now(CLOCK_THREAD_CPUTIME_ID) < end)
    for (int i = 0; i < 1000; i++)
      sum += i;
}

static void pin_to_one(void)
{
  cpu_set_t all, one;
  int number = 0;
  sched_getaffinity(0, sizeof all, &all);
  while (!CPU_ISSET(number, &all))
    number++;
  CPU_ZERO(&one);
  CPU_SET(number, &one);
  sched_setaffinity(0, sizeof one, &one);
}

static void sleep_once(void)
{
  nanosleep(&(struct timespec){.tv_nsec = SLEEP_NS}, NULL);
}

/* Gives pages their content, each some time after a thread needs it. */
static void *give_pages(void *unused)
{
  struct uffd_msg message;
  while (read(slow.faults, &message, sizeof message) == sizeof message) {
    struct uffdio_zeropage zero = {.range = {message.arg.pagefault.address & ~(uint64_t)(slow.size - 1), slow.size}};
    sleep_once();
    if (ioctl(slow.faults, UFFDIO_ZEROPAGE, &zero) != 0)
      abort();
  }
  return unused;
}

/* False: the kernel does not allow that. */
static bool make_slow_pages(void)
{
  struct uffdio_api api = {.api = UFFD_API};
  pthread_t thread;
  slow.size = (size_t)sysconf(_SC_PAGESIZE);
  slow.faults = (int)syscall(SYS_userfaultfd, O_CLOEXEC | UFFD_USER_MODE_ONLY);
  slow.pages = mmap(NULL, REPEATS * slow.size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  struct uffdio_register some = {.range = {(uint64_t)(uintptr_t)slow.pages, REPEATS * slow.size},
                                 .mode = UFFDIO_REGISTER_MODE_MISSING};
  return slow.faults >= 0 && slow.pages != MAP_FAILED && ioctl(slow.faults, UFFDIO_API, &api) == 0 &&
         ioctl(slow.faults, UFFDIO_REGISTER, &some) == 0 && pthread_create(&thread, NULL, give_pages, NULL) == 0;
}

static void block(const char *how, int me, int round)
{
  char byte = 0;
  long begin = now(CLOCK_MONOTONIC);
  if (strcmp(how, "sleep") == 0 && me == 1)
    sleep_once();
  else if (strcmp(how, "pipe") == 0 && me == 1 && read(pipe_ends[0], &byte, 1) == 1)
    ;
  else if (strcmp(how, "page") == 0 && me == 1 && *(volatile char *)(slow.pages + (size_t)round * slow.size) == 0)
    ;
  else
    return;
  measured[me].blocked += now(CLOCK_MONOTONIC) - begin;
}

static void act(const char *how, int me, int round)
{
  if (strcmp(how, "spin") == 0 && me == 1) {
    while (atomic_load(&rounds) <= round)
      ;
    return;
  }
  if (strcmp(how, "yield") == 0 && me == 1) {
    for (long end = now(CLOCK_MONOTONIC) + WORK_NS; now(CLOCK_MONOTONIC) < end;)
      sched_yield();
    return;
  }
  block(how, me, round);
  work(WORK_NS);
  if (me == 0)
    atomic_fetch_add(&rounds, 1);
  if (strcmp(how, "pipe") == 0 && me == 0 && write(pipe_ends[1], "", 1) != 1)
    abort();
}

/* A child stops this process for a while, REPEATS times. */
static pid_t stop_from_outside(void)
{
  pid_t parent = getpid(), child = fork();
  for (int i = 0; child == 0 && i < REPEATS; i++) {
    sleep_once();
    kill(parent, SIGSTOP);
    sleep_once();
    kill(parent, SIGCONT);
  }
  if (child == 0)
    _exit(0);
  return child;
}

int main(int count, char **arguments)
{
  const char *how = count > 1 ? arguments[1] : "sleep";
  int threads = strcmp(how, "crowd") == 0 ? THREADS_MOST : THREADS;
  pid_t child = 0;
  if (pipe(pipe_ends) != 0)
    return 1;
  if (strcmp(how, "stop") == 0)
    child = stop_from_outside();
  if (strcmp(how, "preempt") == 0 || strcmp(how, "yield") == 0)
    pin_to_one();
  if (strcmp(how, "page") == 0 && !make_slow_pages())
    return 77;
#pragma omp parallel num_threads(threads)
  {
    int me = omp_get_thread_num();
    long begin = now(CLOCK_MONOTONIC), cpu = now(CLOCK_THREAD_CPUTIME_ID);
    meet(&arrived, threads);
    for (int i = 0; i < REPEATS; i++)
      act(how, me, i);
    while (child > 0 && waitpid(child, NULL, WNOHANG) == 0 && me == 0)
      work(1000000);
    measured[me].cpu = now(CLOCK_THREAD_CPUTIME_ID) - cpu;
    measured[me].wall = now(CLOCK_MONOTONIC) - begin;
  }
  for (int i = 0; i < threads; i++) {
    char key[32];
    snprintf(key, sizeof key, "%d_wall", i);
    truth(key, measured[i].wall);
    snprintf(key, sizeof key, "%d_cpu", i);
    truth(key, measured[i].cpu);
    snprintf(key, sizeof key, "%d_blocked", i);
    truth(key, measured[i].blocked);
  }
  return finish(true);
}
