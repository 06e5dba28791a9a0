/*
 * random_tree SEED CALLS THREADS [omp]: each thread calls functions at random, so many times in all, up to a depth.
 * Functions call themselves and each other in circles, too.
 */
#include "tests/programs/calls/own_count.h"

#include <pthread.h>

enum { DEPTH_MOST = 8, NEXT = 4 };

static __thread unsigned long state, left;

PLAIN static unsigned random_number(void)
{
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return (unsigned)(state >> 20);
}

static void call(char caller, unsigned depth);

/* clang-format off */
#define FUNCTION(name)                                                                                                 \
  __attribute__((noinline)) static void f_##name(unsigned depth)                                                        \
  {                                                                                                                    \
    own_call(#name[0]);                                                                                                \
    call(#name[0], depth);                                                                                             \
    own_return();                                                                                                      \
  }
FUNCTION(a) FUNCTION(b) FUNCTION(c) FUNCTION(d) FUNCTION(e) FUNCTION(f) FUNCTION(g) FUNCTION(h)
    /* clang-format on */

    static void (*const functions[])(unsigned depth) = {f_a, f_b, f_c, f_d, f_e, f_f, f_g, f_h};

/* Some of the functions, among which is the caller: from two places, so that there are two call sites. */
PLAIN static void call(char caller, unsigned depth)
{
  while (depth < DEPTH_MOST && left > 0 && random_number() % 4 != 0) {
    unsigned next = ((unsigned)(caller - 'a') * 3 + random_number() % NEXT) % 8;
    left--;
    if (random_number() % 2)
      functions[next](depth + 1);
    else
      functions[next](depth + 1);
  }
}

PLAIN static void run(unsigned long seed, unsigned long calls, int thread)
{
  char name[16];
  snprintf(name, sizeof name, "random-%d", thread);
  pthread_setname_np(pthread_self(), name);
  state = seed * 0x9e3779b97f4a7c15ul + (unsigned long)thread + 1;
  left = calls;
  while (left > 0)
    call('a', 0);
  own_print(name);
}

static unsigned long seed, calls;

PLAIN static void *run_thread(void *thread)
{
  run(seed, calls, (int)(long)thread);
  return NULL;
}

int main(int count, char **arguments)
{
  pthread_t others[64];
  int threads = count > 3 ? atoi(arguments[3]) : 1;
  seed = strtoul(arguments[1], NULL, 10);
  calls = strtoul(arguments[2], NULL, 10);
  if (count > 4) {
#pragma omp parallel for num_threads(threads) schedule(static, 1)
    for (int i = 0; i < threads; i++)
      run(seed, calls, i);
    return 0;
  }
  for (long i = 1; i < threads; i++)
    pthread_create(&others[i], NULL, run_thread, (void *)i);
  run(seed, calls, 0);
  for (int i = 1; i < threads; i++)
    pthread_join(others[i], NULL);
  return 0;
}
