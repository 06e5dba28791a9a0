#include "analyzer/record/launch/runtime_costs.h"

#include "base/hash.h"
#include "common/process/own_directory.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
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
  COST_LOCKS = 64 * COST_BATCH,
  COST_BATCHES = 4096,
  COST_ENOUGH = 100,   /* ms */
  COST_LONGEST = 400,  /* ms, where the threads seldom run at once */
  COST_SHARED = 64,    /* batches in which they did, for costs that are kept */
  COST_PATIENCE = 2000 /* ms: others may use the processors, too */
};

extern char **environ;

static uint64_t costs_now_ns(void)
{
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

struct runtime_costs {
  uint64_t task, chunk; /* ns; 0: there is no such runtime */
  uint64_t lock, mutex; /* ns: acquiring and releasing a free one */
  bool shared;          /* chunks were measured while all threads fetched them */
};

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
  void (*init_lock)(void *lock);
  void (*set_lock)(void *lock);
  void (*unset_lock)(void *lock);
};

/* The middle one of the batches counts. Those in which the other threads fetched chunks are first: a runtime that
 * nobody else uses costs a tenth. */
struct batches {
  uint64_t begin;
  unsigned done;               /* operations of the present one */
  uint64_t others;             /* operations of the other threads until it began */
  size_t count, shared;        /* `shared` of them are first */
  uint64_t each[COST_BATCHES]; /* ns */
};

struct measuring {
  struct entries call;
  unsigned threads;
  atomic_uint arrived;
  struct batches tasks, chunks, locks; /* of thread 0 */
};

static void begin_batch(struct batches *batches, uint64_t others)
{
  batches->done = 0;
  batches->others = others;
  batches->begin = costs_now_ns();
}

/* `others`: what the other threads did so far. True: a batch has ended. */
static bool count_operation(struct batches *batches, uint64_t others)
{
  if (++batches->done < COST_BATCH || batches->count == COST_BATCHES)
    return false;
  uint64_t each = (costs_now_ns() - batches->begin) / COST_BATCH;
  bool shared = others - batches->others >= COST_BATCH / 4;
  size_t at = shared ? batches->shared++ : batches->count;
  batches->each[batches->count++] = batches->each[at];
  batches->each[at] = each;
  begin_batch(batches, others);
  return true;
}

static int compare_each(const void *of_a, const void *of_b)
{
  uint64_t a = *(const uint64_t *)of_a, b = *(const uint64_t *)of_b;
  return (a > b) - (a < b);
}

static bool is_shared(const struct batches *batches)
{
  return batches->shared >= COST_SHARED;
}

/* The cost that one batch in `of` is below. */
static uint64_t cost_of(struct batches *batches, unsigned of)
{
  size_t count = is_shared(batches) ? batches->shared : batches->count;
  qsort(batches->each, count, sizeof *batches->each, compare_each);
  return count ? batches->each[count / of] : 0;
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
  uint64_t own = 0;
  if (measuring->call.loop_start(0, (long)COST_CHUNKS * measuring->threads, 1, 1, &begin, &end)) {
    begin_batch(&measuring->chunks, (uint64_t)begin);
    while (measuring->call.loop_next(&begin, &end))
      if (counts)
        count_operation(&measuring->chunks, (uint64_t)begin - ++own);
  }
  measuring->call.loop_end();
}

static void make_tasks(void *data)
{
  struct measuring *measuring = data;
  arrive(measuring);
  if (measuring->call.thread() != 0)
    return; /* executes tasks in the barrier */
  begin_batch(&measuring->tasks, 0);
  for (unsigned i = 0; i < COST_TASKS; i++) {
    measuring->call.task(do_nothing, NULL, NULL, 0, 1, true, 0, NULL, 0, NULL);
    if (count_operation(&measuring->tasks, 0)) {
      measuring->call.taskwait();
      begin_batch(&measuring->tasks, 0);
    }
  }
}

static void take_locks(void *data)
{
  struct measuring *measuring = data;
  struct {
    void *words[16]; /* an omp_lock_t has 4 or 8 bytes */
  } lock;
  arrive(measuring);
  if (measuring->call.thread() != 0)
    return;
  measuring->call.init_lock(&lock);
  begin_batch(&measuring->locks, 0);
  for (unsigned i = 0; i < COST_LOCKS; i++) {
    measuring->call.set_lock(&lock);
    measuring->call.unset_lock(&lock);
    count_operation(&measuring->locks, 0);
  }
}

/* A process with one thread takes no atomic instructions. */
static void *take_mutexes(void *data)
{
  struct batches *batches = data;
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  begin_batch(batches, 0);
  for (unsigned i = 0; i < COST_LOCKS; i++) {
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    count_operation(batches, 0);
  }
  return NULL;
}

static uint64_t measure_mutex(void)
{
  static struct batches batches;
  pthread_t thread;
  if (pthread_create(&thread, NULL, take_mutexes, &batches) != 0 || pthread_join(thread, NULL) != 0)
    return 0;
  return cost_of(&batches, 2);
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
                {&call->thread, "omp_get_thread_num"},
                {&call->init_lock, "omp_init_lock"},
                {&call->set_lock, REGION_SET_LOCK},
                {&call->unset_lock, "omp_unset_lock"}};
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

/* False: there is no such runtime. */
static bool measure_runtime(const char *path, unsigned threads, struct runtime_costs *costs)
{
  static struct measuring measuring; /* too large for a stack */
  measuring.threads = threads;
  void *runtime = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!runtime || !find_entries(runtime, &measuring.call))
    return false;
  uint64_t begin = costs_now_ns(), most = COST_ENOUGH;
  do {
    measuring.call.parallel(fetch_chunks, &measuring, threads, 0);
    measuring.call.parallel(make_tasks, &measuring, threads, 0);
    measuring.call.parallel(take_locks, &measuring, threads, 0);
    if (!is_shared(&measuring.chunks))
      most = COST_LONGEST;
  } while (costs_now_ns() - begin < most * 1000000);
  costs->shared = is_shared(&measuring.chunks);
  costs->task = cost_of(&measuring.tasks, 4); /* on a busy machine the other threads are woken for each task */
  costs->chunk = cost_of(&measuring.chunks, 2);
  costs->lock = cost_of(&measuring.locks, 2);
  return true;
}

/* `path` of the runtime; NULL: there is none. */
_Noreturn static void measure_costs_in_child(const char *path, unsigned threads, int out)
{
  struct runtime_costs costs = {.shared = true};
  int null = open("/dev/null", O_RDWR | O_CLOEXEC);
  for (int fd = 0; fd <= 2; fd++)
    dup2(null, fd);
  forget_settings();
  if (path && !measure_runtime(path, threads, &costs))
    _exit(1);
  costs.mutex = measure_mutex();
  _exit(write(out, &costs, sizeof costs) == sizeof costs ? 0 : 1);
}

static bool measure_costs(const char *path, unsigned threads, struct runtime_costs *costs)
{
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    return false;
  pid_t measurer = fork();
  if (measurer == 0)
    measure_costs_in_child(path, threads, ends[1]);
  close(ends[1]);
  struct pollfd wait = {.fd = ends[0], .events = POLLIN};
  bool good =
      measurer > 0 && poll(&wait, 1, COST_PATIENCE) == 1 && read(ends[0], costs, sizeof *costs) == sizeof *costs;
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

/* A name for the costs of a runtime's file (NULL: none) on a kind of processor. */
static bool name_costs(const char *path, unsigned threads, char *name, size_t size)
{
  struct stat status = {0};
  char line[256], model[256] = "";
  FILE *file = fopen("/proc/cpuinfo", "re");
  while (file && fgets(line, sizeof line, file))
    if (strncmp(line, "model name", 10) == 0) {
      memcpy(model, line, sizeof model);
      break;
    }
  if (file)
    fclose(file);
  if (path && stat(path, &status) != 0)
    return false;
  uint64_t key = hash_text(hash_text(threads, path ? path : ""), model);
  key = hash_mix(key ^ hash_mix((uint64_t)status.st_size) ^ (uint64_t)status.st_mtim.tv_nsec);
  key = hash_mix(key ^ (uint64_t)status.st_mtim.tv_sec);
  snprintf(name, size, "costs-3-%016" PRIx64, key);
  return true;
}

static bool read_costs(int cache, const char *name, struct runtime_costs *costs)
{
  char text[RUNTIME_COSTS_SIZE] = "", end;
  struct stat status;
  int fd = openat(cache, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0)
    return false;
  bool own = fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == geteuid() &&
             (status.st_mode & 077) == 0 && read(fd, text, sizeof text - 1) > 0;
  close(fd);
  return own &&
         sscanf(text, "task %" SCNu64 " chunk %" SCNu64 " lock %" SCNu64 " mutex %" SCNu64 "%c", &costs->task,
                &costs->chunk, &costs->lock, &costs->mutex, &end) == 5 &&
         end == '\n';
}

/* Costs that can be true: up to 1 ms; all are there, or only the mutex's. */
static bool are_plausible(const struct runtime_costs *costs, bool runtime)
{
  const uint64_t most = 1000000;
  return (costs->task > 0) == runtime && (costs->chunk > 0) == runtime && (costs->lock > 0) == runtime &&
         costs->mutex > 0 && costs->task < most && costs->chunk < most && costs->lock < most && costs->mutex < most;
}

bool runtime_costs_find(const struct program_libraries *libraries, char text[RUNTIME_COSTS_SIZE])
{
  const struct program_library *of = program_libraries_with(libraries, RUNTIME_LIBGOMP);
  const struct program_library *library = of ? of : program_libraries_with(libraries, RUNTIME_LIBOMP);
  const char *path = library ? library->path : NULL;
  char name[64], line[RUNTIME_COSTS_SIZE];
  struct runtime_costs costs = {0};
  cpu_set_t set;
  if (libraries->kind != ELF_NATIVE || sched_getaffinity(0, sizeof set, &set) != 0 || CPU_COUNT(&set) < 2)
    return false;
  unsigned threads = CPU_COUNT(&set) < COST_THREADS ? (unsigned)CPU_COUNT(&set) : COST_THREADS;
  int cache = name_costs(path, threads, name, sizeof name) ? open_cost_cache() : -1;
  bool known = cache >= 0 && read_costs(cache, name, &costs) && are_plausible(&costs, path);
  bool good = known || (measure_costs(path, threads, &costs) && are_plausible(&costs, path));
  snprintf(line, sizeof line, "task %" PRIu64 " chunk %" PRIu64 " lock %" PRIu64 " mutex %" PRIu64 "\n", costs.task,
           costs.chunk, costs.lock, costs.mutex);
  if (good && costs.shared && cache >= 0)
    own_file_put(cache, name, 0600, line, strlen(line)); /* else it is measured again */
  if (cache >= 0)
    close(cache);
  line[strcspn(line, "\n")] = 0;
  if (good)
    snprintf(text, RUNTIME_COSTS_SIZE, "%s threads %u %.80s",
             of     ? "libgomp"
             : path ? "libomp"
                    : "posix",
             threads, line);
  return good;
}
