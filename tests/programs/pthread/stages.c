/* Three stages with semaphores between them; the second is the slowest: the path goes along it. */
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

enum { STAGES = 3, ITEMS = 10 };
static const long naps[STAGES] = {5, 10, 5}; /* ms */
static sem_t ready[STAGES];

static void nap(long ms)
{
  nanosleep(&(struct timespec){0, ms * 1000000}, NULL);
}

static void work(int stage)
{
  for (int i = 0; i < ITEMS; i++) {
    sem_wait(&ready[stage]);
    nap(naps[stage]);
    if (stage + 1 < STAGES)
      sem_post(&ready[stage + 1]);
  }
}

static void *quick(void *unused)
{
  work(0);
  return unused;
}

static void *slow(void *unused)
{
  work(1);
  return unused;
}

static void *end(void *unused)
{
  work(2);
  return unused;
}

int main(void)
{
  static void *(*const stages[STAGES])(void *) = {quick, slow, end};
  pthread_t threads[STAGES];
  for (int i = 0; i < STAGES; i++)
    sem_init(&ready[i], 0, i == 0 ? ITEMS : 0);
  for (int i = STAGES - 1; i >= 0; i--)
    if (pthread_create(&threads[i], NULL, stages[i], NULL) != 0)
      return 1;
  for (int i = 0; i < STAGES; i++)
    pthread_join(threads[i], NULL);
  return 0;
}
