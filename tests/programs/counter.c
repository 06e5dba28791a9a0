/*
 * A run that counts its own events in a file and never ends by itself: ./counter FILE. It is killed at any moment; what
 * the counters say happened must be in the trace. A thread counts an event after the construct has returned.
 */
#include "tests/programs/program.h"
#include <fcntl.h>
#include <omp.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { THREADS = 4 };

/* The file: four of these, in the byte order of the machine; end-to-end/kill.py reads them. */
struct counters {
  _Atomic long tid, criticals, locks, chunks, barriers, tasks, singles;
  long reserved;
};

static void count(_Atomic long *counter)
{
  atomic_fetch_add_explicit(counter, 1, memory_order_release);
}

/* One round of constructs on one thread. */
static void round_of_events(struct counters *mine, omp_lock_t *lock)
{
#pragma omp critical
  sched_yield();
  count(&mine->criticals);

  omp_set_lock(lock);
  omp_unset_lock(lock);
  count(&mine->locks);

  /* The chunk before has ended when the next one begins. */
  int chunks = 0;
#pragma omp for schedule(dynamic, 1)
  for (int i = 0; i < 16; i++)
    if (chunks++ > 0)
      count(&mine->chunks);
  if (chunks > 0)
    count(&mine->chunks);

#pragma omp barrier
  count(&mine->barriers);

#pragma omp task
  sched_yield();
  count(&mine->tasks);

#pragma omp single
  sched_yield();
  count(&mine->singles);
}

int main(int argc, char **argv)
{
  int file = argc == 2 ? open(argv[1], O_RDWR | O_CREAT | O_TRUNC, 0600) : -1;
  size_t size = THREADS * sizeof(struct counters);
  if (file < 0 || ftruncate(file, (off_t)size) != 0) {
    fprintf(stderr, "counter: give the name of a file that can be written\n");
    return 2;
  }
  struct counters *counters = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (counters == MAP_FAILED)
    return 2;
  omp_lock_t lock;
  omp_init_lock(&lock);
  for (;;) {
#pragma omp parallel num_threads(THREADS)
    {
      struct counters *mine = &counters[omp_get_thread_num()];
      atomic_store(&mine->tid, gettid());
      for (int i = 0; i < 20; i++)
        round_of_events(mine, &lock);
    }
  }
}
