/* Processes of processes: every way to make one. */
#include "tests/soak/soak.h"

#include "tests/soak/counts.h"
#include "user-events/include/heddle.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { DEEPEST = 3 };

static void does_this_and_that(struct draw *draw)
{
  emit_events(draw_below(draw, 300));
  if (depth < DEEPEST)
    actions_run(draw, draw_between(draw, 1, 4));
  emit_events(draw_below(draw, 300));
}

void act_fork(struct draw *draw)
{
  child_does(draw, BY_FORK, "fork", does_this_and_that);
}

void act_fork_only(struct draw *draw)
{
  child_does(draw, BY_FORK_ONLY, "_Fork", does_this_and_that);
}

void act_clone(struct draw *draw)
{
  child_does(draw, BY_CLONE, "clone", does_this_and_that);
}

static void emits_a_few(struct draw *draw)
{
  emit_events(draw_below(draw, 5));
}

/* Many short children, one after the other. */
void act_forks(struct draw *draw)
{
  for (unsigned n = draw_between(draw, 5, 30); n > 0; n--) {
    struct draw own = draw_split(draw, n);
    child_does(&own, draw_below(draw, FORK_WAYS), "one of many", emits_a_few);
  }
}

static void *forks(void *draw)
{
  emit_event();
  child_does(draw, BY_FORK, "fork in a thread", emits_a_few);
  emit_event();
  return NULL;
}

void act_fork_in_thread(struct draw *draw)
{
  pthread_t thread;
  if (begin_thread(&thread, 0, forks, draw))
    pthread_join(thread, NULL);
}

/* What an image of this program is started with, in the caller's arrays. */
struct arguments {
  char seed[24], actions[12], depth[12];
  char *list[16];
};

static char **image(struct arguments *arguments, struct draw *draw, unsigned deep)
{
  snprintf(arguments->seed, sizeof arguments->seed, "%llu", (unsigned long long)draw_number(draw));
  snprintf(arguments->actions, sizeof arguments->actions, "%u", draw_between(draw, 0, 3));
  snprintf(arguments->depth, sizeof arguments->depth, "%u", deep);
  char *list[] = {program_path, arguments->seed, "--actions", arguments->actions, "--depth", arguments->depth};
  unsigned n = sizeof list / sizeof *list;
  for (unsigned i = 0; i < n; i++)
    arguments->list[i] = list[i];
  actions_pass_on(arguments->list + n, sizeof arguments->list / sizeof *arguments->list - n);
  return arguments->list;
}

/* A child that may have to stop short: vfork's shares our memory, so it only executes or ends. */
void act_vfork(struct draw *draw)
{
  struct arguments arguments;
  char **list = image(&arguments, draw, depth + 1);
  bool executes = depth < DEEPEST && draw_below(draw, 2);
  int status = (int)draw_below(draw, 100);
  pid_t pid = vfork();
  if (pid == 0) {
    if (executes)
      execv(program_path, list);
    _exit(status);
  }
  if (pid > 0)
    child_ended("vfork", pid);
}

static void becomes_another(struct draw *draw)
{
  struct arguments arguments;
  char **list = image(&arguments, draw, depth);
  emit_events(draw_below(draw, 300));
  if (depth > DEEPEST)
    list[3] = "0";
  execv(draw_below(draw, 8) ? program_path : "/nonexistent/program", list);
  say("exec: error %d\n", errno);
}

void act_exec(struct draw *draw)
{
  child_does(draw, BY_FORK, "exec", becomes_another);
}

void act_spawn(struct draw *draw)
{
  struct arguments arguments;
  pid_t pid;
  if (depth >= DEEPEST)
    return;
  int error = posix_spawn(&pid, program_path, NULL, NULL, image(&arguments, draw, depth + 1), environ);
  if (error)
    say("spawn: error %d\n", error);
  else
    child_ended("spawn", pid);
}

void act_shell(struct draw *draw)
{
  char command[64];
  snprintf(command, sizeof command, "echo in a shell; exit %u", draw_below(draw, 100));
  int status = system(command);
  say("shell: %d\n", WEXITSTATUS(status));
}

static int gone[2]; /* its end of file says that the daemon has ended */

static void is_a_daemon(struct draw *draw)
{
  emit_events(draw_between(draw, 1, 300));
}

static void begins_a_daemon(struct draw *draw)
{
  setsid();
  pid_t pid = fork();
  if (pid == 0) {
    child_begins(BY_FORK);
    struct draw own = draw_split(draw, depth);
    is_a_daemon(&own);
    end(&own);
  }
}

/* A grandchild that its parent does not wait for. */
void act_daemon(struct draw *draw)
{
  char byte;
  if (pipe(gone) != 0)
    return;
  pid_t pid = fork();
  if (pid == 0) {
    close(gone[0]);
    child_begins(BY_FORK);
    struct draw own = draw_split(draw, depth);
    begins_a_daemon(&own);
    end(&own);
  }
  close(gone[1]);
  if (pid > 0)
    child_ended("parent of a daemon", pid);
  while (read(gone[0], &byte, 1) < 0 && errno == EINTR)
    ;
  close(gone[0]);
}

static void *works(void *unused)
{
  for (;;) {
    emit_in_region("until it is killed", 7);
    emit_slowly();
  }
  return unused;
}

/* Works with several threads until it is killed. */
static void is_killed(struct draw *draw)
{
  pthread_t thread;
  for (unsigned n = draw_between(draw, 0, 3); n > 0; n--)
    begin_thread(&thread, 0, works, NULL);
  works(NULL);
}

/* A child that is killed at any moment: after so many events, and some time. */
void act_kill(struct draw *draw)
{
  static const int signals[] = {SIGKILL, SIGKILL, SIGKILL, SIGTERM, SIGINT, SIGSEGV, SIGABRT};
  int number = signals[draw_below(draw, 7)];
  int events = (int)draw_below(draw, 3000);
  useconds_t later = draw_below(draw, 1000);
  int64_t *emitted;
  int pipes[2];
  if (pipe(pipes) != 0)
    return;
  pid_t pid = fork();
  if (pid == 0) {
    signal(number, SIG_DFL);
    child_begins(BY_FORK);
    int64_t process = counts_process();
    if (write(pipes[1], &process, sizeof process) != sizeof process)
      _exit(1);
    close(pipes[0]);
    close(pipes[1]);
    struct draw own = draw_split(draw, depth);
    is_killed(&own);
  }
  close(pipes[1]);
  int64_t process = -1;
  while (pid > 0 && read(pipes[0], &process, sizeof process) < 0 && errno == EINTR)
    ;
  close(pipes[0]);
  if (pid < 0 || process < 0)
    return;
  emitted = (int64_t *)&counts->process[process].done[EVENT];
  while (__atomic_load_n(emitted, __ATOMIC_RELAXED) < events)
    usleep(100);
  usleep(later);
  kill(pid, number);
  child_ended("killed", pid);
}

static void handler(int number)
{
  (void)number;
  emit_from_handler();
}

static void interrupt_until_it_ends(pid_t pid)
{
  siginfo_t info = {0};
  while (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT | WNOHANG) == 0 && info.si_pid == 0) {
    kill(pid, SIGUSR1);
    usleep(30);
  }
  child_ended("under signals", pid);
}

/* Signals to a child from the moment on at which it counts for itself: while its own trace begins. */
void act_early_signals(struct draw *draw)
{
  struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};
  sigset_t usr1, before;
  sigemptyset(&action.sa_mask);
  sigaction(SIGUSR1, &action, NULL);
  sigemptyset(&usr1);
  sigaddset(&usr1, SIGUSR1);
  emit_event();
  for (unsigned n = draw_between(draw, 1, 5); n > 0; n--) {
    struct draw own = draw_split(draw, n);
    pthread_sigmask(SIG_BLOCK, &usr1, &before);
    pid_t pid = fork();
    if (pid == 0) {
      child_begins(BY_FORK);
      pthread_sigmask(SIG_SETMASK, &before, NULL);
      emit_events(200);
      end(&own);
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (pid > 0)
      interrupt_until_it_ends(pid);
  }
}
