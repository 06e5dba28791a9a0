/* Children: how they begin, what they do, and how they end. */
#include "tests/soak/soak.h"

#include "tests/soak/counts.h"

#include <errno.h>
#include <omp.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

void child_begins(enum fork_by by)
{
  counts_new_process();
  depth++;
  conditions &= ~(unsigned)(IS_ROOT_PROCESS | IS_CROWDED);
  conditions |= by == BY_FORK ? IS_FORKED : IS_FORKED | IS_RAW;
  excuse_conditions(); /* it reaches its files by the same ways as its parent */
}

static pid_t begin(enum fork_by by)
{
  if (by == BY_FORK)
    return fork();
  if (by == BY_FORK_ONLY)
    return _Fork();
  return (pid_t)syscall(SYS_clone, (unsigned long)SIGCHLD, 0, 0, 0, 0);
}

void child_ended(const char *name, pid_t pid)
{
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
    ;
  if (WIFEXITED(status))
    counts_exited(pid);
  if (WIFSIGNALED(status))
    say("%*s%s: signal %d\n", (int)(2 * depth), "", name, WTERMSIG(status));
  else
    say("%*s%s: status %d\n", (int)(2 * depth), "", name, WEXITSTATUS(status));
}

void child_does(struct draw *draw, enum fork_by by, const char *name, void (*body)(struct draw *draw))
{
  pid_t pid = begin(by);
  if (pid == 0) {
    child_begins(by);
    struct draw own = draw_split(draw, depth);
    body(&own);
    end(&own);
  }
  if (pid < 0)
    say("%s: no child\n", name);
  else
    child_ended(name, pid);
}

static void *exit_in_thread(void *status)
{
  emit_event();
  atomic_store(&mine->ended, 1);
  counts_ending();
  exit((int)(intptr_t)status);
}

static void end_in_thread(int status)
{
  pthread_t thread;
  if (!begin_thread(&thread, 0, exit_in_thread, (void *)(intptr_t)status))
    _exit(status);
  for (;;)
    pause();
}

static void end_in_region(int status)
{
  counts_begin(PARALLEL);
#pragma omp parallel num_threads(2)
  {
    if (omp_get_thread_num() == 1)
      exit_in_thread((void *)(intptr_t)status);
    for (;;)
      pause();
  }
}

static void die(int signal_number)
{
  signal(signal_number, SIG_DFL);
  sigset_t all;
  sigemptyset(&all);
  sigprocmask(SIG_SETMASK, &all, NULL);
  kill((pid_t)syscall(SYS_getpid), signal_number);
  for (;;)
    pause();
}

static void at_exit(void)
{
  emit_event();
}

/*
 * Where handlers of fork did not run, libomp waits in exit() for threads that the child has not: without Heddle, too.
 * Nor is the first thread's exit() for a process that has few resources left.
 */
static bool may_exit(void)
{
#ifdef SOAK_LIBOMP
  return !((conditions & IS_RAW) && (conditions & IS_OPENMP));
#else
  return true;
#endif
}

enum { EXIT, EXIT_WITH_HANDLER, QUICK_EXIT, EXIT_IN_THREAD, EXIT_IN_REGION, LAST_THREAD, ENDS_ITSELF };
enum { FAST_EXIT = ENDS_ITSELF, ABORT, KILL, TERM, SEGV, ENDINGS };

void end(struct draw *draw)
{
  int status = (int)draw_between(draw, 0, 99);
  unsigned way = draw_below(draw, ENDINGS);
  if (way < ENDS_ITSELF && !may_exit())
    way = FAST_EXIT;
  if ((way == EXIT_IN_THREAD || way == EXIT_IN_REGION) && (conditions & (IS_RAW | IS_BOUND)))
    way = EXIT;
  /* On libgomp a child has none of the threads that its parent's regions had, and waits for them. */
  if (way == EXIT_IN_REGION && (conditions & IS_FORKED))
    way = EXIT_IN_THREAD;
  emit_events(draw_below(draw, 30));
  if (way < ENDS_ITSELF && way != EXIT_IN_THREAD && way != EXIT_IN_REGION) {
    atomic_store(&mine->ended, 1);
    counts_ending();
  }
  switch (way) {
  case EXIT_WITH_HANDLER:
    atexit(at_exit);
    exit(status);
  case EXIT:
  case LAST_THREAD:
    exit(status);
  case QUICK_EXIT:
    quick_exit(status);
  case EXIT_IN_THREAD:
    end_in_thread(status);
    break;
  case EXIT_IN_REGION:
    end_in_region(status);
    break;
  case ABORT:
    abort();
  case KILL:
    die(SIGKILL);
    break;
  case TERM:
    die(SIGTERM);
    break;
  case SEGV:
    die(SIGSEGV);
    break;
  default:
    break;
  }
  _exit(status);
}
