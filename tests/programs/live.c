/*
 * Goes through phases on command: ./live [WAY]. It reads a line from standard input for each phase and does it. Then it
 * says "truth: ..." of all that it has done so far and "phase N". It ends with the input. While it waits for a line it
 * is quiet: the one thread that waits is in no construct, and no other thread is in one.
 *     work     (default) a phase is ROUNDS regions of two threads with a loop, a critical section and a lock
 *     metrics  a phase has loops, tasks and locks whose parts each thread counts, and waits that it measures
 *     kinds    a phase acquires locks of each kind, also by tests (some fail), and nested ones again
 *     nested   a phase has teams of two in each of two threads
 *     fork     the first phase makes a child that does phases of its own on command, until the input ends
 *     exec     the first phase executes the program again, as "work"
 *     threads  a phase is THREADS threads, a few at once, that have a region of their own
 *     cut      the first phase cuts the files that it is recorded to
 *     garbage  the first phase overwrites them
 */
#include "tests/programs/program.h"
#include <dirent.h>
#include <fcntl.h>
#include <omp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS = 200, AT_ONCE = 100, BATCHES = 20 };
static long regions, loops, criticals, locks, again, threads;
static omp_lock_t lock;

static void work(void)
{
  for (int i = 0; i < ROUNDS; i++) {
#pragma omp parallel num_threads(2)
    {
#pragma omp for schedule(static)
      for (int k = 0; k < 2; k++) {
#pragma omp atomic
        loops++;
      }
#pragma omp critical
      criticals++;
      omp_set_lock(&lock);
      locks++;
      omp_unset_lock(&lock);
    }
    regions++;
  }
}

enum { TEAM = 3, DYNAMIC = 120, FIXED = 103, TASKS = 10, WAITS = 3 };
static long iterations[TEAM], fixed[TEAM], of_lock[2], tasks, held[2][2];
static uint64_t waited_ns;
static omp_lock_t pair[2];

static uint64_t now_ns(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* One thread has the lock for a while, and another waits for it. */
static void wait_for_each_other(void)
{
  static atomic_int has;
  atomic_store(&has, 0);
#pragma omp parallel num_threads(2)
  {
    if (omp_get_thread_num() == 0) {
      omp_set_lock(&pair[0]);
      atomic_store(&has, 1);
      usleep(100000);
      omp_unset_lock(&pair[0]);
    } else {
      while (atomic_load(&has) == 0)
        usleep(100);
      uint64_t from = now_ns();
      omp_set_lock(&pair[0]);
      waited_ns += now_ns() - from;
      omp_unset_lock(&pair[0]);
    }
  }
  of_lock[0] += 2;
}

static void metrics(void)
{
#pragma omp parallel num_threads(TEAM)
  {
    int me = omp_get_thread_num();
#pragma omp for schedule(dynamic, 4)
    for (int i = 0; i < DYNAMIC; i++) {
      iterations[me]++;
      omp_set_lock(&pair[i % 3 == 0]);
      of_lock[i % 3 == 0]++;
      omp_unset_lock(&pair[i % 3 == 0]);
    }
#pragma omp for schedule(static, 5)
    for (int i = 0; i < FIXED; i++)
      fixed[me]++;
#pragma omp single
    for (int i = 0; i < TASKS; i++) {
#pragma omp task
      {
#pragma omp atomic
        tasks++;
      }
    }
  }
  for (int i = 0; i < WAITS; i++)
    wait_for_each_other();
  regions++;
}

static void nested(void)
{
  omp_set_max_active_levels(2);
  for (int i = 0; i < 20; i++) {
#pragma omp parallel num_threads(2)
    {
      int outer = omp_get_thread_num();
#pragma omp parallel num_threads(2)
      {
        int inner = omp_get_thread_num();
        for (int k = 0; k <= 2 * outer + inner; k++) {
          omp_set_lock(&pair[1]);
          held[outer][inner]++;
          omp_unset_lock(&pair[1]);
        }
      }
    }
    regions++;
  }
}

static void kinds(void)
{
  static omp_nest_lock_t nest;
  omp_init_nest_lock(&nest);
#pragma omp parallel num_threads(2)
  for (int i = 0; i < ROUNDS; i++) {
    long mine = 2, nested = 1;
    omp_set_lock(&lock);
    omp_unset_lock(&lock);
    omp_set_nest_lock(&nest);
    omp_set_nest_lock(&nest);
    omp_unset_nest_lock(&nest);
    omp_unset_nest_lock(&nest);
    if (omp_test_lock(&lock)) {
      omp_unset_lock(&lock);
      mine++;
    }
    if (omp_test_nest_lock(&nest)) {
      mine++;
      nested += omp_test_nest_lock(&nest) == 2;
      omp_unset_nest_lock(&nest);
      omp_unset_nest_lock(&nest);
    }
#pragma omp critical
    mine++;
#pragma omp atomic
    locks += mine;
#pragma omp atomic
    again += nested;
  }
  omp_destroy_nest_lock(&nest);
  regions++;
}

static void *one_thread(void *unused)
{
#pragma omp parallel num_threads(1)
  {
#pragma omp critical
    criticals++;
  }
  return unused;
}

static void many_threads(void)
{
  pthread_t thread[AT_ONCE];
  for (int batch = 0; batch < BATCHES; batch++) {
    for (int i = 0; i < AT_ONCE; i++)
      if (pthread_create(&thread[i], NULL, one_thread, NULL) != 0)
        exit(2);
    for (int i = 0; i < AT_ONCE; i++)
      pthread_join(thread[i], NULL);
    threads += AT_ONCE;
  }
}

/* The files of this process in HEDDLE_DIR. */
static void damage(bool cut)
{
  char path[4096];
  static char noise[65536];
  snprintf(path, sizeof path, "%s/raw", getenv("HEDDLE_DIR"));
  DIR *raw = opendir(path);
  const struct dirent *entry = raw ? readdir(raw) : NULL;
  while (entry && entry->d_name[0] == '.')
    entry = readdir(raw);
  for (size_t i = 0; i < sizeof noise; i++)
    noise[i] = (char)(i * 2654435761u >> 13);
  for (int i = 0; entry && i < 2; i++) {
    snprintf(path, sizeof path, "%s/raw/%s/%s", getenv("HEDDLE_DIR"), entry->d_name, i == 0 ? "windows" : "process");
    int fd = open(path, O_WRONLY);
    if (cut ? i == 0 && ftruncate(fd, 8192) != 0 : pwrite(fd, noise, sizeof noise, i == 0 ? 128 : 0) < 0)
      exit(2);
    close(fd);
  }
  if (raw)
    closedir(raw);
}

static void phase(const char *way, char **argv, long number)
{
  bool first = number == 1;
  if (strcmp(way, "metrics") == 0)
    metrics();
  else if (strcmp(way, "kinds") == 0)
    kinds();
  else if (strcmp(way, "nested") == 0)
    nested();
  else if (strcmp(way, "threads") == 0)
    many_threads();
  else if (first && (strcmp(way, "cut") == 0 || strcmp(way, "garbage") == 0))
    damage(way[0] == 'c');
  else if (first && strcmp(way, "exec") == 0)
    execl("/proc/self/exe", argv[0], "work", NULL);
  else if (first && strcmp(way, "fork") == 0) {
    pid_t child = fork();
    if (child > 0) { /* the lines are the child's from now on */
      int status;
      waitpid(child, &status, 0);
      exit(WIFEXITED(status) ? WEXITSTATUS(status) : 3);
    }
    regions = loops = criticals = locks = 0;
    printf("child: %ld\n", (long)getpid());
    work();
  } else
    work();
}

static bool say(long number, bool others)
{
  truth("parallel", regions);
  truth("loops", loops);
  truth("critical", criticals);
  truth("locks", locks);
  truth("again", again);
  truth("threads", threads);
  truth("tasks", tasks);
  truth("lock_0", of_lock[0]);
  truth("lock_1", of_lock[1]);
  truth("waited_ns", (long)waited_ns);
  for (int i = 0; i < TEAM; i++) {
    printf("truth: iterations_%d=%ld\n", i, iterations[i]);
    printf("truth: fixed_%d=%ld\n", i, fixed[i]);
  }
  for (int i = 0; i < 4; i++)
    printf("truth: inner_%d_%d=%ld\n", i / 2, i % 2, held[i / 2][i % 2]);
  printf("phase %ld\n", number);
  fflush(stdout);
  return others || (loops == 2 * regions && criticals == loops && locks == loops);
}

int main(int argc, char **argv)
{
  const char *way = argc > 1 ? argv[1] : "work";
  char line[64];
  bool right = true;
  omp_init_lock(&lock);
  omp_init_lock(&pair[0]);
  omp_init_lock(&pair[1]);
  setvbuf(stdin, NULL, _IONBF, 0);
  for (long number = 1; fgets(line, sizeof line, stdin) != NULL; number++) {
    phase(way, argv, number);
    right &= say(number, strcmp(way, "threads") == 0 || strcmp(way, "metrics") == 0 || strcmp(way, "nested") == 0 ||
                             strcmp(way, "kinds") == 0);
  }
  return finish(right);
}
