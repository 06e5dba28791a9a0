/*
 * jumps: functions that end with a jump to another one, also in a circle, ever again. -O2 makes such jumps of calls
 * that are a function's last ones. Such a call is one of the function that jumps. A circle ends each time round.
 */
#include "tests/programs/calls/function.h"
#include "tests/programs/calls/own_count.h"

enum { TIMES = 1000, ROUNDS = 300000 };

static volatile long sink;
static __thread struct own *base;

FUNCTION static long f_d(long n)
{
  own_call('d');
  sink += n;
  return n + 1;
}

FUNCTION static long f_c(long n)
{
  own_call('c');
  sink += n;
  return f_d(n + 1);
}

FUNCTION static long f_b(long n)
{
  own_call('b');
  sink += n;
  return n % 2 ? f_c(n + 1) : f_d(n + 2);
}

static long f_f(long n);
static long f_g(long n);

FUNCTION static long f_e(long n)
{
  own_back_to(base);
  own_call('e');
  sink += n;
  return n <= 0 ? 7 : f_f(n - 1);
}

FUNCTION static long f_f(long n)
{
  own_call('f');
  sink += n;
  return n % 3 == 0 ? f_g(n) : f_e(n);
}

FUNCTION static long f_g(long n)
{
  own_call('g');
  sink += n;
  return f_e(n);
}

FUNCTION static void f_a(void)
{
  struct own *here = own_call('a');
  for (long i = 0; i < TIMES; i++) {
    if (f_b(i) != i + 3)
      abort();
    own_back_to(here);
  }
  base = here;
  if (f_e(ROUNDS) != 7)
    abort();
  own_back_to(here);
  f_d(1);
  own_back_to(here);
  own_return();
}

int main(void)
{
  f_a();
  own_print("first");
  return 0;
}
