#include "analyzer/record/launch/runtime_costs.h"

#include "base/hash.h"
#include "common/process/own_directory.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>

enum {
  COST_THREADS = 8, /* at most */
  COST_BATCH = 64,  /* operations that are measured together; libgomp executes tasks at once where there are more */
  COST_TASKS = 32 * COST_BATCH,
  COST_CHUNKS = 256 * COST_BATCH, /* of a thread */
  COST_BATCHES = 4096,
  COST_ENOUGH = 100,   /* ms */
  COST_PATIENCE = 2000 /* ms: others may use the processors, too */
};

extern char **environ;

static uint64_t costs_now_ns(void)
{
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

/* In the child process. Both runtimes have these entries of GCC's. */

typedef void outlined(void *data);

struct entries {
  void (*parallel)(outlined *code, void *data, unsigned threads, unsigned flags);
  bool (*loop_start)(long from, long to, long step, long chunk, long *begin, long *end);
  bool (*loop_next)(long *begin, long *end);
  void (*loop_end)(void);
  void (*task)(outlined *code, void *data, void (*copy)(void *, void *), long size, long align, bool deferred,
               unsigned flags, void **depend, int priority, void *detach);
  void (*taskwait)(void);
  int (*thread)(void);
};

/* The middle one of the batches counts: in some of them the thread had no processor. */
struct batches {
  uint64_t begin;
  unsigned done; /* operations of the present one */
  size_t count;
  uint64_t each[COST_BATCHES]; /* ns */
};

struct measuring {
  struct entries call;
  unsigned threads;
  atomic_uint arrived;
  struct batches tasks, chunks; /* of thread 0 */
};

static void begin_batch(struct batches *batches)
{
  batches->done = 0;
  batches->begin = costs_now_ns();
}

static void count_operation(struct batches *batches)
{
  if (++batches->done < COST_BATCH || batches->count == COST_BATCHES)
    return;
  batches->each[batches->count++] = (costs_now_ns() - batches->begin) / COST_BATCH;
  begin_batch(batches);
}

static int compare_each(const void *of_a, const void *of_b)
{
  uint64_t a = *(const uint64_t *)of_a, b = *(const uint64_t *)of_b;
  return (a > b) - (a < b);
}

static uint64_t middle_of(struct batches *batches)
{
  qsort(batches->each, batches->count, sizeof *batches->each, compare_each);
  return batches->count ? batches->each[batches->count / 2] : 0;
}

static void do_nothing(void *data)
{
  (void)data;
}

/* Threads begin at once, if they have processors. */
static void arrive(struct measuring *measuring)
{
  uint64_t from = costs_now_ns();
  atomic_fetch_add(&measuring->arrived, 1);
  while (atomic_load(&measuring->arrived) % measuring->threads != 0 && costs_now_ns() - from < 2000000)
    ;
}

static void fetch_chunks(void *data)
{
  struct measuring *measuring = data;
  arrive(measuring);
  bool counts = measuring->call.thread() == 0;
  long begin, end;
  if (counts)
    begin_batch(&measuring->chunks);
  if (measuring->call.loop_start(0, (long)COST_CHUNKS * measuring->threads, 1, 1, &begin, &end))
    while (measuring->call.loop_next(&begin, &end))
      if (counts)
        count_operation(&measuring->chunks);
  measuring->call.loop_end();
}

static void make_tasks(void *data)
{
  struct measuring *measuring = data;
  arrive(measuring);
  if (measuring->call.thread() != 0)
    return; /* executes tasks in the barrier */
  begin_batch(&measuring->tasks);
  for (unsigned i = 0; i < COST_TASKS; i++) {
    measuring->call.task(do_nothing, NULL, NULL, 0, 1, true, 0, NULL, 0, NULL);
    count_operation(&measuring->tasks);
    if (measuring->tasks.done == 0) {
      measuring->call.taskwait();
      begin_batch(&measuring->tasks);
    }
  }
}

static bool find_entries(void *runtime, struct entries *call)
{
  struct {
    void *to;
    const char *name;
  } wanted[] = {{&call->parallel, "GOMP_parallel"},
                {&call->loop_start, "GOMP_loop_dynamic_start"},
                {&call->loop_next, "GOMP_loop_dynamic_next"},
                {&call->loop_end, "GOMP_loop_end"},
                {&call->task, "GOMP_task"},
                {&call->taskwait, "GOMP_taskwait"},
                {&call->thread, "omp_get_thread_num"}};
  bool all = true;
  for (size_t i = 0; i < COUNT_OF(wanted); i++) {
    void *found = dlsym(runtime, wanted[i].name);
    memcpy(wanted[i].to, &found, sizeof found);
    all &= found != NULL;
  }
  return all;
}

/* The runtime is to see no tool and none of the user's settings. */
static void forget_settings(void)
{
  for (char **entry = environ; *entry;) {
    char name[128];
    size_t size = strcspn(*entry, "=");
    bool setting = strncmp(*entry, "OMP_", 4) == 0 || strncmp(*entry, "KMP_", 4) == 0 ||
                   strncmp(*entry, "GOMP_", 5) == 0 || strncmp(*entry, "LIBOMP_", 7) == 0;
    snprintf(name, sizeof name, "%.*s", (int)size, *entry);
    if (!setting || size >= sizeof name || unsetenv(name) != 0)
      entry++;
  }
  setenv("OMP_TOOL", "disabled", 1);
}

_Noreturn static void measure_costs_in_child(const char *path, unsigned threads, int out)
{
  int null = open("/dev/null", O_RDWR | O_CLOEXEC);
  for (int fd = 0; fd <= 2; fd++)
    dup2(null, fd);
  forget_settings();
  static struct measuring measuring; /* too large for a stack */
  measuring.threads = threads;
  void *runtime = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!runtime || !find_entries(runtime, &measuring.call))
    _exit(1);
  uint64_t begin = costs_now_ns();
  do {
    measuring.call.parallel(fetch_chunks, &measuring, threads, 0);
    measuring.call.parallel(make_tasks, &measuring, threads, 0);
  } while (costs_now_ns() - begin < COST_ENOUGH * (uint64_t)1000000);
  uint64_t costs[] = {middle_of(&measuring.tasks), middle_of(&measuring.chunks)};
  _exit(write(out, costs, sizeof costs) == sizeof costs ? 0 : 1);
}

static bool measure_costs(const char *path, unsigned threads, uint64_t costs[2])
{
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    return false;
  pid_t measurer = fork();
  if (measurer == 0)
    measure_costs_in_child(path, threads, ends[1]);
  close(ends[1]);
  struct pollfd wait = {.fd = ends[0], .events = POLLIN};
  bool good = measurer > 0 && poll(&wait, 1, COST_PATIENCE) == 1 &&
              read(ends[0], costs, 2 * sizeof *costs) == 2 * sizeof *costs;
  close(ends[0]);
  if (measurer > 0) {
    kill(measurer, SIGKILL);
    while (waitpid(measurer, NULL, 0) < 0 && errno == EINTR)
      ;
  }
  return good;
}

/* The cache. */

/* The directory for costs, made if it is missing. -1: there is none that is safe. */
static int open_cost_cache(void)
{
  const char *home = getenv("HOME"), *cache = getenv("XDG_CACHE_HOME"), *why;
  char path[PATH_MAX];
  if (cache && *cache == '/')
    snprintf(path, sizeof path, "%s", cache);
  else if (home && *home == '/')
    snprintf(path, sizeof path, "%s/.cache", home);
  else
    return -1;
  int of_user = own_directory_below(AT_FDCWD, path, 0700, &why);
  int fd = of_user < 0 ? -1 : own_directory_below(of_user, "heddle", 0700, &why);
  if (of_user >= 0)
    close(of_user);
  return fd;
}

/* A name for the costs of a runtime's file on a kind of processor. */
static bool name_costs(const char *path, unsigned threads, char *name, size_t size)
{
  struct stat status;
  char line[256], model[256] = "";
  FILE *file = fopen("/proc/cpuinfo", "re");
  while (file && fgets(line, sizeof line, file))
    if (strncmp(line, "model name", 10) == 0) {
      memcpy(model, line, sizeof model);
      break;
    }
  if (file)
    fclose(file);
  if (stat(path, &status) != 0)
    return false;
  uint64_t key = hash_text(hash_text(threads, path), model);
  key = hash_mix(key ^ hash_mix((uint64_t)status.st_size) ^ (uint64_t)status.st_mtim.tv_nsec);
  key = hash_mix(key ^ (uint64_t)status.st_mtim.tv_sec);
  snprintf(name, size, "costs-%016" PRIx64, key);
  return true;
}

static bool read_costs(int cache, const char *name, uint64_t costs[2])
{
  char text[RUNTIME_COSTS_SIZE] = "", end;
  struct stat status;
  int fd = openat(cache, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0)
    return false;
  bool own = fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == geteuid() &&
             (status.st_mode & 077) == 0 && read(fd, text, sizeof text - 1) > 0;
  close(fd);
  return own && sscanf(text, "task %" SCNu64 " chunk %" SCNu64 "%c", &costs[0], &costs[1], &end) == 3 && end == '\n';
}

/* Costs that can be true: up to 1 ms. */
static bool are_plausible(const uint64_t costs[2])
{
  return costs[0] > 0 && costs[1] > 0 && costs[0] < 1000000 && costs[1] < 1000000;
}

bool runtime_costs_find(const struct program_libraries *libraries, char text[RUNTIME_COSTS_SIZE])
{
  const struct program_library *of = program_libraries_with(libraries, RUNTIME_LIBGOMP);
  const struct program_library *library = of ? of : program_libraries_with(libraries, RUNTIME_LIBOMP);
  char name[64], line[RUNTIME_COSTS_SIZE];
  uint64_t costs[2];
  cpu_set_t set;
  if (!library || !library->path || libraries->kind != ELF_NATIVE || sched_getaffinity(0, sizeof set, &set) != 0 ||
      CPU_COUNT(&set) < 2)
    return false;
  unsigned threads = CPU_COUNT(&set) < COST_THREADS ? (unsigned)CPU_COUNT(&set) : COST_THREADS;
  int cache = name_costs(library->path, threads, name, sizeof name) ? open_cost_cache() : -1;
  bool known = cache >= 0 && read_costs(cache, name, costs) && are_plausible(costs);
  bool good = known || (measure_costs(library->path, threads, costs) && are_plausible(costs));
  if (good && !known && cache >= 0) {
    snprintf(line, sizeof line, "task %" PRIu64 " chunk %" PRIu64 "\n", costs[0], costs[1]);
    own_file_put(cache, name, 0600, line, strlen(line)); /* else it is measured again */
  }
  if (cache >= 0)
    close(cache);
  if (good)
    snprintf(text, RUNTIME_COSTS_SIZE, "%s threads %u task %" PRIu64 " chunk %" PRIu64, of ? "libgomp" : "libomp",
             threads, costs[0], costs[1]);
  return good;
}
