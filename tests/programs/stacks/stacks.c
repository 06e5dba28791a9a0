/*
 * Stacks of known functions. Each way, threads run in one place for a while of their own processor time, and the way to
 * this place is known.
 */
#include "tests/programs/program.h"

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
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
#define LEVELS 2000 /* of a stack that is deeper than any copy of it */

static double wanted = 0.15; /* s of each stay */
static volatile unsigned long sink;

static double own_time(void)
{
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Nearly all of the time is here, not in the clock. */
NOINLINE static void burn(void)
{
  unsigned long x = sink + 1;
  for (int i = 0; i < 200000; i++)
    x = x * 6364136223846793005ul + 1442695040888963407ul;
  sink = x;
}

static inline __attribute__((always_inline)) void inlined_stay(double time)
{
  for (double end = own_time() + time; own_time() < end;)
    burn();
}

NOINLINE static void stay(double time)
{
  inlined_stay(time);
  sink++;
}

/* Who forks is on the way of all threads. */
NOINLINE static void in_region(void)
{
  stay(wanted);
  sink++;
}

NOINLINE static void forker(void)
{
#pragma omp parallel
  in_region();
  sink++;
}

NOINLINE static void other_forker(void)
{
  forker();
  sink++;
}

static void on_signal(int number)
{
  (void)number;
  stay(wanted);
  sink++;
}

NOINLINE static void interrupted(void)
{
  raise(SIGUSR1);
  sink++;
}

NOINLINE static void descend(int levels)
{
  char room[64]; /* that no compiler makes smaller: how many levels a copy holds follows from it */
  memset(room, levels, sizeof room);
  __asm__ volatile("" : : "r"(room) : "memory");
  if (levels > 0)
    descend(levels - 1);
  else
    stay(wanted);
  sink += (unsigned char)room[0];
}

static ucontext_t here, there;

NOINLINE static void coroutine(void)
{
  stay(wanted);
  swapcontext(&there, &here);
}

NOINLINE static void resume(void)
{
  static char stack[65536];
  getcontext(&there);
  there.uc_stack.ss_sp = stack;
  there.uc_stack.ss_size = sizeof stack;
  makecontext(&there, coroutine, 0);
  swapcontext(&here, &there);
  sink++;
}

/* Most of the time is in the kernel's page of code, which is in no file. */
NOINLINE static void ask_clock(void)
{
  struct timespec now;
  for (double end = own_time() + wanted; own_time() < end;)
    for (int i = 0; i < 20000; i++)
      clock_gettime(CLOCK_MONOTONIC, &now);
  sink += (unsigned long)now.tv_nsec;
}

/* Libraries that are closed again, so that the second one may lie where the first one was. */
NOINLINE static bool plugins(const char *program)
{
  static const char *const names[] = {"first", "second"};
  char path[4096];
  const char *slash = strrchr(program, '/');
  for (int i = 0; i < 2; i++) {
    snprintf(path, sizeof path, "%.*s/%s.so", slash ? (int)(slash - program) : 1, slash ? program : ".", names[i]);
    void *library = dlopen(path, RTLD_NOW);
    void *found = library ? dlsym(library, "plugin_run") : NULL;
    void (*plugin_run)(void (*)(double), double);
    if (found == NULL) {
      fprintf(stderr, "%s\n", dlerror());
      return false;
    }
    memcpy(&plugin_run, &found, sizeof plugin_run);
    plugin_run(stay, wanted);
    dlclose(library);
  }
  return true;
}

NOINLINE static void even(int n);
NOINLINE static void odd(int n)
{
  even(n - 1);
  sink++;
}
NOINLINE static void even(int n)
{
  if (n == 0)
    stay(wanted);
  else
    odd(n - 1);
  sink++;
}

/* Functions that take 1, 2, 3 and 4 parts of the time, each in another construct, two of them on each thread. */
NOINLINE static void one_part(void)
{
  stay(wanted);
  sink++;
}
NOINLINE static void two_parts(void)
{
  stay(2 * wanted);
  sink++;
}
NOINLINE static void three_parts(void)
{
  stay(3 * wanted);
  sink++;
}
NOINLINE static void four_parts(void)
{
  stay(4 * wanted);
  sink++;
}

NOINLINE static void four_functions(void)
{
#pragma omp parallel num_threads(2)
  {
#pragma omp for schedule(static, 1)
    for (int i = 0; i < 2; i++)
      if (i == 0)
        one_part();
      else
        two_parts();
#pragma omp critical
    four_parts();
#pragma omp single
    three_parts();
  }
}

/* New pages, each a fault. */
NOINLINE static bool touch(char *pages, size_t count, size_t size)
{
  for (size_t i = 0; i < count; i++)
    pages[i * size] = 1;
  return pages[0] == 1;
}

static bool touch_pages(void)
{
  size_t size = (size_t)sysconf(_SC_PAGESIZE), count = 10000;
  char *pages = mmap(NULL, size * count, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return pages != MAP_FAILED && madvise(pages, size * count, MADV_NOHUGEPAGE) == 0 && touch(pages, count, size);
}

int main(int argc, char **argv)
{
  const char *way = argc > 1 ? argv[1] : "";
  bool right = true;
  if (argc > 2)
    wanted = atof(argv[2]);
  signal(SIGUSR1, on_signal);
#pragma omp parallel /* so that there is something to record */
  sink++;
  if (strcmp(way, "regions") == 0)
    other_forker();
  else if (strcmp(way, "signal") == 0)
    interrupted();
  else if (strcmp(way, "deep") == 0)
    descend(LEVELS);
  else if (strcmp(way, "coroutine") == 0)
    resume();
  else if (strcmp(way, "clock") == 0)
    ask_clock();
  else if (strcmp(way, "plugins") == 0)
    right = plugins(argv[0]);
  else if (strcmp(way, "recursion") == 0)
    even(10);
  else if (strcmp(way, "pages") == 0)
    right = touch_pages();
  else if (strcmp(way, "four") == 0)
    four_functions();
  else
    right = false;
  return finish(right);
}
