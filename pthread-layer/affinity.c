/*
 * Number of processors that the process may use from its begin on. Constructors of OpenMP runtimes bind the initial
 * thread, also before this library is loaded, and so may the program. Therefore the number is read before the first
 * change.
 */
#include "pthread-layer/layer.h"

#include <errno.h>
#include <sched.h>

static atomic_uint processors; /* 0: not read yet, or unknown */

static void affinity_read(void)
{
  int kept = errno;
  cpu_set_t set;
  if (atomic_load_explicit(&processors, memory_order_relaxed) == 0 && sched_getaffinity(0, sizeof set, &set) == 0)
    atomic_store(&processors, (unsigned)CPU_COUNT(&set));
  errno = kept;
}

__attribute__((constructor(103))) static void affinity_begin(void)
{
  affinity_read();
}

LAYER_WRAPPER heddle_processors_1_t heddle_processors_1;

unsigned heddle_processors_1(void)
{
  return atomic_load(&processors);
}

LAYER_WRAPPER int sched_setaffinity(pid_t process, size_t size, const cpu_set_t *set)
{
  layer_need_next();
  affinity_read();
  return next.sched_setaffinity(process, size, set);
}

LAYER_WRAPPER int pthread_setaffinity_np(pthread_t thread, size_t size, const cpu_set_t *set)
{
  layer_need_next();
  affinity_read();
  return next.pthread_setaffinity_np(thread, size, set);
}
