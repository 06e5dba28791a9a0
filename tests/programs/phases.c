/*
 * Works on command, for tests of what is recorded of a part of a run. Each line of standard input is a number of
 * parallel regions to execute; every thread enters a critical section in each. A line "done: N" says that they have
 * ended. "wait" lets thread 1 wait in a critical section until the next line comes, which is read meanwhile; "fork"
 * lets a child go on.
 */
#include "tests/programs/program.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static long sum;

static void work(long regions)
{
  for (long i = 0; i < regions; i++) {
#pragma omp parallel num_threads(2)
    {
#pragma omp critical(adding)
      sum++;
    }
  }
  printf("done: %ld\n", regions);
  fflush(stdout);
}

/* Thread 0 holds the critical section and reads; thread 1 waits for it. */
static void wait_for_line(void)
{
  atomic_int inside = 0;
#pragma omp parallel num_threads(2)
  {
    if (omp_get_thread_num() == 1)
      hold(&inside);
#pragma omp critical(adding)
    {
      release(&inside);
      if (omp_get_thread_num() == 0) {
        char line[64];
        printf("waiting\n");
        fflush(stdout);
        if (!fgets(line, sizeof line, stdin))
          stuck();
      }
      sum++;
    }
  }
  printf("waited\n");
  fflush(stdout);
}

/* The child goes on; the parent ends as it does. */
static void go_on_in_child(void)
{
  int status = 0;
  pid_t pid = fork();
  if (pid != 0) {
    waitpid(pid, &status, 0);
    exit(pid < 0 ? 1 : WEXITSTATUS(status));
  }
  printf("child: %d\n", (int)getpid());
  fflush(stdout);
}

int main(void)
{
  char line[64];
  long expected = 0;
  while (fgets(line, sizeof line, stdin)) {
    if (strncmp(line, "fork", 4) == 0) {
      go_on_in_child();
      continue;
    }
    bool waits = strncmp(line, "wait", 4) == 0;
    long regions = waits ? 1 : strtol(line, NULL, 10);
    if (waits)
      wait_for_line();
    else
      work(regions);
    expected += 2 * regions;
  }
  truth("sum", sum);
  return finish(sum == expected);
}
