/*
 * Prints what a pair of calls that wait for nobody takes, in ns of processor time: the median of many runs of PAIRS.
 * The process has had a second thread, so that libc's functions are atomic, if there is no argument. With a number
 * behind `threads`: the us that a thread takes from its creation to its join, of the whole process' processor time.
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { PAIRS = 200000, RUNS = 21 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spin;
static sem_t semaphore;

static double now(void)
{
  struct timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static int compare(const void *a, const void *b)
{
  double difference = *(const double *)a - *(const double *)b;
  return (difference > 0) - (difference < 0);
}

#define MEASURE(name, begin, end)                                                                                      \
  do {                                                                                                                 \
    double runs[RUNS];                                                                                                 \
    for (int run = 0; run < RUNS; run++) {                                                                             \
      double from = now();                                                                                             \
      for (int i = 0; i < PAIRS; i++) {                                                                                \
        begin;                                                                                                         \
        end;                                                                                                           \
      }                                                                                                                \
      runs[run] = (now() - from) / PAIRS;                                                                              \
    }                                                                                                                  \
    qsort(runs, RUNS, sizeof *runs, compare);                                                                          \
    printf("%s %.2f\n", name, runs[RUNS / 2]);                                                                         \
  } while (0)

static void *nothing(void *unused)
{
  return unused;
}

/* Two threads at a time, as many as `threads`. */
static int make_threads(long threads)
{
  struct timespec time;
  pthread_t pair[2];
  for (long i = 0; i < threads; i += 2) {
    if (pthread_create(&pair[0], NULL, nothing, NULL) != 0 || pthread_create(&pair[1], NULL, nothing, NULL) != 0)
      return 1;
    pthread_join(pair[0], NULL);
    pthread_join(pair[1], NULL);
  }
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  printf("thread %.2f\n", ((double)time.tv_sec * 1e6 + (double)time.tv_nsec / 1e3) / (double)threads);
  return 0;
}

int main(int count, char **arguments)
{
  pthread_t thread;
  if (count == 3 && strcmp(arguments[1], "threads") == 0)
    return make_threads(atol(arguments[2]));
  if (count == 1 && (pthread_create(&thread, NULL, nothing, NULL) != 0 || pthread_join(thread, NULL) != 0))
    return 1;
  pthread_spin_init(&spin, 0);
  sem_init(&semaphore, 0, 0);
  MEASURE("mutex", pthread_mutex_lock(&mutex), pthread_mutex_unlock(&mutex));
  MEASURE("try", pthread_mutex_trylock(&mutex), pthread_mutex_unlock(&mutex));
  MEASURE("read", pthread_rwlock_rdlock(&rwlock), pthread_rwlock_unlock(&rwlock));
  MEASURE("write", pthread_rwlock_wrlock(&rwlock), pthread_rwlock_unlock(&rwlock));
  MEASURE("spin", pthread_spin_lock(&spin), pthread_spin_unlock(&spin));
  MEASURE("semaphore", sem_post(&semaphore), sem_wait(&semaphore));
  return 0;
}
