/*
 * A program with planted reasons for lost time: `heddle why` must name each with its source line. Each construct exists
 * three times, at three lines. The seed decides which copy has the fault, its time and number of rounds, and the order
 * of the constructs. All other copies are sound.
 *
 * usage: planted SEED none|REASON[,REASON]... [SECONDS]     REASON: a name in the table `kinds`
 * SECONDS: repeats all rounds for so long.
 * Prints "planted: REASON line=N" for each; 0: the reason has no line. Without a reason it prints "lost: N %" at the
 * end: how much longer all took than its work should take. This is the time of other programs, and the constructs' own
 * time.
 */
#include <omp.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { COPIES = 3, ROUNDS_LEAST = 3, ROUNDS_MOST = 6, US = 1000, MS = 1000000 }; /* ns */
enum { SOUND = 2 * MS };                                                         /* a sound execution */

static cpu_set_t allowed;
static omp_lock_t lock;

static long now(clockid_t clock)
{
  struct timespec time;
  clock_gettime(clock, &time);
  return time.tv_sec * 1000000000l + time.tv_nsec;
}

/* Works until the thread has had a processor for so long: other programs make this longer, not more. */
static void work(long ns)
{
  volatile double sum = 0;
  long end = now(CLOCK_THREAD_CPUTIME_ID) + ns;
  while (now(CLOCK_THREAD_CPUTIME_ID) < end)
    for (int i = 0; i < 50; i++)
      sum += i;
}

/* Less than a microsecond. */
static void work_little(void)
{
  volatile double sum = 0;
  for (int i = 0; i < 200; i++)
    sum += i;
}

static void block(long ns)
{
  nanosleep(&(struct timespec){ns / 1000000000, ns % 1000000000}, NULL);
}

static void bind_to(int member, bool bound)
{
  cpu_set_t one;
  int number = -1;
  for (int left = member % CPU_COUNT(&allowed); left >= 0; left--)
    do
      number++;
    while (!CPU_ISSET(number, &allowed));
  CPU_ZERO(&one);
  CPU_SET(number, &one);
  sched_setaffinity(0, sizeof one, bound ? &one : &allowed);
}

static pid_t rival;

/* A process that has thread 1's processor for most of the time, while it goes on. It is stopped at first. This returns
 * as soon as it is ready to go on, so that the time at which a busy machine began it does not matter. */
static void begin_rival(void)
{
  rival = fork();
  if (rival != 0) {
    waitpid(rival, NULL, WUNTRACED);
    return;
  }
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  bind_to(1, true);
  if (sched_getscheduler(0) != SCHED_OTHER)
    sched_setscheduler(0, SCHED_FIFO, &(struct sched_param){2});
  raise(SIGSTOP);
  for (;;) {
    for (long end = now(CLOCK_MONOTONIC) + 6 * MS; now(CLOCK_MONOTONIC) < end;)
      ;
    block(2 * MS);
  }
}

static void end_rival(void)
{
  if (rival <= 0)
    return;
  kill(rival, SIGKILL);
  waitpid(rival, NULL, 0);
}

/*
 * The copies. `ns` is the time that an execution takes, about; `bad`: with the fault. Macros, so that all constructs of
 * a copy have the line where the macro is used.
 */
#define OMP(directive) _Pragma(#directive)

/* Most of the work is done by one thread at a time. */
#define CRITICAL(name)                                                                                                 \
  enum { name##_line = __LINE__ };                                                                                     \
  static void name(bool bad, long ns)                                                                                  \
  {                                                                                                                    \
    OMP(omp parallel)                                                                                                  \
    for (long left = ns / (bad ? 2 : 1); left > 0; left -= 440 * US) {                                                 \
      work(bad ? 20 * US : 436 * US);                                                                                  \
      OMP(omp critical(name))                                                                                          \
      work(bad ? 420 * US : 4 * US);                                                                                   \
    }                                                                                                                  \
  }

#define LOCK(name)                                                                                                     \
  enum { name##_line = __LINE__ };                                                                                     \
  static void name(bool bad, long ns)                                                                                  \
  {                                                                                                                    \
    OMP(omp parallel)                                                                                                  \
    for (long left = ns / (bad ? 2 : 1); left > 0; left -= 330 * US) {                                                 \
      work(bad ? 15 * US : 327 * US);                                                                                  \
      omp_set_lock(&lock);                                                                                             \
      work(bad ? 315 * US : 3 * US);                                                                                   \
      omp_unset_lock(&lock);                                                                                           \
    }                                                                                                                  \
  }

/* The threads take turns to work, so that all work equally long. */
#define BARRIER(name)                                                                                                  \
  enum { name##_line = __LINE__ };                                                                                     \
  static void name(bool bad, long ns)                                                                                  \
  {                                                                                                                    \
    OMP(omp parallel)                                                                                                  \
    for (long turn = 0; turn * 500 * US < ns || turn % omp_get_num_threads() > 0; turn++) {                            \
      work(!bad || turn % omp_get_num_threads() == omp_get_thread_num() ? 500 * US : 10 * US);                         \
      OMP(omp barrier)                                                                                                 \
    }                                                                                                                  \
  }

/* Later iterations take longer. */
#define UNEVEN(name)                                                                                                   \
  enum { name##_line = __LINE__ };                                                                                     \
  static void name(bool bad, long ns)                                                                                  \
  {                                                                                                                    \
    OMP(omp parallel for schedule(static))                                                                             \
    for (int i = 0; i < 64; i++)                                                                                       \
      work(bad ? (i < 64 - 64 / omp_get_num_threads() ? ns / 2000 : ns * omp_get_num_threads() / 64)                   \
               : ns *omp_get_num_threads() / 64);                                                                      \
  }

/* Another process has the processor of one thread. */
#define TAKEN(name)                                                                                                    \
  enum { name##_line = __LINE__ };                                                                                     \
  static void name(bool bad, long ns)                                                                                  \
  {                                                                                                                    \
    if (bad)                                                                                                           \
      kill(rival, SIGCONT);                                                                                            \
    OMP(omp parallel)                                                                                                  \
    {                                                                                                                  \
      bind_to(omp_get_thread_num(), bad);                                                                              \
      OMP(omp for schedule(static))                                                                                    \
      for (int i = 0; i < 64; i++)                                                                                     \
        work(ns *omp_get_num_threads() / (bad ? 256 : 64));                                                            \
      bind_to(0, false);                                                                                               \
    }                                                                                                                  \
    if (bad)                                                                                                           \
      kill(rival, SIGSTOP);                                                                                            \
  }

/* Many regions with hardly any work. */
#define REGIONS(name)                                                                                                  \
  enum { name##_line = __LINE__ };                                                                                     \
  static void name(bool bad, long ns)                                                                                  \
  {                                                                                                                    \
    long begin = now(CLOCK_MONOTONIC);                                                                                 \
    do                                                                                                                 \
      OMP(omp parallel)                                                                                                \
    if (bad)                                                                                                           \
      work_little();                                                                                                   \
    else                                                                                                               \
      work(ns);                                                                                                        \
    while (now(CLOCK_MONOTONIC) - begin < ns)                                                                          \
      ;                                                                                                                \
  }

/* Chunks of one iteration with hardly any work. */
#define CHUNKS(name)                                                                                                   \
  enum { name##_line = __LINE__ };                                                                                     \
  static void name(bool bad, long ns)                                                                                  \
  {                                                                                                                    \
    OMP(omp parallel for schedule(dynamic, 1))                                                                         \
    for (long i = 0; i < (bad ? ns / 400 : 32); i++)                                                                   \
      if (bad)                                                                                                         \
        __asm__ volatile("");                                                                                          \
      else                                                                                                             \
        work(ns *omp_get_num_threads() / 32);                                                                          \
  }

#define TASKS(name)                                                                                                    \
  enum { name##_line = __LINE__ };                                                                                     \
  static void name(bool bad, long ns)                                                                                  \
  {                                                                                                                    \
    OMP(omp parallel)                                                                                                  \
    OMP(omp single)                                                                                                    \
    for (long i = 0; i < (bad ? ns / 500 : 32); i++)                                                                   \
      OMP(omp task)                                                                                                    \
    if (bad)                                                                                                           \
      __asm__ volatile("");                                                                                            \
    else                                                                                                               \
      work(ns *omp_get_num_threads() / 32);                                                                            \
  }

/* More threads than processors. */
#define CROWD(name)                                                                                                    \
  enum { name##_line = __LINE__ };                                                                                     \
  static void name(bool bad, long ns)                                                                                  \
  {                                                                                                                    \
    int threads = omp_get_max_threads() * (bad ? 4 : 1);                                                               \
    OMP(omp parallel num_threads(threads))                                                                             \
    work(ns / (bad ? 4 : 1));                                                                                          \
  }

/* A thread is blocked in the kernel inside of a loop. */
#define BLOCKED(name)                                                                                                  \
  enum { name##_line = __LINE__ };                                                                                     \
  static void name(bool bad, long ns)                                                                                  \
  {                                                                                                                    \
    OMP(omp parallel for schedule(static))                                                                             \
    for (int i = 0; i < 16; i++) {                                                                                     \
      long share = ns * omp_get_num_threads() / 16;                                                                    \
      work(bad ? share / 4 : share);                                                                                   \
      if (bad && omp_get_thread_num() == omp_get_num_threads() - 1)                                                    \
        block(share * 3 / 4);                                                                                          \
    }                                                                                                                  \
  }

/* One thread works outside of parallel regions. */
#define ALONE(name)                                                                                                    \
  enum { name##_line = __LINE__ };                                                                                     \
  static void name(bool bad, long ns)                                                                                  \
  {                                                                                                                    \
    work(bad ? ns : 0);                                                                                                \
  }

/* A storm of events: each thread has a lock of its own. */
#define STORM(name)                                                                                                    \
  enum { name##_line = __LINE__ };                                                                                     \
  static void name(bool bad, long ns)                                                                                  \
  {                                                                                                                    \
    OMP(omp parallel)                                                                                                  \
    {                                                                                                                  \
      omp_lock_t own;                                                                                                  \
      omp_init_lock(&own);                                                                                             \
      long begin = now(CLOCK_MONOTONIC);                                                                               \
      do                                                                                                               \
        for (int i = 0; i < 1000 && bad; i++) {                                                                        \
          omp_set_lock(&own);                                                                                          \
          omp_unset_lock(&own);                                                                                        \
        }                                                                                                              \
      while (now(CLOCK_MONOTONIC) - begin < ns);                                                                       \
      omp_destroy_lock(&own);                                                                                          \
    }                                                                                                                  \
  }

// clang-format off
CRITICAL(critical_1)
LOCK(lock_1)
BARRIER(barrier_1)
UNEVEN(uneven_1)
TAKEN(taken_1)
REGIONS(regions_1)
CHUNKS(chunks_1)
TASKS(tasks_1)
CROWD(crowd_1)
BLOCKED(blocked_1)
ALONE(alone_1)
STORM(storm_1)
CRITICAL(critical_2)
LOCK(lock_2)
BARRIER(barrier_2)
UNEVEN(uneven_2)
TAKEN(taken_2)
REGIONS(regions_2)
CHUNKS(chunks_2)
TASKS(tasks_2)
CROWD(crowd_2)
BLOCKED(blocked_2)
ALONE(alone_2)
STORM(storm_2)
CRITICAL(critical_3)
LOCK(lock_3)
BARRIER(barrier_3)
UNEVEN(uneven_3)
TAKEN(taken_3)
REGIONS(regions_3)
CHUNKS(chunks_3)
TASKS(tasks_3)
CROWD(crowd_3)
BLOCKED(blocked_3)
ALONE(alone_3)
STORM(storm_3)
// clang-format on

struct kind {
  const char *name;
  void (*copies[COPIES])(bool bad, long ns);
  int lines[COPIES];
  bool placeless;
};

#define KIND(text, function)                                                                                           \
  .name = (text), .copies = {function##_1, function##_2, function##_3},                                                \
  .lines = {function##_1_line, function##_2_line, function##_3_line}

static const struct kind kinds[] = {
    {KIND("critical", critical)},
    {KIND("lock", lock)},
    {KIND("barrier", barrier)},
    {KIND("imbalance-work", uneven)},
    {KIND("imbalance-place", taken)},
    {KIND("small-regions", regions)},
    {KIND("small-chunks", chunks)},
    {KIND("small-tasks", tasks)},
    {KIND("processors", crowd)},
    {KIND("io", blocked)},
    {KIND("serial", alone), .placeless = true},
    {KIND("measurement", storm)},
};
enum { KINDS = sizeof kinds / sizeof *kinds, EXECUTIONS = KINDS * COPIES };

/* splitmix64 */
static uint64_t seed;

static long draw(long least, long most)
{
  uint64_t z = seed += 0x9e3779b97f4a7c15;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  return least + (long)((z ^ z >> 31) % (uint64_t)(most - least + 1));
}

/* ns of a faulty execution, by kind and copy; 0: it is sound. */
static long faults[KINDS][COPIES];

static bool plant(const char *reason, int reasons, long rounds)
{
  for (int i = 0; i < KINDS; i++) {
    if (strcmp(kinds[i].name, reason) != 0)
      continue;
    long copy = draw(0, COPIES - 1);
    faults[i][copy] = draw(900, 1300) * MS / (reasons > 1 ? 1.3 : 1) / rounds;
    printf("planted: %s line=%d\n", reason, kinds[i].placeless ? 0 : kinds[i].lines[copy]);
    return true;
  }
  return strcmp(reason, "none") == 0;
}

/* NULL: whether any is. */
static bool is_planted(const char *reason)
{
  for (int i = 0; i < EXECUTIONS; i++)
    if (faults[i % KINDS][i / KINDS] > 0 && (!reason || strcmp(kinds[i % KINDS].name, reason) == 0))
      return true;
  return false;
}

/* Executes each copy of each construct once, in an order of its own. */
static void play(const int order[EXECUTIONS])
{
  for (int i = 0; i < EXECUTIONS; i++) {
    int kind = order[i] % KINDS, copy = order[i] / KINDS;
    long ns = faults[kind][copy];
    kinds[kind].copies[copy](ns > 0, ns > 0 ? ns : SOUND);
  }
}

int main(int count, char **arguments)
{
  if (count != 3 && count != 4) {
    fprintf(stderr, "usage: planted SEED none|REASON[,REASON]... [SECONDS]\n");
    return 2;
  }
  seed = strtoull(arguments[1], NULL, 10);
  sched_getaffinity(0, sizeof allowed, &allowed);
  omp_init_lock(&lock);
  long rounds = draw(ROUNDS_LEAST, ROUNDS_MOST);
  int order[EXECUTIONS], reasons = 1;
  for (int i = 0; i < EXECUTIONS; i++) {
    int at = (int)draw(0, i);
    order[i] = order[at];
    order[at] = i;
  }
  for (const char *at = arguments[2]; (at = strchr(at, ',')); at++)
    reasons++;
  for (char *reason = strtok(arguments[2], ","); reason; reason = strtok(NULL, ","))
    if (!plant(reason, reasons, rounds)) {
      fprintf(stderr, "planted: there is no reason '%s'\n", reason);
      return 2;
    }
  fflush(stdout); /* before a rival is forked */
  if (is_planted("imbalance-place"))
    begin_rival();
  long begin = now(CLOCK_MONOTONIC), played = 0;
  long end = begin + (count == 4 ? atol(arguments[3]) * 1000 * MS : 0);
  for (; played < rounds || now(CLOCK_MONOTONIC) < end; played++)
    play(order);
  long work = played * (EXECUTIONS - COPIES) * SOUND; /* all but serial, which is short where it is sound */
  if (!is_planted(NULL))
    printf("lost: %ld %%\n", (now(CLOCK_MONOTONIC) - begin - work) * 100 / work);
  end_rival();
  omp_destroy_lock(&lock);
  return 0;
}
