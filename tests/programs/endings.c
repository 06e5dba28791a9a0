/*
 * Ways in which a program can end: ./endings WAY. Each prints before it ends; its output and its status (or signal) are
 * what they are without a tool.
 */
#include "tests/programs/program.h"
#include <omp.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A region of two threads in which thread `who` does the deed while the other one works on. */
static void in_region(int who, void (*deed)(void))
{
#pragma omp parallel num_threads(2)
  {
#pragma omp critical
    fflush(stdout);
#pragma omp barrier
    if (omp_get_thread_num() == who)
      deed();
    for (;;)
      usleep(1000);
  }
}

static void deed_exit(void)
{
  exit(7);
}

static void deed_fast_exit(void)
{
  _exit(8);
}

static void deed_quick_exit(void)
{
  quick_exit(9);
}

static void deed_abort(void)
{
  abort();
}

static void deed_segv(void)
{
  raise(SIGSEGV);
}

static void deed_term(void)
{
  kill(getpid(), SIGTERM);
  sleep(10);
}

static void deed_kill(void)
{
  kill(getpid(), SIGKILL);
  sleep(10);
}

/* The program's own handler for SIGTERM leaves by exit, as many servers do. */
static void leave(int signal)
{
  (void)signal;
  _exit(10);
}

static void deed_handled_term(void)
{
  signal(SIGTERM, leave);
  kill(getpid(), SIGTERM);
  sleep(10);
}

static void at_exit(void)
{
  printf("an atexit handler\n");
#pragma omp parallel num_threads(2)
  {
#pragma omp critical
    fflush(stdout);
  }
}

static void way_return(void)
{
#pragma omp parallel num_threads(2)
  {
#pragma omp barrier
  }
}

static void way_exit(void)
{
  way_return();
  exit(7);
}

static void way_atexit(void)
{
  atexit(at_exit);
  way_return();
}

/* The runtime's resources are freed before the end, softly; the next region starts it again. */
static void way_pause_soft(void)
{
  way_return();
  omp_pause_resource_all(omp_pause_soft);
  way_return();
}

static void way_pause_hard(void)
{
  way_return();
  omp_pause_resource_all(omp_pause_hard);
}

static void way_exit_in_region(void)
{
  in_region(0, deed_exit);
}

static void way_exit_in_worker(void)
{
  in_region(1, deed_exit);
}

static void way_fast_exit(void)
{
  in_region(0, deed_fast_exit);
}

static void way_quick_exit(void)
{
  in_region(1, deed_quick_exit);
}

static void way_abort(void)
{
  in_region(1, deed_abort);
}

static void way_segv(void)
{
  in_region(1, deed_segv);
}

static void way_sigterm(void)
{
  in_region(0, deed_term);
}

static void way_handled_sigterm(void)
{
  in_region(0, deed_handled_term);
}

static void way_sigkill(void)
{
  in_region(0, deed_kill);
}

/* No OpenMP at all: the runtime may never start. */
static void *go_on(void *unused)
{
  usleep(50000);
  printf("the last thread\n");
  return unused;
}

/* The process ends with its last thread. */
static void way_main_thread_ends(void)
{
  pthread_t thread;
#pragma omp parallel num_threads(1)
  fflush(stdout);
  pthread_create(&thread, NULL, go_on, NULL);
  pthread_exit(NULL);
}

static void way_no_openmp(void)
{
}

static const struct {
  const char *name;
  void (*go)(void);
} ways[] = {
    {"return", way_return},
    {"exit", way_exit},
    {"atexit", way_atexit},
    {"pause_soft", way_pause_soft},
    {"pause_hard", way_pause_hard},
    {"exit_in_region", way_exit_in_region},
    {"fast_exit", way_fast_exit},
    {"exit_in_worker", way_exit_in_worker},
    {"quick_exit", way_quick_exit},
    {"abort", way_abort},
    {"segv", way_segv},
    {"sigterm", way_sigterm},
    {"sigkill", way_sigkill},
    {"handled_sigterm", way_handled_sigterm},
    {"main_thread_ends", way_main_thread_ends},
    {"no_openmp", way_no_openmp},
};

int main(int argc, char **argv)
{
  for (size_t w = 0; argc == 2 && w < sizeof ways / sizeof *ways; w++)
    if (strcmp(ways[w].name, argv[1]) == 0) {
      printf("about to end by %s\n", argv[1]);
      fprintf(stderr, "this goes to stderr\n");
      ways[w].go();
      return 3;
    }
  fprintf(stderr, "endings: give one of");
  for (size_t w = 0; w < sizeof ways / sizeof *ways; w++)
    fprintf(stderr, " %s", ways[w].name);
  fprintf(stderr, "\n");
  return 2;
}
