/*
 * a(i) = b(i) + c(i), i = 1 ... 400, with four schedules on four threads: static, dynamic,25, static,25 and guided.
 * Each loop runs in a region of its own. ./mploop [load] [work]: `load` further processes compete for the processors,
 * each iteration repeats its addition `work` times. In the last loop the four threads take their first chunks one after
 * the other, so the first chunk (N / 2P) is known.
 */
#include "tests/programs/program.h"
#include <omp.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { N = 400, C = 25, P = 4 };

static double a[N], b[N], c[N];

static void body(int i, int work)
{
  for (volatile int w = 0; w < work; w++)
    continue;
  a[i] = b[i] + c[i];
}

static void run_static(int work)
{
#pragma omp parallel for schedule(static) num_threads(P)
  for (int i = 0; i < N; i++)
    body(i, work);
}

static void run_dynamic(int work)
{
#pragma omp parallel for schedule(dynamic, C) num_threads(P)
  for (int i = 0; i < N; i++)
    body(i, work);
}

static void run_interleave(int work)
{
#pragma omp parallel for schedule(static, C) num_threads(P)
  for (int i = 0; i < N; i++)
    body(i, work);
}

static void run_guided(int work)
{
#pragma omp parallel for schedule(guided) num_threads(P)
  for (int i = 0; i < N; i++)
    body(i, work);
}

/* A process that does nothing but compete. It never returns; it dies with its parent. */
static pid_t start_load(void)
{
  pid_t pid = fork();
  if (pid == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (volatile int spin = 0;; spin ^= 1)
      continue;
  }
  return pid;
}

int main(int argc, char **argv)
{
  int load = argc > 1 ? atoi(argv[1]) : 0, work = argc > 2 ? atoi(argv[2]) : 2000;
  if (load < 0 || load > 64 || work < 0) {
    fprintf(stderr, "mploop: load is a number from 0 to 64, work one from 0\n");
    return 2;
  }
  pid_t pids[64];
  for (int l = 0; l < load; l++)
    pids[l] = start_load();

  void (*const loops[])(int) = {run_static, run_dynamic, run_interleave, run_guided};
  bool right = true;
  for (int l = 0; l < 4; l++) {
    for (int i = 0; i < N; i++)
      a[i] = 0, b[i] = i, c[i] = l;
    loops[l](work);
    for (int i = 0; i < N; i++)
      right = right && a[i] == i + l;
  }

  for (int l = 0; l < load; l++) {
    kill(pids[l], SIGKILL);
    waitpid(pids[l], NULL, 0);
  }
  truth("parallel", 4);
  truth("members", 4 * P);
  truth("iterations", 4 * N);
  return finish(right);
}
