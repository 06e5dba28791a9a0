/*
 * functions N: ns a call of functions that do next to nothing, in several patterns; each line has a name and a time.
 * What is measured is not instrumented. The times are processor times, so that other programs matter less.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define PLAIN    __attribute__((no_instrument_function))
#define FUNCTION __attribute__((noinline, noclone)) static

static volatile long sink;

PLAIN static double now(void)
{
  struct timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

/* clang-format off */
#define LEAF(name) FUNCTION long name(long n) { __asm__ volatile(""); return n + 1; }
LEAF(leaf) LEAF(other)
LEAF(a) LEAF(b) LEAF(c) LEAF(d) LEAF(e) LEAF(f) LEAF(g) LEAF(h)
    /* clang-format on */

    FUNCTION long inner(long n)
{
  return leaf(n) + 1;
}

FUNCTION long outer(long n)
{
  return inner(n) + 1;
}

FUNCTION long fibonacci(long n)
{
  return n < 2 ? 1 : fibonacci(n - 1) + fibonacci(n - 2) + 1;
}

PLAIN static long one_function(long n)
{
  for (long i = 0; i < n; i++)
    sink = leaf(sink);
  return n;
}

PLAIN static long two_in_turn(long n)
{
  for (long i = 0; i < n; i += 2) {
    sink = leaf(sink);
    sink = other(sink);
  }
  return n;
}

PLAIN static long eight_at_random(long n)
{
  static long (*const functions[])(long) = {a, b, c, d, e, f, g, h};
  unsigned long state = 1;
  for (long i = 0; i < n; i++) {
    state = state * 6364136223846793005ul + 1442695040888963407ul;
    sink = functions[state >> 61](sink);
  }
  return n;
}

PLAIN static long three_deep(long n)
{
  for (long i = 0; i < n; i += 3)
    sink = outer(sink);
  return n;
}

/* A call of fibonacci(k) makes as many calls as it returns. */
PLAIN static long recursion(long n)
{
  long calls = 0;
  while (calls < n)
    calls += fibonacci(18);
  return calls;
}

PLAIN static void measure(const char *name, long (*pattern)(long), long n)
{
  pattern(1000);
  double begin = now();
  long calls = pattern(n);
  printf("%s %.3f\n", name, (now() - begin) / (double)calls);
}

PLAIN int main(int count, char **arguments)
{
  long n = count > 1 ? atol(arguments[1]) : 1000000;
  measure("one_function", one_function, n);
  measure("two_in_turn", two_in_turn, n);
  measure("eight_at_random", eight_at_random, n);
  measure("three_deep", three_deep, n);
  measure("recursion", recursion, n);
  return 0;
}
