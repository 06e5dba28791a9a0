/*
 * Each kind of wait of POSIX threads, so many times: a thread is seen asleep in the call before another one wakes it.
 * They meet without any call that could wait.
 */
#include "tests/programs/program.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define ROUNDS 5

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t barrier;
static pthread_spinlock_t spin_lock;
static sem_t semaphore;
static atomic_int step, sleeper, main_id;
static int flag;
static bool is_right = true;

/* Until a thread of this process sleeps in the kernel. */
static void until_asleep(int thread)
{
  char path[64], line[512] = "";
  snprintf(path, sizeof path, "/proc/self/task/%d/stat", thread);
  for (const char *end = NULL; end == NULL || end[1] != ' ' || end[2] != 'S'; sched_yield()) {
    FILE *file = fopen(path, "r");
    if (file == NULL || fgets(line, sizeof line, file) == NULL)
      abort();
    fclose(file);
    end = strrchr(line, ')');
  }
}

/* The sleeper says in which step it is, and then calls what sleeps. */
static void at(int wanted)
{
  while (atomic_load(&step) != wanted)
    sched_yield();
}

static void sleep_in(int wanted)
{
  at(wanted);
  atomic_store(&sleeper, (int)syscall(SYS_gettid));
}

static void until_sleeper(void)
{
  int thread;
  while ((thread = atomic_exchange(&sleeper, 0)) == 0)
    sched_yield();
  until_asleep(thread);
}

static void *sleeper_thread(void *unused)
{
  int now = 1;
  (void)unused;
  for (int i = 0; i < ROUNDS; i++) {
    sleep_in(now++);
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    sleep_in(now++);
    pthread_rwlock_rdlock(&rwlock);
    pthread_rwlock_unlock(&rwlock);
    sleep_in(now++);
    pthread_rwlock_wrlock(&rwlock);
    pthread_rwlock_unlock(&rwlock);
    at(now++);
    pthread_mutex_lock(&mutex);
    atomic_store(&sleeper, (int)syscall(SYS_gettid));
    while (!flag)
      pthread_cond_wait(&condition, &mutex);
    flag = 0;
    pthread_mutex_unlock(&mutex);
    sleep_in(now++);
    while (sem_wait(&semaphore) != 0)
      ;
    sleep_in(now++);
    pthread_barrier_wait(&barrier);
    sleep_in(now++);
    pthread_spin_lock(&spin_lock);
    pthread_spin_unlock(&spin_lock);
  }
  at(now);
  until_asleep(atomic_load(&main_id));
  return NULL;
}

static void wake_all(int now)
{
  pthread_mutex_lock(&mutex);
  atomic_store(&step, now);
  until_sleeper();
  pthread_mutex_unlock(&mutex);
  pthread_rwlock_wrlock(&rwlock);
  atomic_store(&step, now + 1);
  until_sleeper();
  pthread_rwlock_unlock(&rwlock);
  pthread_rwlock_rdlock(&rwlock);
  atomic_store(&step, now + 2);
  until_sleeper();
  pthread_rwlock_unlock(&rwlock);
  atomic_store(&step, now + 3);
  until_sleeper();
  pthread_mutex_lock(&mutex);
  flag = 1;
  pthread_cond_signal(&condition);
  pthread_mutex_unlock(&mutex);
  atomic_store(&step, now + 4);
  until_sleeper();
  sem_post(&semaphore);
  atomic_store(&step, now + 5);
  until_sleeper();
  pthread_barrier_wait(&barrier);
  pthread_spin_lock(&spin_lock);
  atomic_store(&step, now + 6);
  while (atomic_exchange(&sleeper, 0) == 0)
    sched_yield();
  usleep(20000); /* it spins */
  pthread_spin_unlock(&spin_lock);
}

int main(void)
{
  pthread_t thread;
  pthread_barrier_init(&barrier, NULL, 2);
  pthread_spin_init(&spin_lock, PTHREAD_PROCESS_PRIVATE);
  sem_init(&semaphore, 0, 0);
  atomic_store(&main_id, (int)getpid());
  is_right &= pthread_create(&thread, NULL, sleeper_thread, NULL) == 0;
  for (int i = 0; i < ROUNDS; i++)
    wake_all(1 + 7 * i);
  atomic_store(&step, 1 + 7 * ROUNDS);
  is_right &= pthread_join(thread, NULL) == 0;
  truth("rounds", ROUNDS);
  return finish(is_right);
}
