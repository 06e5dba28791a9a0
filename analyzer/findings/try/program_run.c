#include "analyzer/findings/try/program_run.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

enum { FILE_FLAGS = O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW };

static double run_clock(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* Returns 0, or errno. */
static int prepare_files(const struct program_run *run, posix_spawn_file_actions_t *actions)
{
  int error = run->input > 0 ? posix_spawn_file_actions_adddup2(actions, run->input, 0)
                             : posix_spawn_file_actions_addopen(actions, 0, "/dev/null", O_RDONLY, 0);
  if (error == 0)
    error = posix_spawn_file_actions_addopen(actions, 1, run->output, FILE_FLAGS, 0644);
  if (error == 0)
    error = run->errors ? posix_spawn_file_actions_addopen(actions, 2, run->errors, FILE_FLAGS, 0644)
                        : posix_spawn_file_actions_adddup2(actions, 1, 2);
  if (error == 0 && run->directory)
    error = posix_spawn_file_actions_addchdir_np(actions, run->directory);
  return error;
}

/* `mask`: the program's signals, which this process blocks meanwhile. Returns 0, or errno. */
static int start_program(const struct program_run *run, const sigset_t *mask, pid_t *pid)
{
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  int error = posix_spawn_file_actions_init(&actions);
  if (error != 0)
    return error;
  error = posix_spawnattr_init(&attributes);
  if (error == 0) {
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setsigmask(&attributes, mask);
    error = prepare_files(run, &actions);
    if (error == 0)
      error = posix_spawnp(pid, run->executable ? run->executable : run->arguments[0], &actions, &attributes,
                           run->arguments, run->environment ? run->environment : environ);
    posix_spawnattr_destroy(&attributes);
  }
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

/* Waits for the end of the process, or until `deadline` (infinite: none). Returns 0, ETIMEDOUT, or the number of the
 * signal that interrupted this process, negative. The process is left to waitpid(). */
static int await_end(pid_t pid, const sigset_t *signals, double deadline)
{
  for (;;) {
    siginfo_t ended = {.si_pid = 0};
    if (waitid(P_PID, (id_t)pid, &ended, WEXITED | WNOHANG | WNOWAIT) != 0 || ended.si_pid == pid)
      return 0;
    double left = fmin(fmax(deadline - run_clock(), 0), 3600);
    if (left <= 0)
      return ETIMEDOUT;
    struct timespec wait = {(time_t)left, (long)((left - floor(left)) * 1e9)};
    int got = sigtimedwait(signals, NULL, &wait);
    if (got > 0 && got != SIGCHLD)
      return -got;
  }
}

static void interrupting_signals(sigset_t *signals)
{
  sigemptyset(signals);
  sigaddset(signals, SIGINT);
  sigaddset(signals, SIGTERM);
  sigaddset(signals, SIGHUP);
}

void program_hold_signals(void)
{
  sigset_t signals;
  interrupting_signals(&signals);
  sigprocmask(SIG_BLOCK, &signals, NULL);
}

bool program_is_interrupted(struct error *error)
{
  sigset_t signals, pending;
  interrupting_signals(&signals);
  sigpending(&pending);
  for (int number = 1; number < SIGRTMIN; number++)
    if (sigismember(&signals, number) && sigismember(&pending, number))
      return !error_set(error, "interrupted by signal %d", number);
  return false;
}

bool program_run(const struct program_run *run, struct program_end *end, struct error *error)
{
  sigset_t signals, before, mask;
  interrupting_signals(&signals);
  sigaddset(&signals, SIGCHLD);
  sigprocmask(SIG_BLOCK, &signals, &before);
  mask = before;
  for (int number = 1; number < SIGRTMIN; number++)
    if (sigismember(&signals, number))
      sigdelset(&mask, number);
  double begin = run_clock();
  pid_t pid = 0;
  int failed = start_program(run, &mask, &pid), ended = 0;
  *end = (struct program_end){.status = 0};
  if (failed == 0) {
    ended = await_end(pid, &signals, run->limit > 0 ? begin + run->limit : INFINITY);
    end->seconds = run_clock() - begin;
    end->hung = ended == ETIMEDOUT;
    kill(-pid, SIGKILL); /* the number is not used anew before waitpid() */
    while (waitpid(pid, &end->status, 0) < 0 && errno == EINTR)
      continue;
  }
  if (ended >= 0) /* else the caller tidies up, and another signal must not keep it from that */
    sigprocmask(SIG_SETMASK, &before, NULL);
  if (failed != 0)
    return error_set(error, "%s: cannot be started: %s", run->arguments[0], strerror(failed));
  return ended >= 0 || error_set(error, "interrupted by signal %d", -ended);
}

const char *program_failure(const struct program_end *end, char text[64])
{
  if (end->hung)
    return "did not end in time";
  if (WIFSIGNALED(end->status))
    snprintf(text, 64, "was ended by signal %d", WTERMSIG(end->status));
  else if (WEXITSTATUS(end->status) != 0)
    snprintf(text, 64, "ended with status %d", WEXITSTATUS(end->status));
  else
    return NULL;
  return text;
}
