/*
 * Programs that are several processes: ./processes WAY. The parent opens a region of two threads before and after.
 *   fork         the child opens two regions and returns from main
 *   fork_exit    the child calls exit without any OpenMP
 *   fork_fast    the child opens a region and calls _exit
 *   daemon       the child does nothing but fork; a thread of its child opens a region, then that calls _exit
 *   fork_region  a thread forks inside a region; the child calls _exit
 *   exec         the process becomes another image of this program ("exec2": three regions)
 *   exec_fails   exec of a file that is not there; the program goes on
 *   spawn        fork and exec of "exec2", as a shell would do it
 */
#include "tests/programs/program.h"
#include <omp.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int members;

static void region(void)
{
#pragma omp parallel num_threads(2)
  {
#pragma omp atomic
    members++;
  }
}

static bool child_ends_with(pid_t pid, int expected)
{
  int status = 0;
  waitpid(pid, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == expected;
}

static void become(const char *self)
{
  fflush(stdout);
  execl(self, self, "exec2", (char *)NULL);
  _exit(99);
}

static bool way_fork_region(void)
{
  pid_t pid = -1;
#pragma omp parallel num_threads(2)
  {
    if (omp_get_thread_num() == 1) {
      pid = fork();
      if (pid == 0)
        _exit(6);
    }
  }
  return child_ends_with(pid, 6);
}

static void *region_of_a_thread(void *unused)
{
  region();
  return unused;
}

/* In a new thread also libgomp, which a child of fork has none of its parent's threads for, has what a region needs. */
static void become_daemon(void)
{
  pthread_t thread;
  pid_t pid = fork();
  if (pid != 0)
    _exit(child_ends_with(pid, 5) ? 5 : 1);
  if (pthread_create(&thread, NULL, region_of_a_thread, NULL) != 0 || pthread_join(thread, NULL) != 0)
    _exit(1);
  _exit(5);
}

/* Forks; what the child does depends on the way. */
static bool way_fork(const char *self, const char *way)
{
  fflush(stdout);
  pid_t pid = fork();
  if (pid != 0)
    return child_ends_with(pid, strcmp(way, "spawn") == 0 ? 0 : 5);
  if (strcmp(way, "spawn") == 0)
    become(self);
  if (strcmp(way, "fork_exit") == 0)
    exit(5);
  if (strcmp(way, "daemon") == 0)
    become_daemon();
  members = 0;
  region();
  if (strcmp(way, "fork_fast") == 0)
    _exit(5);
  region();
  exit(members == 4 ? 5 : 1);
}

int main(int argc, char **argv)
{
  if (argc != 2) {
    fprintf(stderr,
            "processes: give one of fork, fork_exit, fork_fast, daemon, fork_region, exec, exec_fails, spawn\n");
    return 2;
  }
  bool right = true;
  region();
  if (strcmp(argv[1], "exec2") == 0)
    region();
  else if (strcmp(argv[1], "exec") == 0)
    become(argv[0]);
  else if (strcmp(argv[1], "exec_fails") == 0)
    right = execl("/nonexistent/program", "program", (char *)NULL) == -1;
  else if (strcmp(argv[1], "fork_region") == 0)
    right = way_fork_region();
  else
    right = way_fork(argv[0], argv[1]);
  region();
  return finish(right && members == (strcmp(argv[1], "exec2") == 0 ? 6 : 4));
}
