/*
 * swarm THREADS AT_ONCE US: so many threads, at most AT_ONCE at a time. Each takes so many microseconds of processor
 * time. If the machine gives no further thread, all live ones end first. Prints how many there were, how many lived at
 * once, and the processor time that they took together.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static atomic_llong taken; /* ns */
static long us;

static long long processor_time(void)
{
  struct timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return time.tv_sec * 1000000000ll + time.tv_nsec;
}

/* Time in the kernel, where the clock is asked, has no samples: next to none of it. */
__attribute__((noinline)) static void burn(void)
{
  while (processor_time() < us * 1000)
    for (volatile int i = 0; i < 30000; i++)
      ;
}

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;

/* Closed until all threads that there will be at a time are there. */
static void *live(void *unused)
{
  pthread_mutex_lock(&gate);
  pthread_mutex_unlock(&gate);
  burn();
  atomic_fetch_add(&taken, processor_time());
  return unused;
}

/* Makes threads and waits for their end. Returns how many there were. */
static int one_round(pthread_t *ids, int most)
{
  pthread_attr_t attributes;
  int count = 0;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 128 << 10);
  pthread_mutex_lock(&gate);
  while (count < most && pthread_create(&ids[count], &attributes, live, NULL) == 0)
    count++;
  pthread_mutex_unlock(&gate);
  for (int i = 0; i < count; i++)
    pthread_join(ids[i], NULL);
  pthread_attr_destroy(&attributes);
  return count;
}

int main(int argc, char **argv)
{
  int threads = argc > 3 ? atoi(argv[1]) : 0, at_once = argc > 3 ? atoi(argv[2]) : 0, made = 0, most = 0;
  pthread_t *ids = at_once > 0 ? malloc((size_t)at_once * sizeof *ids) : NULL;
  us = argc > 3 ? atol(argv[3]) : 0;
  if (!ids) {
    fprintf(stderr, "usage: swarm THREADS AT_ONCE US\n");
    return 2;
  }
  while (made < threads) {
    int now = one_round(ids, threads - made < at_once ? threads - made : at_once);
    if (now == 0)
      return 1;
    made += now;
    most = now > most ? now : most;
  }
  printf("%d threads\n", made);
  fprintf(stderr, "at once: %d, ns: %lld\n", most, (long long)taken);
  free(ids);
  return 0;
}
