#include "base/pool.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

struct pool_thread {
  struct pool *pool;
  pthread_t thread;
  unsigned worker;
};

struct pool {
  pthread_mutex_t mutex;
  pthread_cond_t begin, done;
  uint64_t round; /* grows by one a run; threads wait for it to change */
  unsigned busy;  /* threads that have not finished the round */
  bool quit;
  pool_work *work;
  void *context;
  uint32_t count;
  _Atomic uint32_t next;
  atomic_bool failed;
  unsigned threads; /* without the caller */
  struct pool_thread list[];
};

static void take_items(struct pool *pool, unsigned worker)
{
  uint32_t item;
  while (!atomic_load_explicit(&pool->failed, memory_order_relaxed) &&
         (item = atomic_fetch_add(&pool->next, 1)) < pool->count) {
    if (!pool->work(pool->context, worker, item))
      atomic_store(&pool->failed, true);
  }
}

static void *run_thread(void *argument)
{
  struct pool_thread *self = argument;
  struct pool *pool = self->pool;
  uint64_t seen = 0;
  pthread_mutex_lock(&pool->mutex);
  for (;;) {
    while (pool->round == seen && !pool->quit)
      pthread_cond_wait(&pool->begin, &pool->mutex);
    if (pool->quit)
      break;
    seen = pool->round;
    pthread_mutex_unlock(&pool->mutex);
    take_items(pool, self->worker);
    pthread_mutex_lock(&pool->mutex);
    if (--pool->busy == 0)
      pthread_cond_signal(&pool->done);
  }
  pthread_mutex_unlock(&pool->mutex);
  return NULL;
}

static unsigned processors(void)
{
  cpu_set_t set;
  return sched_getaffinity(0, sizeof set, &set) == 0 ? (unsigned)CPU_COUNT(&set) : 1;
}

struct pool *pool_create(unsigned workers)
{
  if (workers == 0)
    workers = processors();
  struct pool *pool = calloc(1, sizeof *pool + workers * sizeof pool->list[0]);
  if (!pool)
    return NULL;
  pthread_mutex_init(&pool->mutex, NULL);
  pthread_cond_init(&pool->begin, NULL);
  pthread_cond_init(&pool->done, NULL);
  for (unsigned i = 0; i + 1 < workers; i++) {
    struct pool_thread *thread = &pool->list[i];
    *thread = (struct pool_thread){.pool = pool, .worker = i + 1};
    if (pthread_create(&thread->thread, NULL, run_thread, thread) != 0)
      break; /* fewer threads do the same work */
    pool->threads++;
  }
  return pool;
}

void pool_destroy(struct pool *pool)
{
  if (!pool)
    return;
  pthread_mutex_lock(&pool->mutex);
  pool->quit = true;
  pthread_cond_broadcast(&pool->begin);
  pthread_mutex_unlock(&pool->mutex);
  for (unsigned i = 0; i < pool->threads; i++)
    pthread_join(pool->list[i].thread, NULL);
  pthread_cond_destroy(&pool->done);
  pthread_cond_destroy(&pool->begin);
  pthread_mutex_destroy(&pool->mutex);
  free(pool);
}

unsigned pool_workers(const struct pool *pool)
{
  return pool->threads + 1;
}

bool pool_run(struct pool *pool, uint32_t count, pool_work *work, void *context)
{
  pool->work = work;
  pool->context = context;
  pool->count = count;
  atomic_store(&pool->next, 0);
  atomic_store(&pool->failed, false);
  if (pool->threads > 0 && count > 1) {
    pthread_mutex_lock(&pool->mutex);
    pool->busy = pool->threads;
    pool->round++;
    pthread_cond_broadcast(&pool->begin);
    pthread_mutex_unlock(&pool->mutex);
  }
  take_items(pool, 0);
  if (pool->threads > 0 && count > 1) {
    pthread_mutex_lock(&pool->mutex);
    while (pool->busy > 0)
      pthread_cond_wait(&pool->done, &pool->mutex);
    pthread_mutex_unlock(&pool->mutex);
  }
  return !atomic_load(&pool->failed);
}
