/* killed CALLS: after so many calls the process kills itself, inside of functions. */
#include "tests/programs/calls/own_count.h"

#include <signal.h>

__attribute__((noinline)) static void f_c(long n)
{
  __asm__ volatile("" : : "r"(n));
}

__attribute__((noinline)) static void f_b(long calls)
{
  for (long i = 0; i < calls; i++)
    f_c(i);
  raise(SIGKILL);
}

__attribute__((noinline)) static void f_a(long calls)
{
  f_b(calls);
}

int main(int count, char **arguments)
{
  f_a(count > 1 ? atol(arguments[1]) : 0);
  return 0;
}
