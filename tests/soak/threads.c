/* Threads that begin and end. */
#include "tests/soak/soak.h"

#include "tests/soak/counts.h"
#include "user-events/include/heddle.h"

#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

enum { KIB = 1024, MOST_THREADS = 16 };

bool begin_thread(pthread_t *thread, size_t stack, void *(*body)(void *), void *argument)
{
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  if (stack)
    pthread_attr_setstacksize(&attributes, stack);
  int error = pthread_create(thread, &attributes, body, argument);
  pthread_attr_destroy(&attributes);
  if (error)
    say("no thread: %d\n", error);
  return error == 0;
}

static void *emits(void *n)
{
  emit_events((unsigned)(uintptr_t)n);
  return NULL;
}

/* n threads at once, each with so many events. */
static void threads(struct draw *draw, unsigned n, size_t stack, void *(*body)(void *))
{
  pthread_t thread[MOST_THREADS];
  bool begun[MOST_THREADS];
  for (unsigned i = 0; i < n; i++)
    begun[i] = begin_thread(&thread[i], stack, body, (void *)(uintptr_t)draw_between(draw, 0, 400));
  for (unsigned i = 0; i < n; i++)
    if (begun[i])
      pthread_join(thread[i], NULL);
}

void act_threads(struct draw *draw)
{
  threads(draw, draw_between(draw, 1, 8), 0, emits);
}

void act_small_stacks(struct draw *draw)
{
  static const size_t sizes[] = {16 * KIB, 20 * KIB, 24 * KIB, 32 * KIB, 64 * KIB};
  threads(draw, draw_between(draw, 1, 4), sizes[draw_below(draw, 5)], emits);
}

void act_generations(struct draw *draw)
{
  for (unsigned n = draw_between(draw, 5, 40); n > 0; n--)
    threads(draw, draw_between(draw, 1, 3), 0, emits);
}

static void *detached(void *gone)
{
  emit_events(20);
  sem_post(gone);
  return NULL;
}

void act_detached(struct draw *draw)
{
  unsigned n = draw_between(draw, 1, 8), begun = 0;
  static sem_t gone; /* the last one may still be in sem_post when the action has ended */
  sem_init(&gone, 0, 0);
  for (unsigned i = 0; i < n; i++) {
    pthread_t thread;
    if (begin_thread(&thread, 0, detached, &gone)) {
      pthread_detach(thread);
      begun++;
    }
  }
  while (begun > 0)
    if (sem_wait(&gone) == 0)
      begun--;
}

static pthread_key_t key;

/* Comes again in each round of destructors, as runtimes' own do. */
static void destroy(void *round)
{
  emit_events(3);
  if ((uintptr_t)round < 4)
    pthread_setspecific(key, (void *)((uintptr_t)round + 1));
}

static void *has_destructor(void *n)
{
  pthread_setspecific(key, (void *)1);
  return emits(n);
}

void act_destructors(struct draw *draw)
{
  if (pthread_key_create(&key, destroy) != 0)
    return;
  threads(draw, draw_between(draw, 1, 4), 0, has_destructor);
  pthread_key_delete(key);
}

static void *waits(void *unused)
{
  for (;;) {
    emit_event();
    usleep(50);
  }
  return unused;
}

static void *never_waits(void *unused)
{
  int before;
  emit_event();
  pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &before);
  for (;;)
    emit_slowly();
  return unused;
}

static void cancelled(struct draw *draw, void *(*body)(void *))
{
  for (unsigned n = draw_between(draw, 1, 8); n > 0; n--) {
    pthread_t thread;
    void *result;
    if (!begin_thread(&thread, 0, body, NULL))
      return;
    usleep(draw_below(draw, 1000));
    pthread_cancel(thread);
    pthread_join(thread, &result);
    if (result != PTHREAD_CANCELED)
      say("a thread was not cancelled\n");
  }
}

void act_cancel(struct draw *draw)
{
  cancelled(draw, waits);
}

void act_cancel_any_time(struct draw *draw)
{
  cancelled(draw, never_waits);
}

static struct {
  pthread_t thread[4];
  unsigned n;
  atomic_bool stop;
  pid_t of; /* the process that they are of */
} crowd;

static void *one_of_the_crowd(void *unused)
{
  while (!atomic_load(&crowd.stop)) {
    emit_in_region("in the crowd", 5);
    usleep(100);
  }
  return unused;
}

void act_crowd(struct draw *draw)
{
  crowd.n = 0;
  crowd.of = getpid();
  atomic_store(&crowd.stop, false);
  for (unsigned n = draw_between(draw, 1, 4); n > 0; n--)
    if (begin_thread(&crowd.thread[crowd.n], 0, one_of_the_crowd, NULL))
      crowd.n++;
  conditions |= IS_CROWDED;
}

void crowd_stop(void)
{
  if (!(conditions & IS_CROWDED) || crowd.of != getpid())
    return;
  atomic_store(&crowd.stop, true);
  for (unsigned i = 0; i < crowd.n; i++)
    pthread_join(crowd.thread[i], NULL);
  conditions &= ~(unsigned)IS_CROWDED;
}

static void *is_named(void *number)
{
  char name[32];
  snprintf(name, sizeof name, "named %u", (unsigned)(uintptr_t)number);
  pthread_setname_np(pthread_self(), name);
  emit_event();
  heddle_name_thread(name);
  emit_in_region(name, 3);
  pthread_setname_np(pthread_self(), "again");
  heddle_phase(name);
  emit_events(300);
  return NULL;
}

void act_names(struct draw *draw)
{
  threads(draw, draw_between(draw, 1, 4), 0, is_named);
}
