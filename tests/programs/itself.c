/*
 * A program that does something to itself between regions: ./itself WAY. It opens 2,000 regions before and 2,000 after,
 * so that windows are written in both halves. nothing       only the regions close_err     closes its standard error,
 * to which another thread goes on writing close_all     closes all descriptors chdir         changes its working
 * directory chroot        changes its root (to /proc) and working directory setuid        becomes another user daemon
 * all of chdir, close_all and setuid fork_only     _Fork; the child writes a line and leaves by quick_exit (in exit
 * libomp waits for threads that it has not) clone         the same by a raw clone clone_region  the child opens regions
 * of one thread and leaves by _exit vfork         vfork; the child leaves by _exit sleep         says so, and waits for
 * its standard input to end jump          a handler jumps out of what the timer's signal interrupts, 60 times
 */
#include "tests/programs/program.h"
#include <omp.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { HALF = 2000, OTHER_USER = 65534 };
static int members;
static atomic_bool over;

static void regions(int n, int threads)
{
  for (int i = 0; i < n; i++) {
#pragma omp parallel num_threads(threads)
    {
#pragma omp atomic
      members++;
    }
  }
}

static void *write_on(void *unused)
{
  while (!atomic_load(&over))
    if (write(STDERR_FILENO, "a message\n", 10) > 0)
      sched_yield();
  return unused;
}

static bool child_is_good(pid_t pid)
{
  int status = 0;
  return pid > 0 && waitpid(pid, &status, 0) == pid && status == 0;
}

static pid_t clone_quietly(void)
{
  return (pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);
}

/* In a child that must not use stdio's buffers of the parent. */
static void child_says(const char *line)
{
  if (write(STDOUT_FILENO, line, strlen(line)) < 0)
    _exit(2);
}

static sigjmp_buf out;
static volatile sig_atomic_t jumps;

static void jump_out(int number)
{
  (void)number;
  siglongjmp(out, 1);
}

/* Out of a lock that nobody else has: a jump leaves nobody waiting. */
static void jump_about(void)
{
  struct sigevent me = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGALRM};
  me._sigev_un._tid = (pid_t)syscall(SYS_gettid);
  struct itimerspec often = {{0, 50000}, {0, 50000}}, never = {{0, 0}, {0, 0}};
  timer_t timer;
  timer_create(CLOCK_MONOTONIC, &me, &timer);
  signal(SIGALRM, jump_out);
  omp_lock_t lock;
  omp_init_lock(&lock);
  if (sigsetjmp(out, 1))
    jumps++;
  timer_settime(timer, 0, &often, NULL);
  while (jumps < 60)
    omp_test_lock(&lock);
  timer_settime(timer, 0, &never, NULL);
}

static bool way(const char *name)
{
  pid_t pid = 1;
  if (!strcmp(name, "close_err"))
    return close(STDERR_FILENO) == 0;
  if (!strcmp(name, "own_err")) {
    close(STDERR_FILENO);
    return fileno(tmpfile()) == STDERR_FILENO;
  }
  if (!strcmp(name, "close_all"))
    return closefrom(3), true;
  if (!strcmp(name, "chdir"))
    return chdir("/") == 0;
  if (!strcmp(name, "chroot"))
    return chdir("/proc") == 0 && chroot("/proc") == 0;
  if (!strcmp(name, "setuid"))
    return setuid(OTHER_USER) == 0;
  if (!strcmp(name, "daemon"))
    return closefrom(3), chdir("/") == 0 && setuid(OTHER_USER) == 0;
  if (!strcmp(name, "fork_only") && (pid = _Fork()) == 0)
    child_says("the child\n"), quick_exit(0);
  if (!strcmp(name, "clone") && (pid = clone_quietly()) == 0)
    child_says("the child\n"), quick_exit(0);
  if (!strcmp(name, "clone_region") && (pid = clone_quietly()) == 0)
    regions(HALF, 1), _exit(0);
  if (!strcmp(name, "vfork") && (pid = vfork()) == 0)
    _exit(0);
  if (!strcmp(name, "sleep")) {
    puts("sleeping");
    fflush(stdout);
    return getchar() == EOF;
  }
  if (!strcmp(name, "jump"))
    jump_about();
  return pid == 1 || child_is_good(pid);
}

int main(int argc, char **argv)
{
  const char *name = argc > 1 ? argv[1] : "nothing";
  pthread_t writer;
  bool writes = !strcmp(name, "close_err");
  regions(HALF, 2);
  fflush(stdout);
  bool right = way(name);
  if (writes)
    pthread_create(&writer, NULL, write_on, NULL);
  regions(HALF, 2);
  atomic_store(&over, true);
  if (writes)
    pthread_join(writer, NULL);
  struct stat status;
  if (!strcmp(name, "own_err"))
    right = right && fstat(STDERR_FILENO, &status) == 0 && status.st_size == 0;
  truth("parallel", 2 * HALF);
  return finish(right && members == 4 * HALF);
}
