/*
 * A loop with schedule(runtime) whose iterations cost a known time. ./schedules LOAD CLOCK [calls] [iterations] [us]
 *
 * LOAD is triangular (iteration i costs in proportion to i + 1), random (exponential, different in each call, the same
 * in each run) or constant. `us` is the mean cost.
 *
 * CLOCK is `sleep` (an iteration sleeps as long as it costs) or `virtual`: an iteration moves its
 * thread's own clock forward by its cost. Before a thread goes on, it waits until no other one is behind. So the
 * runtime hands out iterations in the order in which it would if they took that long, on any machine.
 *
 * Prints `loop: <ns>`, the time of all calls; virtual also `iteration: CALL THREAD NUMBER BEGIN END`, in ns, for each.
 */
#include "tests/programs/program.h"
#include <math.h>
#include <omp.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { CALLS = 3, ITERATIONS = 96, MEAN_US = 1500, MOST = 1 << 20, THREADS_MOST = 64 };

struct executed {
  int thread;
  int64_t begin, end;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t moved = PTHREAD_COND_INITIALIZER;
static int64_t clocks[THREADS_MOST]; /* INT64_MAX: has left the loop */
static int threads;
static uint64_t state = 1;

/* Above 0, up to 1. */
static double next_random(void)
{
  state = state * 6364136223846793005u + 1442695040888963407u;
  return ((double)(state >> 11) + 1) / 9007199254740992.0;
}

/* In ns. */
static void fill(int64_t *costs, int n, char load, double mean)
{
  for (int i = 0; i < n; i++) {
    double part = load == 't' ? 2.0 * (i + 1) / (n + 1) : load == 'r' ? -log(next_random()) : 1;
    costs[i] = (int64_t)(part * mean) + 1;
  }
}

static void sleep_ns(int64_t ns)
{
  struct timespec left = {ns / 1000000000, ns % 1000000000};
  while (nanosleep(&left, &left) != 0)
    continue;
}

static bool is_behind(int other, int me)
{
  return clocks[other] < clocks[me] || (clocks[other] == clocks[me] && other < me);
}

/* Moves the clock of a thread, and waits until no other one is behind. */
static void move_clock(int me, int64_t cost)
{
  pthread_mutex_lock(&lock);
  clocks[me] += cost;
  pthread_cond_broadcast(&moved);
  for (int other = 0; other < threads;) {
    if (is_behind(other, me)) {
      pthread_cond_wait(&moved, &lock);
      other = 0;
    } else {
      other++;
    }
  }
  pthread_mutex_unlock(&lock);
}

static void leave_loop(int me)
{
  pthread_mutex_lock(&lock);
  clocks[me] = INT64_MAX;
  pthread_cond_broadcast(&moved);
  pthread_mutex_unlock(&lock);
}

static void work_virtually(const int64_t *costs, int n, struct executed *executed)
{
#pragma omp parallel
  {
    int me = omp_get_thread_num();
    clocks[me] = 0;
#pragma omp single
    threads = omp_get_num_threads();
#pragma omp for schedule(runtime) nowait
    for (int i = 0; i < n; i++) {
      int64_t begin = clocks[me];
      move_clock(me, costs[i]);
      executed[i] = (struct executed){me, begin, begin + costs[i]};
    }
    leave_loop(me);
  }
}

static void work_really(const int64_t *costs, int n, struct executed *executed)
{
#pragma omp parallel for schedule(runtime)
  for (int i = 0; i < n; i++) {
    sleep_ns(costs[i]);
    executed[i] = (struct executed){omp_get_thread_num(), 0, costs[i]};
  }
}

/* The time when the last iteration of a call ended. */
static int64_t print_call(int call, const struct executed *executed, int n)
{
  int64_t last = 0;
  for (int i = 0; i < n; i++) {
    printf("iteration: %d %d %d %lld %lld\n", call, executed[i].thread, i, (long long)executed[i].begin,
           (long long)executed[i].end);
    last = executed[i].end > last ? executed[i].end : last;
  }
  return last;
}

int main(int argc, char **argv)
{
  char load = argc > 1 ? *argv[1] : 0;
  bool is_virtual = argc > 2 && strcmp(argv[2], "virtual") == 0;
  int calls = argc > 3 ? atoi(argv[3]) : CALLS, n = argc > 4 ? atoi(argv[4]) : ITERATIONS;
  double mean = 1000 * (argc > 5 ? atof(argv[5]) : MEAN_US);
  int64_t *costs = n > 0 && n <= MOST ? calloc((size_t)n, sizeof *costs) : NULL;
  struct executed *executed = costs ? calloc((size_t)n, sizeof *executed) : NULL;
  bool known =
      (load == 't' || load == 'r' || load == 'c') && (is_virtual || (argc > 2 && strcmp(argv[2], "sleep") == 0));
  if (!executed || !known || calls < 1 || !(mean > 0 && mean < 1e12) || omp_get_max_threads() > THREADS_MOST) {
    fprintf(stderr, "schedules: LOAD is triangular, random or constant, CLOCK sleep or virtual; up to 64 threads\n");
    return 2;
  }
#pragma omp parallel
  sleep_ns(1000); /* the threads are there before anything is timed */
  int64_t time = 0, done = 0;
  for (int call = 0; call < calls; call++) {
    fill(costs, n, load, mean);
    double before = omp_get_wtime();
    (is_virtual ? work_virtually : work_really)(costs, n, executed);
    time += is_virtual ? print_call(call, executed, n) : (int64_t)((omp_get_wtime() - before) * 1e9);
    for (int i = 0; i < n; i++)
      done += executed[i].end - executed[i].begin == costs[i];
  }
  printf("loop: %lld\n", (long long)time);
  free(costs);
  free(executed);
  truth("loops", (long)calls * omp_get_max_threads());
  return finish(done == (int64_t)calls * n);
}
