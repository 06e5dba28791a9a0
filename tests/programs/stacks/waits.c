/*
 * Waits that are long, through known functions: each way, one thread waits ROUNDS times for another one, which sleeps
 * meanwhile. The stack on which it waits may be any.
 */
#include "tests/programs/program.h"

#include <omp.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#if defined(__clang__)
#define NOINLINE __attribute__((noinline))
#else
#define NOINLINE __attribute__((noinline, noclone))
#endif
#define ROUNDS 5
#define PAGE   4096u

static double wait_time = 0.03; /* s, at least, of each wait */
static volatile unsigned long sink;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static volatile int held;

static void rest(double time)
{
  struct timespec rest = {(time_t)time, (long)(1e9 * (time - (double)(time_t)time))};
  nanosleep(&rest, NULL);
}

/* Another thread's, in the meantime. */
NOINLINE static void sleeper(void)
{
  rest(wait_time);
  sink++;
}

NOINLINE static void gather(void)
{
#pragma omp barrier
  sink++;
}

NOINLINE static void come_early(void)
{
  gather();
  sink++;
}

NOINLINE static void barriers(void)
{
#pragma omp parallel num_threads(2)
  for (int i = 0; i < ROUNDS; i++)
    if (omp_get_thread_num() == 0) {
      come_early();
    } else {
      sleeper();
      gather();
    }
}

/* The first thread waits at the end of each region. */
NOINLINE static void region(void)
{
#pragma omp parallel num_threads(2)
  if (omp_get_thread_num() != 0)
    sleeper();
  sink++;
}

NOINLINE static void guarded(void)
{
#pragma omp critical(guard)
  {
    held = 1;
    sleeper();
  }
  sink++;
}

/* Both threads want it at once: one of them waits. */
NOINLINE static void criticals(void)
{
#pragma omp parallel num_threads(2)
  for (int i = 0; i < ROUNDS; i++) {
    guarded();
#pragma omp barrier
  }
}

NOINLINE static void children(void)
{
#pragma omp parallel num_threads(2)
#pragma omp single
  for (int i = 0; i < ROUNDS; i++) {
    held = 0;
#pragma omp task
    {
      held = 1;
      sleeper();
    }
    for (int tries = 0; !held && tries < 10000;
         tries++) /* the other thread has it, unless it sleeps and nobody wakes it */
      rest(0.0001);
#pragma omp taskwait
  }
}

/* Holds the mutex a while, again and again, and lets the first thread know. */
static void *holder(void *unused)
{
  (void)unused;
  for (int i = 0; i < ROUNDS; i++) {
    pthread_mutex_lock(&mutex);
    held = 1;
    sleeper();
    pthread_mutex_unlock(&mutex);
    while (held)
      rest(0.001);
  }
  return NULL;
}

NOINLINE static void want(void)
{
  pthread_mutex_lock(&mutex);
  sink++;
  pthread_mutex_unlock(&mutex);
}

NOINLINE static void await(void)
{
  for (int i = 0; i < ROUNDS; i++) {
    while (!held)
      rest(0.0001);
    want();
    held = 0;
  }
}

static bool with_holder(void (*function)(void))
{
  pthread_t thread;
  if (pthread_create(&thread, NULL, holder, NULL) != 0)
    return false;
  function();
  return pthread_join(thread, NULL) == 0;
}

/* A stack of `size` bytes between pages that nobody may touch: what is above it is no part of it. */
static char *make_stack(size_t size)
{
  char *memory = mmap(NULL, size + 2 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED || mprotect(memory + PAGE, size, PROT_READ | PROT_WRITE) != 0)
    exit(2);
  return memory + PAGE;
}

static ucontext_t here, there;

NOINLINE static void coroutine(void)
{
  await();
  swapcontext(&there, &here);
}

static void resume(void)
{
  getcontext(&there);
  there.uc_stack.ss_size = 16 * PAGE;
  there.uc_stack.ss_sp = make_stack(there.uc_stack.ss_size);
  makecontext(&there, coroutine, 0);
  swapcontext(&here, &there);
  sink++;
}

static void on_signal(int number)
{
  (void)number;
  await();
  sink++;
}

static void interrupted(void)
{
  stack_t stack = {.ss_size = 32 * PAGE};
  struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_ONSTACK};
  stack.ss_sp = make_stack(stack.ss_size);
  sigaltstack(&stack, NULL);
  sigaction(SIGUSR1, &action, NULL);
  raise(SIGUSR1);
  sink++;
}

int main(int argc, char **argv)
{
  const char *way = argc > 1 ? argv[1] : "";
  bool right = true;
  if (argc > 2)
    wait_time = atof(argv[2]);
#pragma omp parallel num_threads(2) /* so that there is something to record */
  sink++;
  if (strcmp(way, "barrier") == 0)
    barriers();
  else if (strcmp(way, "region") == 0)
    for (int i = 0; i < ROUNDS; i++)
      region();
  else if (strcmp(way, "critical") == 0)
    criticals();
  else if (strcmp(way, "taskwait") == 0)
    children();
  else if (strcmp(way, "mutex") == 0)
    right = with_holder(await);
  else if (strcmp(way, "coroutine") == 0)
    right = with_holder(resume);
  else if (strcmp(way, "signal") == 0)
    right = with_holder(interrupted);
  else
    right = false;
  return finish(right);
}
