#include "otf2-convert/plan/plan.h"

#include "common/raw/live_control.h"
#include "common/raw/raw_calls.h"
#include "common/recorder/clock.h"
#include "otf2-convert/messages.h"
#include "otf2-convert/plan/process.h"
#include "otf2-convert/scan/kernel_log.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* The names in a directory but . and .. ; false with errno. */
static bool names_of(int directory, string_list *names)
{
  int copy = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *list = copy < 0 ? NULL : fdopendir(copy);
  struct dirent *entry;
  if (list == NULL)
    return false;
  while ((entry = readdir(list)) != NULL) {
    if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
      continue;
    if (!string_list_add(names, entry->d_name)) {
      closedir(list);
      errno = ENOMEM;
      return false;
    }
  }
  closedir(list);
  return true;
}

static int by_start(const void *a, const void *b)
{
  const struct process *x = a, *y = b;
  if (x->info.start_ns != y->info.start_ns)
    return x->info.start_ns < y->info.start_ns ? -1 : 1;
  return strcmp(x->directory, y->directory);
}

/* True if a younger image of the same process follows: this one was replaced by exec. */
static bool was_replaced(const struct plan *plan, uint32_t i)
{
  const struct process_info *info = &plan->processes.items[i].info;
  for (uint32_t k = i + 1; k < plan->processes.count; k++) {
    const struct process_info *later = &plan->processes.items[k].info;
    if (later->pid == info->pid && later->pid_namespace == info->pid_namespace &&
        later->start_jiffies == info->start_jiffies && later->boot_id != NULL && info->boot_id != NULL &&
        strcmp(later->boot_id, info->boot_id) == 0)
      return true;
  }
  return false;
}

static void find_replaced(struct plan *plan)
{
  for (uint32_t i = 0; i < plan->processes.count; i++)
    if (was_replaced(plan, i))
      plan->processes.items[i].life = LIFE_OVER;
}

/* True if the process still records: asked before its files are read, so that the files of an ended process are
 * complete.
 */
static enum process_life life_now(const struct plan *plan, const char *name, const struct here *here)
{
  int fd = openat(plan->raw_fd, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
  struct process_info info = {0};
  enum process_life life = LIFE_UNKNOWN;
  if (fd >= 0 && process_info_read(&info, fd, "process"))
    life = process_life_of(&info, fd, here);
  process_info_free(&info);
  if (fd >= 0)
    close(fd);
  return life;
}

static void note_ignored(const struct process *process)
{
  const struct module_list *modules = &process->info.modules;
  if (modules->ignored > 0)
    message_note(
        "raw/%s/process: more than %u loads of libraries: functions and source lines of further ones are unknown",
        process->directory, MODULE_LIST_MAX);
  if (process->info.cut)
    message_note("raw/%s/process: longer than %u MiB: the rest is ignored", process->directory,
                 PROCESS_INFO_BYTES_MAX >> 20);
}

/* Adds the process directory of that name, if it is one. False: memory or descriptors are short, errno says which. */
static bool add_process(struct plan *plan, const char *name, const struct here *here)
{
  struct process process = {.raw = {.fd = -1}, .life = life_now(plan, name, here)};
  bool over = process.life == LIFE_OVER;
  if ((over ? raw_dir_open : raw_dir_open_running)(&process.raw, plan->raw_fd, name) != 0)
    return errno != ENOMEM && errno != EMFILE && errno != ENFILE;
  bool good = true;
  if (!process_info_read(&process.info, process.raw.fd, "process"))
    good = errno != ENOMEM;
  process.same_boot = process_same_boot(&process.info, here);
  process.directory = strdup(name);
  if (!good || process.directory == NULL || !vector_push(&plan->processes, process)) {
    raw_dir_close(&process.raw);
    process_info_free(&process.info);
    free(process.directory);
    errno = ENOMEM;
    return false;
  }
  note_ignored(&process);
  return true;
}

/* Drops a process that cannot be converted. */
static void drop_process(struct plan *plan, uint32_t i)
{
  struct process *process = &plan->processes.items[i];
  raw_dir_close(&process->raw);
  process_info_free(&process->info);
  free(process->directory);
  memmove(process, process + 1, (--plan->processes.count - i) * sizeof *process);
}

/* True if the process was killed when it had made its files and written nothing yet: nothing of it is lost. */
static bool is_unborn(const struct process *process)
{
  struct stat status;
  bool empty =
      fstatat(process->raw.fd, "process", &status, AT_SYMLINK_NOFOLLOW) != 0 ? errno == ENOENT : status.st_size == 0;
  return empty && process->raw.log_count == 0;
}

/* Drops what is no process directory. False: another version wrote one, or memory is short. */
static bool check_versions(struct plan *plan, const char *trace, struct error *error)
{
  for (uint32_t i = 0; i < plan->processes.count;) {
    struct process *process = &plan->processes.items[i];
    if (process->info.version == RAW_VERSION) {
      i++;
      continue;
    }
    if (process->info.version != 0)
      return error_set(error,
                       "%s/raw/%s: raw trace of version %u, but this converter reads version %u; use the converter "
                       "that was installed with the recorder",
                       trace, process->directory, process->info.version, RAW_VERSION);
    if (!is_unborn(process))
      message_note("%s/raw/%s: cannot read the file `process`: ignored", trace, process->directory);
    else if (!string_list_add(&plan->unborn, process->directory))
      return error_set(error, "out of memory");
    drop_process(plan, i);
  }
  return true;
}

static int by_rank(const void *a, const void *b)
{
  const struct process *x = a, *y = b;
  uint64_t rank = process_rank(&x->info), other = process_rank(&y->info);
  return rank != other ? (rank < other ? -1 : 1) : by_start(a, b);
}

/* Ranks take the places that ranks have, in their own order: their parents stay before them. */
static void order_ranks(struct plan *plan)
{
  size_t count = plan->processes.count, ranks = 0;
  struct process *items = plan->processes.items, *sorted = malloc((count + 1) * sizeof *sorted);
  for (size_t i = 0; sorted && i < count; i++)
    if (process_rank(&items[i].info) != PROCESS_NO_RANK)
      sorted[ranks++] = items[i];
  if (ranks > 0)
    qsort(sorted, ranks, sizeof *sorted, by_rank);
  for (size_t i = count; sorted && i-- > 0;)
    if (process_rank(&items[i].info) != PROCESS_NO_RANK)
      items[i] = sorted[--ranks];
  free(sorted);
}

static enum plan_result read_processes(struct plan *plan, const char *trace, struct error *error)
{
  string_list names = {0};
  struct here here = here_now();
  bool good = names_of(plan->raw_fd, &names);
  for (size_t i = 0; good && i < names.count; i++)
    good = add_process(plan, names.items[i], &here);
  int saved = errno;
  string_list_free(&names);
  if (!good) {
    error_set(error, "%s/raw: cannot read: %s", trace, strerror(saved));
    return PLAN_FAULT;
  }
  if (plan->processes.count == 0)
    return PLAN_NO_RAW;
  if (!check_versions(plan, trace, error))
    return PLAN_FAULT;
  if (plan->processes.count == 0 && plan->unborn.count != 0)
    return PLAN_NO_RAW;
  if (plan->processes.count == 0) {
    error_set(error, "%s/raw: has no process that can be converted", trace);
    return PLAN_FAULT;
  }
  qsort(plan->processes.items, plan->processes.count, sizeof *plan->processes.items, by_start);
  order_ranks(plan);
  return PLAN_READY;
}

static bool number_locations(struct plan *plan, const char *trace, struct error *error)
{
  uint64_t count = 0;
  for (uint32_t i = 0; i < plan->processes.count; i++) {
    plan->processes.items[i].index = i;
    plan->processes.items[i].first_location = (uint32_t)count;
    count += plan->processes.items[i].raw.log_count;
    struct raw_dir *raw = &plan->processes.items[i].raw;
    for (uint32_t k = 0; k < raw->log_count + raw->profile_count; k++)
      raw->logs[k].dir = raw; /* its place is final now */
    if (count > PLAN_LOCATIONS_MAX || i >= PLAN_PROCESSES_MAX)
      return error_set(error, "%s: more than %u threads or %u processes", trace, PLAN_LOCATIONS_MAX,
                       PLAN_PROCESSES_MAX);
  }
  plan->location_count = (uint32_t)count;
  return true;
}

static bool all_are_over(const struct plan *plan)
{
  for (uint32_t i = 0; i < plan->processes.count; i++)
    if (plan->processes.items[i].life != LIFE_OVER)
      return false;
  return true;
}

/* True if no process is running that must have ended before. */
static bool check_lives(const struct plan *plan, const char *trace, enum plan_live live, struct error *error)
{
  for (uint32_t i = 0; i < plan->processes.count && live == PLAN_LIVE_REFUSE; i++) {
    const struct process_info *info = &plan->processes.items[i].info;
    if (plan->processes.items[i].life == LIFE_GOES_ON)
      return error_set(error, "%s: process %llu (%s) is still running; convert after it has ended, or use --force-live",
                       trace, (unsigned long long)info->pid, info->exe != NULL ? info->exe : "?");
  }
  return true;
}

enum plan_result plan_open(struct plan *plan, int trace_fd, const char *trace, enum plan_live live, struct error *error)
{
  *plan = (struct plan){.raw_fd = openat(trace_fd, "raw", O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW)};
  if (plan->raw_fd < 0 && errno == ENOENT)
    return PLAN_NO_RAW;
  if (plan->raw_fd < 0) {
    error_set(error, "%s/raw: cannot open: %s", trace, strerror(errno));
    return PLAN_FAULT;
  }
  enum plan_result result = read_processes(plan, trace, error);
  if (result != PLAN_READY)
    return result;
  find_replaced(plan);
  if (live == PLAN_LIVE_LEAVE && !all_are_over(plan))
    return PLAN_LEFT;
  if (!check_lives(plan, trace, live, error))
    return PLAN_RUNS;
  if (!number_locations(plan, trace, error))
    return PLAN_FAULT;
  if (!plan_clock_choose(&plan->clocks, plan->processes.items, plan->processes.count, trace_fd)) {
    error_set(error, "out of memory");
    return PLAN_FAULT;
  }
  return PLAN_READY;
}

void plan_close(struct plan *plan)
{
  while (plan->processes.count > 0)
    drop_process(plan, plan->processes.count - 1);
  plan_clock_free(&plan->clocks);
  vector_free(&plan->processes);
  string_list_free(&plan->unborn);
  if (plan->raw_fd >= 0)
    close(plan->raw_fd);
  *plan = (struct plan){.raw_fd = -1};
}

static bool plan_ends_with(const char *text, const char *suffix)
{
  size_t n = strlen(text), m = strlen(suffix);
  return n >= m && strcmp(text + n - m, suffix) == 0;
}

/* True if a file of a process directory is one of the recorder's. */
static bool plan_is_ours(const char *name)
{
  return strcmp(name, "process") == 0 || strcmp(name, "windows") == 0 || strcmp(name, "topology.xml") == 0 ||
         strcmp(name, RAW_CALLS_FILE) == 0 || strcmp(name, LIVE_CONTROL_FILE) == 0 ||
         strcmp(name, LIVE_ALLOCATED_FILE) == 0 || strcmp(name, LIVE_SAMPLES_FILE) == 0 ||
         strcmp(name, RAW_JVM_LOG_FILE) == 0 || strcmp(name, RAW_JVM_LOG_FILE ".0") == 0 ||
         (strncmp(name, "chunks-", 7) == 0 && plan_ends_with(name, ".log"));
}

/* True if a process records into this directory, which came when the plan was made already. It holds the lock on its
 * file before it writes into it (common/process/session.c). */
static bool is_newcomer(const struct plan *plan, const char *name)
{
  for (uint32_t i = 0; i < plan->processes.count; i++)
    if (strcmp(plan->processes.items[i].directory, name) == 0)
      return false;
  int directory = openat(plan->raw_fd, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
  int fd = directory < 0 ? -1 : openat(directory, "process", O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  struct process_info info = {0};
  bool records = fd >= 0 && flock(fd, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  if (fd >= 0 && !records)
    records = process_info_read(&info, directory, "process") && info.version != 0;
  process_info_free(&info);
  if (fd >= 0)
    close(fd);
  if (directory >= 0)
    close(directory);
  return records;
}

bool plan_has_newcomer(const struct plan *plan)
{
  string_list names = {0};
  bool has = !names_of(plan->raw_fd, &names); /* who can't look must not remove */
  for (size_t i = 0; i < names.count && !has; i++)
    has = is_newcomer(plan, names.items[i]);
  string_list_free(&names);
  return has;
}

static void remove_process(const struct plan *plan, const char *directory)
{
  string_list names = {0};
  int fd = openat(plan->raw_fd, directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
  if (fd >= 0) {
    names_of(fd, &names);
    for (size_t k = 0; k < names.count; k++)
      if (plan_is_ours(names.items[k]))
        unlinkat(fd, names.items[k], 0);
    string_list_free(&names);
    close(fd);
  }
  unlinkat(plan->raw_fd, directory, AT_REMOVEDIR);
}

void plan_remove_raw(const struct plan *plan, int trace_fd, const char *meanwhile)
{
  bool moved = renameat(trace_fd, "raw", trace_fd, meanwhile) == 0;
  for (uint32_t i = 0; i < plan->processes.count; i++)
    remove_process(plan, plan->processes.items[i].directory);
  for (size_t i = 0; i < plan->unborn.count; i++)
    remove_process(plan, plan->unborn.items[i]);
  if (unlinkat(trace_fd, moved ? meanwhile : "raw", AT_REMOVEDIR) != 0 && moved)
    renameat(trace_fd, meanwhile, trace_fd, "raw");
}

uint64_t plan_realtime(const struct plan *plan, uint64_t time)
{
  return plan_clock_realtime(&plan->clocks, time);
}

#define ROUNDS_APART_NS 50000000u /* more anchors of a log add nothing */
#define SPAN_ENOUGH_NS  1000000u

/* The clock of a process' machine; NULL: memory is short. */
static struct plan_clock *clock_of(struct plan_clocks *clocks, const struct process_info *info)
{
  for (size_t i = 0; i < clocks->list.count; i++) {
    struct plan_clock *clock = &clocks->list.items[i];
    if (clock->boot_id != NULL && info->boot_id != NULL && strcmp(clock->boot_id, info->boot_id) == 0)
      return clock;
  }
  struct plan_clock clock = {
      .boot_id = info->boot_id, .realtime_ns = info->first.realtime_ns, .monotonic_ns = info->first.monotonic_ns};
  return vector_push(&clocks->list, clock) ? &clocks->list.items[clocks->list.count - 1] : NULL;
}

/* A process that was killed soon has one anchor of its own; the headers of its chunks have more, less exact ones. */
static bool add_chunks(struct clock_map *map, const struct process *process)
{
  bool good = true;
  for (uint32_t i = 0; i < process->raw.log_count && good; i++) {
    struct raw_place place = {0};
    struct raw_chunk chunk;
    uint64_t last = process->info.first.monotonic_ns;
    while (good && raw_log_next(&process->raw.logs[i], &place, &chunk))
      if (chunk.anchor_ns >= last + SPAN_ENOUGH_NS) {
        good = clock_map_add(map, (struct anchor){.ticks = chunk.anchor_ticks, .monotonic_ns = chunk.anchor_ns});
        last = chunk.anchor_ns;
      }
  }
  return good;
}

/* The clocks of now, if that is the process' counter. */
static bool add_now(struct clock_map *map, const struct process *process)
{
  if (!process->same_boot || clock_counter_fault() != NULL)
    return true;
  clock_use(true);
  struct clock_anchor now = clock_anchor_take(50);
  return clock_map_add(map, (struct anchor){.ticks = now.ticks, .monotonic_ns = now.monotonic_ns, .width = now.width});
}

static bool add_anchors_of(struct clock_map *map, const struct process *process)
{
  const struct process_info *info = &process->info;
  bool good = true;
  for (size_t i = 0; i < info->all_anchors.count && good; i++)
    good = clock_map_add(map, info->all_anchors.items[i]);
  if (good && info->anchors == 1)
    good = add_chunks(map, process);
  if (good && info->anchors > 0 && info->last.monotonic_ns - info->first.monotonic_ns < SPAN_ENOUGH_NS)
    good = add_now(map, process);
  return good;
}

/* The rounds of a log of `heddle record`: it read the counter, too. */
static bool add_rounds(struct clock_map *map, struct kernel_log *log)
{
  struct kernel_moment moment;
  uint64_t last = 0;
  bool good = true;
  while (good && kernel_log_skip_to_round(log, &moment))
    if (moment.stamp != 0 && (last == 0 || moment.monotonic > last + ROUNDS_APART_NS)) {
      good = clock_map_add(map, (struct anchor){.ticks = moment.stamp, .monotonic_ns = moment.monotonic});
      last = moment.monotonic;
    }
  return good;
}

static bool add_logs(struct plan_clocks *clocks, int trace_fd)
{
  DIR *list = kernel_log_directory(trace_fd, KERNEL_LOG_DIRECTORY);
  struct dirent *entry;
  bool good = true;
  while (good && list != NULL && (entry = readdir(list)) != NULL) {
    struct kernel_log log;
    if (!kernel_log_is_name(entry->d_name) || !kernel_log_open(&log, dirfd(list), entry->d_name))
      continue;
    for (size_t i = 0; i < clocks->list.count && good; i++) {
      struct plan_clock *clock = &clocks->list.items[i];
      if (clock->has_counter && clock->boot_id != NULL && strcmp(clock->boot_id, log.header.boot_id) == 0)
        good = add_rounds(&clock->map, &log);
    }
    kernel_log_close(&log);
  }
  if (list != NULL)
    closedir(list);
  return good;
}

static void note_jumps(const struct plan_clock *clock)
{
  const struct clock_jump *jump = &clock->map.jumps[0];
  if (clock->map.jump_count > 0)
    message_note("the clock jumped %.3f s %s%s, as if the machine was suspended or moved: event times in the %.3f s "
                 "between two readings are inexact",
                 (double)(jump->ahead < 0 ? -jump->ahead : jump->ahead) / 1e9, jump->ahead < 0 ? "back" : "ahead",
                 clock->map.jump_count > 1 ? ", and again" : "", (double)(jump->to - jump->from) / 1e9);
}

/* Returns the difference of archive time and the machine's CLOCK_MONOTONIC, in ns. */
static int64_t shift_of(const struct plan_clocks *clocks, const struct plan_clock *clock)
{
  return clocks->one ? 0 : (int64_t)(clock->realtime_ns - clock->monotonic_ns);
}

static void give_clock(const struct plan_clocks *clocks, const struct plan_clock *clock, struct process *process)
{
  const struct process_info *info = &process->info;
  process->clock = info->clock_is_tsc && clock->map.rate > 0 ? &clock->map : NULL;
  process->frequency = process->clock != NULL ? clock->map.rate * 1e9 : 1e9;
  process->shift = shift_of(clocks, clock);
  if (info->clock_is_tsc && process->clock == NULL) {
    message_note("raw/%s: cannot calibrate the clock: the unit of durations is unknown", process->directory);
    process->frequency = 0;
    process->shift += (int64_t)(info->first.monotonic_ns - info->first.ticks);
  }
}

bool plan_clock_choose(struct plan_clocks *clocks, struct process *processes, size_t count, int trace_fd)
{
  bool good = true;
  for (size_t i = 0; i < count && good; i++) {
    struct plan_clock *clock = clock_of(clocks, &processes[i].info);
    good = clock != NULL;
    if (good && processes[i].info.clock_is_tsc) {
      clock->has_counter = true;
      good = add_anchors_of(&clock->map, &processes[i]);
    }
  }
  good = good && add_logs(clocks, trace_fd);
  clocks->one = clocks->list.count == 1;
  for (size_t i = 0; i < clocks->list.count && good; i++) {
    good = clock_map_finish(&clocks->list.items[i].map);
    note_jumps(&clocks->list.items[i]);
  }
  for (size_t i = 0, own = 0; i < count && good; i++) {
    const struct process_info *info = &processes[i].info;
    /* Machines without an id are in the order of their processes. */
    struct plan_clock *clock = info->boot_id != NULL ? clock_of(clocks, info) : NULL;
    while (clock == NULL && clocks->list.items[own].boot_id != NULL)
      own++;
    give_clock(clocks, clock != NULL ? clock : &clocks->list.items[own++], &processes[i]);
  }
  return good;
}

void plan_clock_free(struct plan_clocks *clocks)
{
  for (size_t i = 0; i < clocks->list.count; i++)
    clock_map_free(&clocks->list.items[i].map);
  vector_free(&clocks->list);
}

uint64_t plan_clock_time(const struct plan_clocks *clocks, size_t machine, uint64_t ns)
{
  struct process any = {.shift = shift_of(clocks, &clocks->list.items[machine])};
  return process_time_of_ns(&any, ns);
}

uint64_t plan_clock_realtime(const struct plan_clocks *clocks, uint64_t time)
{
  const struct plan_clock *first = clocks->list.items;
  if (!clocks->one)
    return time;
  if (first->realtime_ns > INT64_MAX || first->monotonic_ns > INT64_MAX || time > INT64_MAX)
    return 0;
  int64_t begin = (int64_t)first->realtime_ns - (int64_t)first->monotonic_ns;
  return begin < 0 && (int64_t)time < -begin ? 0 : (uint64_t)begin + time;
}
