/*
 * Why threads do not run: each thread of a parallel region sleeps, reads a pipe, shares its processor, yields, is
 * stopped, or works, and measures itself how much of the region's time it had a processor (its own clock) and how much
 * it was in the call that blocks. usage: off_processor sleep|pipe|preempt|yield|stop
 * truth: <thread>_wall=, <thread>_cpu=, <thread>_blocked=: ns
 */
#include "tests/programs/program.h"
#include <omp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { THREADS = 2, REPEATS = 5, WORK_NS = 20000000, SLEEP_NS = 30000000 };

static struct {
  long wall, cpu, blocked;
} measured[THREADS];

static int pipe_ends[2];
static atomic_int arrived;

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

static void block(const char *how, int me)
{
  char byte = 0;
  long begin = now(CLOCK_MONOTONIC);
  if (strcmp(how, "sleep") == 0 && me == 1)
    sleep_once();
  else if (strcmp(how, "pipe") == 0 && me == 1 && read(pipe_ends[0], &byte, 1) == 1)
    ;
  else
    return;
  measured[me].blocked += now(CLOCK_MONOTONIC) - begin;
}

static void act(const char *how, int me)
{
  if (strcmp(how, "yield") == 0 && me == 1) {
    for (long end = now(CLOCK_MONOTONIC) + WORK_NS; now(CLOCK_MONOTONIC) < end;)
      sched_yield();
    return;
  }
  block(how, me);
  work(WORK_NS);
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
  pid_t child = 0;
  if (pipe(pipe_ends) != 0)
    return 1;
  if (strcmp(how, "stop") == 0)
    child = stop_from_outside();
  if (strcmp(how, "preempt") == 0 || strcmp(how, "yield") == 0)
    pin_to_one();
#pragma omp parallel num_threads(THREADS)
  {
    int me = omp_get_thread_num();
    meet(&arrived, THREADS);
    long begin = now(CLOCK_MONOTONIC), cpu = now(CLOCK_THREAD_CPUTIME_ID);
    for (int i = 0; i < REPEATS; i++)
      act(how, me);
    while (child > 0 && waitpid(child, NULL, WNOHANG) == 0 && me == 0)
      work(1000000);
    measured[me].cpu = now(CLOCK_THREAD_CPUTIME_ID) - cpu;
    measured[me].wall = now(CLOCK_MONOTONIC) - begin;
  }
  for (int i = 0; i < THREADS; i++) {
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
