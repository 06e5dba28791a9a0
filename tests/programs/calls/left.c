/* Functions that are left without a return: by longjmp, by pthread_exit, and by exit, which is status 3. */
#include "tests/programs/calls/own_count.h"

#include <alloca.h>
#include <pthread.h>
#include <setjmp.h>

enum { TIMES = 1000 };

static __thread jmp_buf back;

__attribute__((noinline)) static void f_d(int n)
{
  own_call('d');
  if (n % 3 == 0)
    longjmp(back, 1);
  own_return();
}

__attribute__((noinline)) static void f_c(int n)
{
  own_call('c');
  volatile char *room = alloca((size_t)(n % 7) * 64 + 16);
  room[0] = (char)n;
  f_d(n);
  own_return();
}

__attribute__((noinline)) static void f_b(int n)
{
  own_call('b');
  for (int i = 0; i <= n % 2; i++)
    f_c(n + i);
  own_return();
}

__attribute__((noinline)) static void f_e(void)
{
  own_call('e');
  own_return();
}

/* Comes back here, calls others at the same depth, and does so again and again. */
__attribute__((noinline)) static void f_a(void)
{
  struct own *here = own_call('a');
  for (volatile int i = 0; i < TIMES; i++) {
    if (setjmp(back) == 0)
      f_b(i);
    own_back_to(here);
    f_e();
  }
  own_return();
}

__attribute__((noinline)) static void f_g(void)
{
  own_call('g');
  own_print("ends");
  pthread_exit(NULL);
}

__attribute__((noinline)) static void f_f(void)
{
  own_call('f');
  f_g();
  own_return();
}

PLAIN static void *thread(void *unused)
{
  (void)unused;
  pthread_setname_np(pthread_self(), "ends");
  f_a();
  f_f();
  return NULL;
}

__attribute__((noinline)) static void f_h(void)
{
  own_call('h');
  own_print("first");
  exit(3);
}

int main(void)
{
  pthread_t other;
  pthread_setname_np(pthread_self(), "first");
  pthread_create(&other, NULL, thread, NULL);
  pthread_join(other, NULL);
  f_a();
  f_h();
  return 0;
}
