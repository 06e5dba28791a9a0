/*
 * registers: functions with arguments and results in all registers in which there can be any, called for the first time
 * and again. Status 0: all were right.
 */
#include "tests/programs/calls/function.h"

#include <complex.h>
#include <immintrin.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define CHECK(condition)                                                                                               \
  ((condition) ? (void)0 : (printf("line %d, time %d: %s\n", __LINE__, times, #condition), exit(1)))

static int times;

struct pair {
  long first;
  double second;
};
struct large {
  long values[9];
};

FUNCTION static long f_integers(long a, long b, long c, long d, long e, long f, long g, long h)
{
  return a + 10 * b + 100 * c + 1000 * d + 10000 * e + 100000 * f + 1000000 * g + 10000000 * h;
}

FUNCTION static double f_doubles(double a, double b, double c, double d, double e, double f, double g, double h,
                                 double i)
{
  return a + 10 * b + 100 * c + 1000 * d + 10000 * e + 1e5 * f + 1e6 * g + 1e7 * h + 1e8 * i;
}

FUNCTION static long double f_long_double(long double x)
{
  return x / 3;
}

FUNCTION static long double _Complex f_complex_long_double(long double x)
{
  return x + x * 2 * I;
}

FUNCTION static double _Complex f_complex(double a, double b)
{
  return a + b * I;
}

FUNCTION static struct pair f_pair(long a, double b)
{
  return (struct pair){a + 1, b + 1};
}

FUNCTION static struct large f_large(long a)
{
  struct large large = {{a, a + 1, a + 2, a + 3, a + 4, a + 5, a + 6, a + 7, a + 8}};
  return large;
}

FUNCTION static __int128 f_wide(__int128 a)
{
  return a * 3;
}

FUNCTION static double f_variable(int n, ...)
{
  va_list list;
  double sum = 0;
  va_start(list, n);
  for (int i = 0; i < n; i++)
    sum += va_arg(list, double) + va_arg(list, int);
  va_end(list);
  return sum;
}

__attribute__((target("avx"))) FUNCTION static __m256d f_avx(__m256d a, __m256d b)
{
  return _mm256_add_pd(a, b);
}

__attribute__((target("avx"))) static void avx(void)
{
  __m256d sum = f_avx(_mm256_set_pd(1, 2, 3, 4), _mm256_set_pd(10, 20, 30, times));
  CHECK(sum[0] == 4 + times && sum[1] == 33 && sum[2] == 22 && sum[3] == 11);
}

__attribute__((target("avx512f"))) FUNCTION static __m512d f_avx512(__m512d a, __m512d b)
{
  return _mm512_add_pd(a, b);
}

__attribute__((target("avx512f"))) static void avx512(void)
{
  __m512d sum = f_avx512(_mm512_set1_pd(1), _mm512_set_pd(8, 7, 6, 5, 4, 3, 2, times));
  CHECK(sum[0] == 1 + times && sum[1] == 3 && sum[6] == 8 && sum[7] == 9);
}

static void integers_and_floats(void)
{
  CHECK(f_integers(1, 2, 3, 4, 5, 6, 7, 8) == 87654321);
  CHECK(f_doubles(1, 2, 3, 4, 5, 6, 7, 8, 9) == 987654321.0);
  CHECK(f_long_double(times) == (long double)times / 3);
  CHECK(f_complex_long_double(2) == 2 + 4 * I);
  CHECK(f_complex(times, 5) == times + 5 * I);
  CHECK(f_variable(3, 1.5, 1, 2.5, 2, 3.5, 3) == 13.5);
  CHECK(f_wide((__int128)1 << 100) == (__int128)3 << 100);
}

static void structures(void)
{
  struct pair pair = f_pair(times, 2);
  CHECK(pair.first == times + 1 && pair.second == 3);
  struct large large = f_large(times);
  CHECK(large.values[0] == times && large.values[8] == times + 8);
}

#ifndef __clang__
/* A function within another one finds its variables by one more register. */
static void nested(void)
{
  int outer = times;
  FUNCTION int inner(int a)
  {
    return a + outer++;
  }
  CHECK(inner(1) == times + 1 && outer == times + 1);
}
#else
static void nested(void)
{
}
#endif

int main(void)
{
  for (times = 1; times <= 100; times++) {
    integers_and_floats();
    structures();
    nested();
    if (__builtin_cpu_supports("avx"))
      avx();
    if (__builtin_cpu_supports("avx512f"))
      avx512();
  }
  puts("all are right");
  return 0;
}
