/*
 * ./away REGIONS [ROOTS [static|event]]: so many tiny parallel regions, in which the threads are in locks, nested
 * locks, critical sections, tasks, loops, single and nested regions, and what is between the regions. With ROOTS,
 * further threads of the program's own begin such regions meanwhile, a tenth as many. static: no loop is dynamic;
 * event: a task with an event comes first. Says how often each thing was done.
 */
#include <omp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHUNKS 8
#define TASKS  4

static atomic_long locks, criticals, tasks, chunks, singles;
static long guarded;
static bool is_static;
static omp_lock_t lock;
static omp_nest_lock_t nest;

static void lock_once(void)
{
  omp_set_lock(&lock);
  guarded++;
  omp_unset_lock(&lock);
  atomic_fetch_add_explicit(&locks, 1, memory_order_relaxed);
}

static void in_region(long round)
{
  lock_once();
  if (omp_test_lock(&lock)) {
    guarded++;
    omp_unset_lock(&lock);
    atomic_fetch_add_explicit(&locks, 1, memory_order_relaxed);
  }
  omp_set_nest_lock(&nest);
  omp_set_nest_lock(&nest);
  omp_unset_nest_lock(&nest);
  omp_unset_nest_lock(&nest);
#pragma omp critical
  atomic_fetch_add_explicit(&criticals, 1, memory_order_relaxed);
  if (is_static) {
#pragma omp for schedule(static, 1) nowait
    for (int i = 0; i < CHUNKS; i++)
      atomic_fetch_add_explicit(&chunks, 1, memory_order_relaxed);
  } else {
#pragma omp for schedule(dynamic, 1) nowait
    for (int i = 0; i < CHUNKS; i++)
      atomic_fetch_add_explicit(&chunks, 1, memory_order_relaxed);
  }
#pragma omp single nowait
  {
    atomic_fetch_add_explicit(&singles, 1, memory_order_relaxed);
    for (int i = 0; i < TASKS; i++) {
#pragma omp task depend(inout : guarded)
      {
        lock_once();
        atomic_fetch_add_explicit(&tasks, 1, memory_order_relaxed);
      }
    }
    if (round % 2) {
#pragma omp taskwait
    }
  }
  if (round % 16 == 0) {
#pragma omp parallel num_threads(2)
    lock_once();
  }
}

static void regions(long n)
{
  for (long i = 0; i < n; i++) {
#pragma omp parallel /* each one */
    in_region(i);
    if (i % 8 == 0) { /* the serial part */
      lock_once();
#pragma omp task
      lock_once();
    }
  }
}

static void *root(void *n)
{
  regions(*(long *)n / 10);
  return NULL;
}

static void task_with_event(void)
{
  omp_event_handle_t event = (omp_event_handle_t)0;
#pragma omp task detach(event)
  lock_once();
  omp_fulfill_event(event);
}

int main(int argc, char **argv)
{
  long n = argc > 1 ? atol(argv[1]) : 1000, roots = argc > 2 ? atol(argv[2]) : 0;
  pthread_t threads[16];
  omp_init_lock(&lock);
  omp_init_nest_lock(&nest);
  is_static = argc > 3 && strcmp(argv[3], "static") == 0;
  if (argc > 3 && strcmp(argv[3], "event") == 0)
    task_with_event();
  roots = roots < 16 ? roots : 16;
  regions(n / 2); /* before there are others */
  for (long i = 0; i < roots; i++)
    if (pthread_create(&threads[i], NULL, root, &n))
      return 1;
  regions(n - n / 2);
  for (long i = 0; i < roots; i++)
    pthread_join(threads[i], NULL);
  printf("%ld regions %ld locks %ld criticals %ld tasks %ld chunks %ld singles\n", n + roots * (n / 10),
         atomic_load(&locks), atomic_load(&criticals), atomic_load(&tasks), atomic_load(&chunks),
         atomic_load(&singles));
  return guarded == atomic_load(&locks) ? 0 : 1;
}
