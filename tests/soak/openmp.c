/* OpenMP: regions, loops, tasks, locks. */
#include "tests/soak/soak.h"

#include "tests/soak/counts.h"

#include <omp.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

/*
 * In a child of fork libgomp has none of the threads that its parent's regions had, and waits for them for ever. A
 * thread that is new has a pool of its own: there both runtimes work.
 */
struct work {
  void (*does)(struct draw *draw);
  struct draw *draw;
};

static void *work(void *argument)
{
  struct work *work = argument;
  work->does(work->draw);
  return NULL;
}

/*
 * Not on libomp, which has regions in children, and whose first thread has to stay. If a tool listens, libomp 19 looks
 * at this thread at the end of each critical section, even after its end, and crashes (__kmpc_end_critical:
 * OMPT_LOAD_RETURN_ADDRESS(0)).
 */
bool openmp_needs_thread(void)
{
#ifdef SOAK_LIBOMP
  return false;
#else
  return conditions & IS_FORKED;
#endif
}

static void with_openmp(struct draw *draw, void (*does)(struct draw *draw))
{
  struct work it = {does, draw};
  pthread_t thread;
  if (!openmp_needs_thread())
    does(draw);
  else if (begin_thread(&thread, 0, work, &it))
    pthread_join(thread, NULL);
  conditions |= IS_OPENMP;
}

static unsigned team(struct draw *draw)
{
  return draw_between(draw, 1, 4);
}

/*
 * libomp steals chunks in loops that are not monotonic, and its assertion about the rest fails now and then, with us
 * and without. See kmp_dispatch.cpp:1618, and LLVM issues 86995 and 132164: passive waiting, a busy machine.
 */
#ifdef SOAK_LIBOMP
#define LOOP_ORDER monotonic
#else
#define LOOP_ORDER nonmonotonic
#endif

static void loops(struct draw *draw)
{
  unsigned regions = draw_between(draw, 1, 30), threads = team(draw), iterations = draw_between(draw, 1, 50);
  unsigned long sum = 0;
  for (unsigned i = 0; i < regions; i++) {
    counts_begin(PARALLEL);
#pragma omp parallel num_threads(threads)
    {
#pragma omp for schedule(LOOP_ORDER : dynamic, 3) reduction(+ : sum)
      for (unsigned j = 0; j < iterations; j++)
        sum += j;
      emit_event();
#pragma omp single
      emit_event();
      counts_begin(CRITICAL);
#pragma omp critical
      emit_event();
      counts_done(CRITICAL);
#pragma omp barrier
    }
    counts_done(PARALLEL);
  }
  say("sum %lu\n", sum);
}

void act_regions(struct draw *draw)
{
  with_openmp(draw, loops);
}

static unsigned fibonacci(unsigned n)
{
  if (n < 2)
    return n;
  unsigned a, b;
  counts_begin(TASK);
#pragma omp task shared(a)
  a = fibonacci(n - 1);
  counts_done(TASK);
  counts_begin(TASK);
#pragma omp task shared(b)
  b = fibonacci(n - 2);
  counts_done(TASK);
#pragma omp taskwait
  return a + b;
}

static void tasks(struct draw *draw)
{
  unsigned n = draw_between(draw, 3, 11), threads = team(draw), result = 0;
  counts_begin(PARALLEL);
#pragma omp parallel num_threads(threads)
#pragma omp single
  result = fibonacci(n);
  counts_done(PARALLEL);
  say("fibonacci %u\n", result);
}

void act_tasks(struct draw *draw)
{
  with_openmp(draw, tasks);
}

static void locks(struct draw *draw)
{
  unsigned threads = team(draw), n = draw_between(draw, 1, 100), sum = 0;
  omp_lock_t lock;
  omp_init_lock(&lock);
  counts_begin(PARALLEL);
#pragma omp parallel num_threads(threads)
  for (unsigned i = 0; i < n; i++) {
    counts_begin(LOCK);
    omp_set_lock(&lock);
    sum++;
    omp_unset_lock(&lock);
    counts_done(LOCK);
    if (i % 8 == 0)
      emit_event();
  }
  counts_done(PARALLEL);
  omp_destroy_lock(&lock);
  say("locked %u\n", sum);
}

/*
 * libomp 19 frees the table of its locks in a child of fork and goes on to use it. If the parent has used locks, the
 * child's first one crashes, or fails an assertion (kmp_csupport.cpp:1507), with us and without.
 */
static bool locks_work(void)
{
#ifdef SOAK_LIBOMP
  static int64_t user = -1; /* number of the process that has used locks */
  if (user >= 0 && user != counts_process())
    return false;
  user = counts_process();
#endif
  return true;
}

void act_locks(struct draw *draw)
{
  if (!locks_work())
    return;
  with_openmp(draw, locks);
}

static void nested(struct draw *draw)
{
  unsigned n = draw_between(draw, 1, 5);
  unsigned members = 0;
  omp_set_max_active_levels(2);
  for (unsigned i = 0; i < n; i++) {
    counts_begin(PARALLEL);
#pragma omp parallel num_threads(2)
    {
      counts_begin(PARALLEL);
#pragma omp parallel num_threads(2)
      {
#pragma omp atomic
        members++;
        emit_event();
      }
      counts_done(PARALLEL);
    }
    counts_done(PARALLEL);
  }
  omp_set_max_active_levels(1);
  say("members %u\n", members);
}

void act_nested(struct draw *draw)
{
  with_openmp(draw, nested);
}

/* Threads of the program's own, each with regions of its own. */
static void *is_root(void *n)
{
  for (unsigned i = (unsigned)(uintptr_t)n; i > 0; i--) {
    counts_begin(PARALLEL);
#pragma omp parallel num_threads(2)
    emit_event();
    counts_done(PARALLEL);
  }
  return NULL;
}

void act_roots(struct draw *draw)
{
#ifdef SOAK_LIBOMP /* see openmp_needs_thread */
  omp_get_max_threads();
#endif
  pthread_t thread[4];
  bool begun[4];
  unsigned n = draw_between(draw, 1, 4);
  for (unsigned i = 0; i < n; i++)
    begun[i] = begin_thread(&thread[i], 0, is_root, (void *)(uintptr_t)draw_between(draw, 1, 10));
  for (unsigned i = 0; i < n; i++)
    if (begun[i])
      pthread_join(thread[i], NULL);
  conditions |= IS_OPENMP;
}

static void handler(int number)
{
  (void)number;
  emit_from_handler();
}

static atomic_bool over;

static void *sends(void *unused)
{
  while (!atomic_load(&over)) {
    kill(getpid(), SIGUSR2);
    usleep(100);
  }
  return unused;
}

/* Signals to the process, which any of its threads may get in the middle of whatever the runtime does. */
void act_signals_in_regions(struct draw *draw)
{
  struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};
  sigset_t usr2;
  pthread_t thread;
  sigemptyset(&action.sa_mask);
  sigaction(SIGUSR2, &action, NULL);
  sigemptyset(&usr2);
  sigaddset(&usr2, SIGUSR2);
  atomic_store(&over, false);
  pthread_sigmask(SIG_BLOCK, &usr2, NULL); /* not the sender */
  bool begun = begin_thread(&thread, 0, sends, NULL);
  pthread_sigmask(SIG_UNBLOCK, &usr2, NULL);
  for (unsigned i = 0; i < 5; i++)
    with_openmp(draw, loops);
  atomic_store(&over, true);
  if (begun)
    pthread_join(thread, NULL);
}
