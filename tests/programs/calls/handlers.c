/*
 * handlers [alternate]: a handler calls functions while others are called, on a stack of its own if asked for. Another
 * process sends the signals, far more often than timers can: what they may disturb is a few instructions long.
 * Prints how often each was called; those in handlers may be counted as skipped.
 */
#include "tests/programs/calls/own_count.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CALLS = 1000000, HANDLED = 40000, PAUSE = 5000 };

static volatile sig_atomic_t handled;
static volatile int sink;

__attribute__((noinline)) static void f_y(void)
{
  sink++;
}

__attribute__((noinline)) static void f_x(int number)
{
  (void)number;
  f_y();
  handled++;
}

__attribute__((noinline)) static void f_c(void)
{
  sink += 3;
}

__attribute__((noinline)) static void f_b(void)
{
  f_c();
  f_c();
  sink += 2; /* so that the last call is no jump, and GCC takes no two functions here for the same */
}

/* Sends signals to its parent until it is killed, or the parent is gone; with pauses, in which the parent gets on. */
__attribute__((noinline)) static pid_t disturb(pid_t parent)
{
  pid_t child = fork();
  while (child == 0) {
    if (getppid() != parent)
      _exit(0);
    kill(parent, SIGUSR1);
    for (volatile int pause = 0; pause < PAUSE; pause++)
      ;
  }
  return child;
}

int main(int count, char **arguments)
{
  static char room[1 << 16];
  struct sigaction action = {.sa_handler = f_x};
  stack_t stack = {.ss_sp = room, .ss_size = sizeof room};
  (void)arguments;
  if (count > 1) {
    sigaltstack(&stack, NULL);
    action.sa_flags = SA_ONSTACK;
  }
  sigaction(SIGUSR1, &action, NULL);
  pid_t other = disturb(getpid());
  long calls = 0;
  for (; calls < CALLS || handled < HANDLED; calls++)
    f_b();
  kill(other, SIGKILL);
  waitpid(other, NULL, 0);
  printf("b %ld\nhandled %d\n", calls, (int)handled);
  return 0;
}
