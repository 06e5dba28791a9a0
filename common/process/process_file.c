#include "common/process/process_file.h"

#include "base/count_of.h"
#include "common/budget/recording_cost.h"
#include "common/process/cgroup.h"
#include "common/process/diag.h"
#include "common/process/modules.h"
#include "common/process/process_dir.h"
#include "common/process/process_lines.h"
#include "common/process/steal_time.h"
#include "common/process/text.h"
#include "common/raw/raw_trace.h"
#include "common/recorder/clock.h"
#include "common/recorder/clock_choice.h"
#include "common/recorder/counters.h"
#include "common/recorder/preloaded.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern char **environ;

/* The environment variables that a trace keeps: settings of OpenMP and Heddle by their full names, for other variables
 * may be secrets. Each name has a blank before and behind it. */
#define KNOWN_ENVIRONMENT                                                                                              \
  " OMP_AFFINITY_FORMAT OMP_ALLOCATOR OMP_CANCELLATION OMP_DEBUG OMP_DEFAULT_DEVICE OMP_DISPLAY_AFFINITY"              \
  " OMP_DISPLAY_ENV OMP_DYNAMIC OMP_MAX_ACTIVE_LEVELS OMP_MAX_TASK_PRIORITY OMP_NESTED OMP_NUM_TEAMS OMP_NUM_THREADS"  \
  " OMP_PLACES OMP_PROC_BIND OMP_SCHEDULE OMP_STACKSIZE OMP_TARGET_OFFLOAD OMP_TEAMS_THREAD_LIMIT OMP_THREAD_LIMIT"    \
  " OMP_TOOL OMP_TOOL_LIBRARIES OMP_TOOL_VERBOSE_INIT OMP_WAIT_POLICY"                                                 \
  " GOMP_CPU_AFFINITY GOMP_DEBUG GOMP_OPENACC_DIM GOMP_RTEMS_THREAD_POOLS GOMP_SPINCOUNT GOMP_STACKSIZE"               \
  " KMP_ABORT_DELAY KMP_ADAPTIVE_LOCK_PROPS KMP_AFFINITY KMP_ALIGN_ALLOC KMP_ALL_THREADPRIVATE KMP_ALL_THREADS"        \
  " KMP_ATOMIC_MODE KMP_BLOCKTIME KMP_CONSISTENCY_CHECK KMP_CPUINFO_FILE KMP_DETERMINISTIC_REDUCTION"                  \
  " KMP_DEVICE_THREAD_LIMIT KMP_DISP_NUM_BUFFERS KMP_DUPLICATE_LIB_OK KMP_DYNAMIC_MODE KMP_ENABLE_TASK_THROTTLING"     \
  " KMP_FORCE_MONOTONIC_DYNAMIC_SCHEDULE KMP_FORCE_REDUCTION KMP_FOREIGN_THREADS_THREADPRIVATE KMP_FORKJOIN_BARRIER"   \
  " KMP_FORKJOIN_BARRIER_PATTERN KMP_FORKJOIN_FRAMES KMP_FORKJOIN_FRAMES_MODE KMP_GTID_MODE KMP_HANDLE_SIGNALS"        \
  " KMP_HIDDEN_HELPER_AFFINITY KMP_HOT_TEAMS_MAX_LEVEL KMP_HOT_TEAMS_MODE KMP_HW_SUBSET KMP_INHERIT_FP_CONTROL"        \
  " KMP_INITIAL_THREAD_BIND KMP_INIT_AT_FORK KMP_LIBRARY KMP_LOAD_BALANCE_INTERVAL KMP_LOCK_KIND KMP_MALLOC_POOL_INCR" \
  " KMP_NESTING_MODE KMP_NUM_LOCKS_IN_BLOCK KMP_PLACE_THREADS KMP_PLAIN_BARRIER KMP_PLAIN_BARRIER_PATTERN"             \
  " KMP_REDUCTION_BARRIER KMP_REDUCTION_BARRIER_PATTERN KMP_SCHEDULE KMP_SETTINGS KMP_SPIN_BACKOFF_PARAMS"             \
  " KMP_STACKOFFSET KMP_STACKPAD KMP_STACKSIZE KMP_STORAGE_MAP KMP_TASKING KMP_TASKLOOP_MIN_TASKS"                     \
  " KMP_TASK_STEALING_CONSTRAINT KMP_TEAMS_PROC_BIND KMP_TEAMS_THREAD_LIMIT KMP_TOPOLOGY_METHOD KMP_TPAUSE"            \
  " KMP_USER_LEVEL_MWAIT KMP_USE_YIELD KMP_VERSION KMP_WARNINGS"                                                       \
  " LIBOMP_NUM_HIDDEN_HELPER_THREADS LIBOMP_USE_HIDDEN_HELPER_TASK"                                                    \
  " HEDDLE HEDDLE_BUDGET HEDDLE_CALLS HEDDLE_CALLS_DEPTH HEDDLE_CALLS_JAVA HEDDLE_CALLS_ONLY"                          \
  " HEDDLE_CALLS_SAMPLED HEDDLE_COMMAND HEDDLE_CONVERT HEDDLE_CONVERTER HEDDLE_COSTS HEDDLE_COUNTERS HEDDLE_DIR "      \
  "HEDDLE_JAVA"                                                                                                        \
  " HEDDLE_KEEP HEDDLE_LIVE HEDDLE_MAX_RATE HEDDLE_MAX_SIZE HEDDLE_PAUSED HEDDLE_PRICE HEDDLE_PROFILE HEDDLE_PTHREAD"  \
  " HEDDLE_RING HEDDLE_SAMPLE HEDDLE_SAMPLE_TIMER HEDDLE_SEED HEDDLE_SWITCHES HEDDLE_VERBOSE HEDDLE_WAIT_STACKS"       \
  " HEDDLE_WINDOW LD_PRELOAD"                                                                                          \
  " OMPI_COMM_WORLD_RANK OMPI_COMM_WORLD_SIZE PMIX_RANK PMI_RANK PMI_SIZE SLURM_PROCID"                                \
  " SLURM_JOBID SLURM_JOB_CPUS_PER_NODE SLURM_JOB_ID SLURM_JOB_NAME SLURM_JOB_NODELIST SLURM_JOB_NUM_NODES"            \
  " SLURM_JOB_PARTITION "

static void add_bytes(struct lines *lines, const char *key, const char *value, size_t n)
{
  size_t most = (sizeof lines->bytes - 128) / 4;
  if (n > most)
    n = most;
  lines_reserve(lines, n);
  text_add(&lines->text, key);
  text_add(&lines->text, ": ");
  text_add_escaped(&lines->text, value, n);
  text_add(&lines->text, "\n");
}

static void add_string(struct lines *lines, const char *key, const char *value)
{
  if (value)
    add_bytes(lines, key, value, strlen(value));
}

static void add_numbers(struct lines *lines, const char *key, const uint64_t *numbers, size_t count)
{
  lines_reserve(lines, 0);
  text_add(&lines->text, key);
  for (size_t i = 0; i < count; i++) {
    text_add(&lines->text, i == 0 ? ": " : " ");
    text_add_number(&lines->text, numbers[i]);
  }
  text_add(&lines->text, "\n");
}

static void add_number(struct lines *lines, const char *key, uint64_t number)
{
  add_numbers(lines, key, &number, 1);
}

static void add_command_line(struct lines *lines)
{
  int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return;
  char bytes[2048];
  size_t have = 0;
  for (;;) {
    ssize_t got = read(fd, bytes + have, sizeof bytes - have);
    if (got < 0 && errno == EINTR)
      continue;
    if (got > 0)
      have += (size_t)got;
    size_t at = 0;
    while (at < have) {
      const char *end = memchr(bytes + at, '\0', have - at);
      /* An argument longer than the buffer is cut in pieces of its size; the last may lack its zero. */
      size_t n = end ? (size_t)(end - (bytes + at)) : have - at;
      if (!end && got > 0 && !(at == 0 && have == sizeof bytes))
        break;
      add_bytes(lines, "arg", bytes + at, n);
      at += n + (end ? 1 : 0);
    }
    memmove(bytes, bytes + at, have - at);
    have -= at;
    if (got <= 0)
      break;
  }
  close(fd);
}

static void add_program_name(struct lines *lines)
{
  char bytes[PATH_MAX];
  if (file_read("/proc/self/cmdline", bytes, sizeof bytes) > 0)
    add_string(lines, "arg", bytes);
}

static void add_link(struct lines *lines, const char *key, const char *path)
{
  char target[PATH_MAX];
  ssize_t n = readlink(path, target, sizeof target);
  if (n > 0)
    add_bytes(lines, key, target, (size_t)n);
}

static uint64_t now_of(clockid_t clock)
{
  struct timespec time;
  return clock_gettime(clock, &time) == 0 ? (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec : 0;
}

/* When the process began, in CLOCK_MONOTONIC: as long ago as the processor time that it has had. It may have slept
 * besides, which is no work. */
static void add_began(struct lines *lines, uint64_t jiffies)
{
  long rate = sysconf(_SC_CLK_TCK);
  uint64_t born = rate > 0 ? jiffies * (1000000000u / (uint64_t)rate) : 0, boot = now_of(CLOCK_BOOTTIME);
  uint64_t oldest = boot > born ? boot - born : 0, worked = now_of(CLOCK_PROCESS_CPUTIME_ID);
  uint64_t age = worked < oldest ? worked : oldest, now = now_of(CLOCK_MONOTONIC);
  if (rate > 0 && now > age)
    add_number(lines, "began", now - age);
}

/* The process' start in clock ticks since boot: field 22 of /proc/self/stat; the command before it is any text.
 */
static void add_start_jiffies(struct lines *lines, bool recorded_from_begin)
{
  char stat[1024];
  if (file_read("/proc/self/stat", stat, sizeof stat) <= 0)
    return;
  const char *at = strrchr(stat, ')');
  for (int field = 2; at && field < 22; field++)
    at = strchr(at + 1, ' ');
  if (!at)
    return;
  uint64_t jiffies = strtoull(at + 1, NULL, 10);
  add_number(lines, "start-jiffies", jiffies);
  if (recorded_from_begin)
    add_began(lines, jiffies);
}

static void add_boot_id(struct lines *lines)
{
  char id[64];
  if (file_read("/proc/sys/kernel/random/boot_id", id, sizeof id) > 0) {
    id[strcspn(id, "\n")] = '\0';
    add_string(lines, "boot-id", id);
  }
}

/* Facts from which the converter finds out whether the process still records, if pid and boot id do not suffice. */
static void add_lock(struct lines *lines)
{
  char link[64];
  ssize_t n = readlink("/proc/self/ns/pid", link, sizeof link - 1);
  link[n > 0 ? n : 0] = '\0';
  char *number = strchr(link, '[');
  if (number)
    add_number(lines, "pid-namespace", strtoull(number + 1, NULL, 10));
  struct process_dir_lock lock = process_dir_lock();
  if (!lock.held)
    return;
  lines_reserve(lines, 0);
  text_add(&lines->text, "lock: ");
  text_add_number(&lines->text, lock.inode);
  text_add(&lines->text, lock.local ? " local\n" : " shared\n");
}

static void add_environment(struct lines *lines)
{
  for (char **entry = environ; entry && *entry; entry++) {
    char name[64];
    struct text text = TEXT_OVER(name);
    size_t length = strcspn(*entry, "= ");
    text_add(&text, " ");
    text_add_bytes(&text, *entry, length);
    text_add(&text, " ");
    if (length > 0 && (*entry)[length] == '=' && !text.cut && strstr(KNOWN_ENVIRONMENT, name))
      add_string(lines, "env", *entry);
  }
}

/* True if the runtime may have bound this thread already: then its affinity is not the process' affinity. */
static bool may_be_bound(void)
{
  static const char *const binds[] = {"OMP_PROC_BIND", "OMP_PLACES", "GOMP_CPU_AFFINITY", "KMP_AFFINITY"};
  for (size_t i = 0; i < COUNT_OF(binds); i++) {
    const char *value = getenv(binds[i]);
    if (value && *value && strcmp(value, "false") != 0 && strcmp(value, "FALSE") != 0)
      return true;
  }
  return false;
}

extern heddle_processors_1_t heddle_processors_1 __attribute__((weak, visibility("default")));

static void add_processors(struct lines *lines)
{
  cpu_set_t set;
  unsigned processors = heddle_processors_1 ? heddle_processors_1() : 0;
  if (processors != 0)
    add_number(lines, "processors", processors);
  else if (!may_be_bound() && sched_getaffinity(0, sizeof set, &set) == 0)
    add_number(lines, "processors", (uint64_t)CPU_COUNT(&set));
}

static void add_cpu_limit(struct lines *lines)
{
  struct cgroup_limit limit;
  if (cgroup_limit_read("/proc/self", &limit))
    add_numbers(lines, "cpu-limit", (uint64_t[]){limit.quota_us, limit.period_us, limit.throttled_us}, 3);
}

static void add_stolen(struct lines *lines)
{
  struct steal_time stolen;
  if (steal_time_is_possible() && steal_time_read("/proc/stat", &stolen))
    add_numbers(lines, "stolen", (uint64_t[]){stolen.taken, stolen.all}, 2);
}

int process_file_begin(const struct process_facts *facts, const struct settings *settings, uint32_t ring_slots)
{
  struct lines lines;
  anchor_lines_begin();
  lines_begin(&lines);
  add_number(&lines, "heddle-raw", RAW_VERSION);
  add_lock(&lines);
  add_string(&lines, "tool", facts->tool);
  add_string(&lines, "runtime", facts->runtime);
  add_string(&lines, "host", facts->host);
  add_number(&lines, "pid", (uint64_t)getpid());
  add_number(&lines, "ppid", (uint64_t)getppid());
  add_number(&lines, "start", facts->start_ns);
  add_start_jiffies(&lines, !settings->live && !settings->paused);
  add_boot_id(&lines);
  add_string(&lines, "parent", facts->parent);
  add_link(&lines, "exe", "/proc/self/exe");
  (settings->command ? add_command_line : add_program_name)(&lines);
  add_link(&lines, "cwd", "/proc/self/cwd");
  add_environment(&lines);
  add_processors(&lines);
  add_cpu_limit(&lines);
  add_stolen(&lines);
  add_string(&lines, "clock", clock_is_monotonic() ? "monotonic" : "tsc");
  add_string(&lines, "clock-why", clock_why());
  lines_reserve(&lines, 0);
  anchor_lines_add(&lines.text, ANCHOR_LINES_BEST);
  add_number(&lines, "window-size", settings->window);
  add_number(&lines, "ring-slots", ring_slots);
  add_number(&lines, "record-ticks", recording_cost_measure());
  char budget[32];
  budget_text(&settings->budget, budget, sizeof budget);
  if (settings->folded)
    add_string(&lines, "profile", "sums");
  else if (!settings->profile)
    add_string(&lines, "budget", budget);
  if (settings->live)
    add_number(&lines, "live", 1);
  add_string(&lines, "counters", counters_chosen());
  int error = lines_end(&lines);
  modules_begin();
  return error;
}

void process_file_add_tool(const char *tool, const char *runtime)
{
  struct lines lines;
  lines_begin(&lines);
  add_string(&lines, "tool", tool);
  add_string(&lines, "runtime", runtime);
  lines_end(&lines);
}

static void add_counters(struct lines *lines)
{
  int error;
  uint64_t lost = counters_lost(&error);
  if (counters_price() > 0)
    add_number(lines, "counter-ticks", counters_price());
  if (lost == 0)
    return;
  lines_reserve(lines, 0);
  text_add(&lines->text, "counters-lost: ");
  text_add_number(&lines->text, lost);
  text_add(&lines->text, " ");
  text_add(&lines->text, diag_reason(error));
  text_add(&lines->text, "\n");
}

void process_file_end(const char *how, const struct recording_losses *losses)
{
  modules_end();
  struct lines lines;
  lines_begin(&lines);
  lines_reserve(&lines, 0);
  anchor_lines_add(&lines.text, ANCHOR_LINES_BEST);
  if (losses->threads) {
    lines_reserve(&lines, 0);
    text_add(&lines.text, "threads-lost: ");
    text_add_number(&lines.text, losses->threads);
    text_add(&lines.text, " ");
    text_add(&lines.text, diag_reason(losses->reason));
    text_add(&lines.text, "\n");
  }
  if (losses->chunks) {
    lines_reserve(&lines, 0);
    text_add(&lines.text, "chunks-lost: ");
    text_add_number(&lines.text, losses->chunks);
    text_add(&lines.text, " ");
    text_add(&lines.text, diag_reason(losses->reason));
    text_add(&lines.text, "\n");
  }
  add_counters(&lines);
  if (losses->events)
    add_number(&lines, "events-lost", losses->events);
  if (losses->limit_reached)
    add_string(&lines, "limit", "HEDDLE_MAX_SIZE reached");
  add_cpu_limit(&lines);
  add_stolen(&lines);
  lines_reserve(&lines, 0);
  text_add(&lines.text, "ended: ");
  text_add_number(&lines.text, clock_ticks());
  text_add(&lines.text, " ");
  text_add(&lines.text, how);
  text_add(&lines.text, "\n");
  lines_end(&lines);
}
