/* many_threads N: so many threads, some at a time; each one calls a few functions. */
#include "tests/programs/calls/own_count.h"

enum { AT_ONCE = 50 };

__attribute__((noinline)) static void f_b(void)
{
  __asm__ volatile("");
}

static void *f_a(void *unused)
{
  f_b();
  f_b();
  return unused;
}

int main(int count, char **arguments)
{
  int threads = count > 1 ? atoi(arguments[1]) : 1;
  for (int done = 0; done < threads; done += AT_ONCE) {
    pthread_t ids[AT_ONCE];
    int now = threads - done < AT_ONCE ? threads - done : AT_ONCE;
    for (int i = 0; i < now; i++)
      if (pthread_create(&ids[i], NULL, f_a, NULL) != 0)
        return 1;
    for (int i = 0; i < now; i++)
      pthread_join(ids[i], NULL);
  }
  return 0;
}
