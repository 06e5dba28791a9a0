#include "analyzer/record/launch/run.h"

#include "analyzer/record/launch/group_witness.h"
#include "base/count_of.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const int guarded[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP};

static volatile sig_atomic_t child; /* the running program's id; 0: none */

/*
 * A terminal sends its signals (SI_KERNEL) to the whole foreground group, so also to the program. A process may do the
 * same: then the program has the signal already, unless it has left the group.
 */
static void pass_on(int number, siginfo_t *info, void *context)
{
  (void)context;
  int saved = errno;
  pid_t pid = (pid_t)child;
  bool all = group_witness_saw(number) && getpgid(pid) == getpgrp();
  if (pid > 0 && info->si_code != SI_KERNEL && !all)
    kill(pid, number);
  errno = saved;
}

/* exec resets handlers, so the program starts with the dispositions of this process's start. */
static void guard_signals(struct sigaction *before)
{
  struct sigaction action = {.sa_sigaction = pass_on, .sa_flags = SA_SIGINFO | SA_RESTART};
  sigemptyset(&action.sa_mask);
  for (size_t i = 0; i < COUNT_OF(guarded); i++) {
    sigaction(guarded[i], NULL, &before[i]);
    if (before[i].sa_handler != SIG_IGN)
      sigaction(guarded[i], &action, NULL);
  }
}

/* The child waits until the parent closes its end of `go`. */
static void run_child(char **arguments, char **environment, const sigset_t *mask, int report, const int go[2])
{
  char none;
  close(go[1]);
  while (read(go[0], &none, 1) < 0 && errno == EINTR)
    continue;
  sigprocmask(SIG_SETMASK, mask, NULL);
  execvpe(arguments[0], arguments, environment);
  int error = errno;
  ssize_t ignored = write(report, &error, sizeof error);
  (void)ignored;
  _exit(127);
}

/* The child reports a failed exec through a pipe; a successful exec closes it. */
static int read_report(int report)
{
  int error = 0;
  ssize_t got;
  do
    got = read(report, &error, sizeof error);
  while (got < 0 && errno == EINTR);
  return got == (ssize_t)sizeof error ? error : 0;
}

static bool open_pipes(int ends[2], int go[2])
{
  if (pipe2(ends, O_CLOEXEC) != 0)
    return false;
  if (pipe2(go, O_CLOEXEC) == 0)
    return true;
  close(ends[0]);
  close(ends[1]);
  return false;
}

struct launch_result launch_run(char **arguments, char **environment, const struct launch_watcher *watcher)
{
  struct launch_result result = {.started = false};
  struct sigaction before[COUNT_OF(guarded)];
  sigset_t all, mask;
  int ends[2], go[2];
  if (!open_pipes(ends, go)) {
    result.error = errno;
    return result;
  }
  /* No signal is handled between the fork and the time when the handler knows the child. */
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, &mask);
  if (watcher)
    group_witness_begin(guarded, COUNT_OF(guarded));
  guard_signals(before);
  pid_t pid = fork();
  if (pid == 0)
    run_child(arguments, environment, &mask, ends[1], go);
  int fork_error = errno;
  child = pid > 0 ? pid : 0;
  result.pid = pid;
  close(ends[1]);
  if (pid > 0 && watcher)
    watcher->made(watcher->context, pid);
  close(go[0]);
  close(go[1]);
  sigprocmask(SIG_SETMASK, &mask, NULL);

  result.error = pid < 0 ? fork_error : read_report(ends[0]);
  close(ends[0]);
  if (pid > 0) {
    /* First waits without reaping, so that the handler cannot send a signal to another process with the same id. */
    siginfo_t info;
    struct timespec now;
    while (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT) < 0 && errno == EINTR)
      continue;
    clock_gettime(CLOCK_MONOTONIC, &now);
    result.ended_ns = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
    child = 0;
    while (waitpid(pid, &result.status, 0) < 0 && errno == EINTR)
      continue;
  }
  result.started = result.error == 0;
  group_witness_end();
  for (size_t i = 0; i < COUNT_OF(guarded); i++)
    sigaction(guarded[i], &before[i], NULL);
  return result;
}

int launch_exit_status(const struct launch_result *result)
{
  if (!result->started)
    return result->error == ENOENT ? 127 : 126;
  if (!WIFSIGNALED(result->status))
    return WEXITSTATUS(result->status);
  int number = WTERMSIG(result->status);
  struct rlimit none = {0, 0};
  sigset_t set;
  setrlimit(RLIMIT_CORE, &none);
  signal(number, SIG_DFL);
  sigemptyset(&set);
  sigaddset(&set, number);
  sigprocmask(SIG_UNBLOCK, &set, NULL);
  raise(number);
  return 128 + number;
}
