/*
 * A storm of regions and locks in two halves, with something between them, while most is omitted: ./stretches WAY N
 *   fork   the child executes the second half, too
 *   exec   a new image executes the second half ("rest")
 *   pause  recording pauses for a storm of N in the middle (omp_control_tool)
 *   inside as pause, but recording pauses and starts inside of regions
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static omp_lock_t lock;
static long sum;

static void storm(long n)
{
  for (long i = 0; i < n; i++) {
#pragma omp parallel
    {
#pragma omp single
      sum++;
    }
    omp_set_lock(&lock);
    sum++;
    omp_unset_lock(&lock);
  }
}

#ifdef __clang__ /* gcc's omp.h has no omp_control_tool */
static void control(omp_control_tool_t command, int inside)
{
#pragma omp parallel if (inside)
#pragma omp single
  omp_control_tool(command, 0, NULL);
}
#endif

int main(int argc, char **argv)
{
  const char *way = argc > 2 ? argv[1] : "";
  long n = argc > 2 ? atol(argv[2]) : 0;
  int right = n > 0;
  omp_init_lock(&lock);
  storm(n);
  if (strcmp(way, "exec") == 0) {
    execl(argv[0], argv[0], "rest", argv[2], (char *)NULL);
    right = 0;
  } else if (strcmp(way, "fork") == 0) {
    pid_t pid = fork();
    int status = 0;
    if (pid > 0)
      right = waitpid(pid, &status, 0) == pid && status == 0;
    else
      omp_init_lock(&lock); /* libomp's child has none of its parent's */
    storm(n);
#ifdef __clang__
  } else if (strcmp(way, "pause") == 0 || strcmp(way, "inside") == 0) {
    int inside = strcmp(way, "inside") == 0;
    control(omp_control_tool_pause, inside);
    storm(n);
    control(omp_control_tool_start, inside);
    storm(n);
#endif
  } else {
    right = strcmp(way, "rest") == 0;
  }
  if (!right)
    fprintf(stderr, "usage: stretches fork|exec|pause|inside|rest N\n");
  return !right;
}
