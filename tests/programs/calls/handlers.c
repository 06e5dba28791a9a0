/*
 * handlers [alternate]: a timer's handler calls functions while others are called, on a stack of its own if asked for.
 * Prints how often each was called; those in handlers may be counted as skipped.
 */
#include "tests/programs/calls/own_count.h"

#include <signal.h>
#include <sys/time.h>

enum { CALLS = 3000000, HANDLED = 200 };

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
  sigaction(SIGALRM, &action, NULL);
  struct itimerval often = {{0, 200}, {0, 200}}, never = {{0, 0}, {0, 0}};
  setitimer(ITIMER_REAL, &often, NULL);
  long calls = 0;
  for (; calls < CALLS || handled < HANDLED; calls++)
    f_b();
  setitimer(ITIMER_REAL, &never, NULL);
  printf("b %ld\nhandled %d\n", calls, (int)handled);
  return 0;
}
