#include "otf2-convert/live_native.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define LOGS_MOST    8u
#define COUNTED_MOST (1u << 20) /* threads and ways; further samples count apart */
#define LANES_MOST   (1u << 20) /* threads of the kernel; samples of further ones are left out */
#define STEPS_MOST   (1u << 22) /* of a reading while the process runs */
#define MOMENT       64u        /* samples between two looks at the clock */

/* Of what is a share of a processor; in ns. */
#define SHARE        4u         /* a look may take one part of so many of the time since the one before ... */
#define SAVED_NS     200000000u /* ... and what was saved, up to this */
#define REST_NS      20000000
#define FIRST_NS     5000000000u  /* the first look rests in between, so long at most */
#define LAST_NS      10000000000u /* the last look waits for its log so long at most */
#define LAST_TURN_NS 2000000

/* A thread of the kernel, or one of several that had the same number in turn. */
struct lane {
  uint64_t tid, begun; /* begun: ticks */
  uint32_t thread;     /* number in the process; UINT32_MAX: not known yet */
  uint32_t later;      /* 1 + the next one with the same tid; 0: none */
  uint64_t without_room, taken, told;
};

struct counted {
  uint32_t lane, node;
  uint64_t count;
};

struct live_native {
  int directory;
  struct live_paths paths;
  struct kernel_log logs[LOGS_MOST];
  unsigned log_count;
  size_t modules;    /* that the process had when it was looked at last */
  bool executed;     /* the process was another program before, whose samples are in the log, too ... */
  uint64_t replaced; /* ... or is one from then on; ticks. UINT64_MAX: it is not */
  VECTOR(struct lane) lanes;
  struct hash lane_of; /* tid -> the first lane */
  struct hash lane_at; /* number of a thread -> lane */
  VECTOR(struct counted) counted;
  struct hash counted_at; /* lane << 32 | node -> index */
  VECTOR(struct live_function) all;
  struct hash index; /* thread << 32 | function -> index of `all` while it is made */
  uint32_t thread;   /* at work in live_native_sum() */
  uint64_t count;    /* likewise */
  int64_t saved;     /* ns of a processor that may be used */
  uint64_t looked;   /* CLOCK_MONOTONIC_RAW of the last look; 0: none yet */
  bool said;
};

static uint64_t clock_now(clockid_t clock)
{
  struct timespec now;
  clock_gettime(clock, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

uint64_t live_native_now(void)
{
  return clock_now(CLOCK_MONOTONIC_RAW);
}

static const struct process *process_of(const struct live_native *native)
{
  return &native->paths.definitions->plan->processes.items[0];
}

/* Whether the log's kernel had the process, and numbered it as the process itself did. */
static bool is_of(const struct kernel_log *log, const struct process_info *info)
{
  return info->boot_id != NULL && strcmp(info->boot_id, log->header.boot_id) == 0 &&
         info->pid_namespace == log->header.pid_namespace;
}

static void open_logs(struct live_native *native)
{
  DIR *list = kernel_log_directory(native->directory, "../../" KERNEL_LOG_DIRECTORY);
  for (struct dirent *entry; list != NULL && native->log_count < LOGS_MOST && (entry = readdir(list)) != NULL;) {
    struct kernel_log *log = &native->logs[native->log_count];
    if (!kernel_log_is_name(entry->d_name) || !kernel_log_open(log, dirfd(list), entry->d_name))
      continue;
    if (is_of(log, &process_of(native)->info))
      native->log_count++;
    else
      kernel_log_close(log);
  }
  if (list != NULL)
    closedir(list);
}

/* The start in the name of a process directory, <host>.<pid>.<start>, if all before it is that of another one; 0: it is
 * not. */
static uint64_t start_of(const char *name, const char *other)
{
  const char *start = strrchr(other, '.');
  size_t length = start != NULL ? (size_t)(start - other) + 1 : 0;
  return length > 0 && strncmp(name, other, length) == 0 ? strtoull(name + length, NULL, 10) : 0;
}

/* Ticks at which a program began; UINT64_MAX: it is not known. */
static uint64_t begin_of(int raw, const char *name)
{
  struct process_info info;
  int fd = openat(raw, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
  uint64_t begin = UINT64_MAX;
  if (fd >= 0 && process_info_read(&info, fd, "process")) {
    begin = info.first.ticks != 0 ? info.first.ticks : UINT64_MAX;
    process_info_free(&info);
  }
  if (fd >= 0)
    close(fd);
  return begin;
}

/* A process may be several programs in turn (exec), whose samples are in one log. */
static void find_others(struct live_native *native)
{
  char link[64], path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", native->directory);
  ssize_t length = readlink(link, path, sizeof path - 1);
  path[length > 0 ? length : 0] = '\0';
  const char *slash = strrchr(path, '/'), *own = slash != NULL ? slash + 1 : path;
  int fd = openat(native->directory, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *list = fd < 0 ? NULL : fdopendir(fd);
  for (struct dirent *entry; list != NULL && (entry = readdir(list)) != NULL;) {
    uint64_t start = start_of(entry->d_name, own), begin;
    native->executed |= start != 0 && start < start_of(own, own);
    if (start > start_of(own, own) && (begin = begin_of(dirfd(list), entry->d_name)) < native->replaced)
      native->replaced = begin;
  }
  if (list != NULL)
    closedir(list);
  else if (fd >= 0)
    close(fd);
}

static void close_logs(struct live_native *native)
{
  while (native->log_count > 0)
    kernel_log_close(&native->logs[--native->log_count]);
}

struct live_native *live_native_begin(int directory, struct definitions *definitions)
{
  const struct process_info *info = &definitions->plan->processes.items[0].info;
  struct live_native *native = calloc(1, sizeof *native);
  if (native == NULL)
    return NULL;
  native->directory = directory;
  native->modules = info->modules.modules.count;
  native->replaced = UINT64_MAX;
  find_others(native);
  live_paths_begin(&native->paths, definitions);
  open_logs(native);
  if (native->log_count > 0)
    return native;
  live_native_free(native);
  return NULL;
}

static void forget_counts(struct live_native *native)
{
  native->lanes.count = native->counted.count = native->all.count = 0;
  hash_free(&native->lane_of);
  hash_free(&native->lane_at);
  hash_free(&native->counted_at);
  hash_free(&native->index);
}

void live_native_free(struct live_native *native)
{
  if (native == NULL)
    return;
  close_logs(native);
  live_paths_free(&native->paths);
  forget_counts(native);
  vector_free(&native->lanes);
  vector_free(&native->counted);
  vector_free(&native->all);
  free(native);
}

void live_native_renew(struct live_native *native, struct definitions *definitions)
{
  size_t modules = definitions->plan->processes.items[0].info.modules.modules.count;
  bool same = modules == native->modules;
  native->modules = modules;
  if (live_paths_renew(&native->paths, definitions, same))
    return;
  forget_counts(native);
  for (unsigned i = 0; i < native->log_count; i++)
    kernel_log_rewind(&native->logs[i]);
}

/* A lane without its place among those of its tid; UINT32_MAX: memory is short, or there are too many. */
static uint32_t new_lane(struct live_native *native, struct lane lane)
{
  bool good = native->lanes.count < LANES_MOST && vector_push(&native->lanes, lane);
  return good ? (uint32_t)native->lanes.count - 1 : UINT32_MAX;
}

/* Those of one tid are in the order in which they began. */
static bool insert_lane(struct live_native *native, uint32_t added)
{
  struct lane *lanes = native->lanes.items;
  uint64_t tid = lanes[added].tid, *first = hash_find(&native->lane_of, tid);
  if (first == NULL || lanes[*first].begun > lanes[added].begun) {
    lanes[added].later = first == NULL ? 0 : (uint32_t)*first + 1;
    return hash_put(&native->lane_of, tid, added);
  }
  uint32_t before = (uint32_t)*first;
  while (lanes[before].later != 0 && lanes[lanes[before].later - 1].begun <= lanes[added].begun)
    before = lanes[before].later - 1;
  lanes[added].later = lanes[before].later;
  lanes[before].later = added + 1;
  return true;
}

/* A thread of the look; samples may have come before it was seen. */
static bool note_thread(struct live_native *native, const struct live_thread *thread)
{
  struct lane lane = {.tid = thread->is.tid, .begun = thread->is.begun, .thread = thread->number};
  const uint64_t *first = hash_find(&native->lane_of, lane.tid);
  uint32_t number;
  if (first != NULL && native->lanes.items[*first].thread == UINT32_MAX) {
    number = (uint32_t)*first;
    native->lanes.items[number].thread = thread->number;
    native->lanes.items[number].begun = thread->is.begun;
  } else if ((number = new_lane(native, lane)) == UINT32_MAX || !insert_lane(native, number)) {
    return native->lanes.count >= LANES_MOST;
  }
  return hash_add(&native->lane_at, thread->number, number) != NULL;
}

static bool note_threads(struct live_native *native, const struct live_look *look)
{
  bool good = true;
  for (size_t i = 0; good && i < look->threads.count; i++) {
    const struct live_thread *thread = &look->threads.items[i];
    if (thread->known && thread->is.tid != 0 && hash_find(&native->lane_at, thread->number) == NULL)
      good = note_thread(native, thread);
  }
  return good;
}

/* The lane that the tid was at a time; UINT32_MAX: as above. */
static uint32_t lane_at(struct live_native *native, uint64_t tid, uint64_t ticks)
{
  const uint64_t *first = hash_find(&native->lane_of, tid);
  if (first == NULL) {
    uint32_t number = new_lane(native, (struct lane){.tid = tid, .thread = UINT32_MAX});
    return number != UINT32_MAX && insert_lane(native, number) ? number : UINT32_MAX;
  }
  uint32_t number = (uint32_t)*first;
  const struct lane *lanes = native->lanes.items;
  while (lanes[number].later != 0 && lanes[lanes[number].later - 1].begun <= ticks)
    number = lanes[number].later - 1;
  return number;
}

/* False: memory is short. */
static bool count_sample(struct live_native *native, uint32_t lane, uint32_t node)
{
  uint64_t key = (uint64_t)lane << 32 | node;
  const uint64_t *known = hash_find(&native->counted_at, key);
  native->lanes.items[lane].taken++;
  if (known != NULL) {
    native->counted.items[*known].count++;
    return true;
  }
  if (native->counted.count >= COUNTED_MOST) {
    native->lanes.items[lane].without_room++;
    return true;
  }
  return vector_push(&native->counted, ((struct counted){lane, node, 1})) &&
         hash_add(&native->counted_at, key, native->counted.count - 1) != NULL;
}

/* Whether the process was another program then. */
static bool is_of_other(const struct live_native *native, uint64_t ticks)
{
  return (native->executed && ticks < process_of(native)->info.first.ticks) || ticks >= native->replaced;
}

/* False: memory is short. */
static bool take_sample(struct live_native *native, const struct kernel_log *log, const struct kernel_record *record)
{
  const struct process_info *info = &process_of(native)->info;
  struct sample sample = {.stack = record->processor & ((1u << KERNEL_TRIGGER_AT) - 1),
                          .trigger = record->processor >> KERNEL_TRIGGER_AT};
  uint32_t node = SAMPLES_NONE;
  if (record->kind != KERNEL_SAMPLE || record->who >> 32 != info->pid || sample.trigger >= log->samplers.count)
    return true;
  struct kernel_moment moment = kernel_log_moment(log, record->time);
  sample.ticks = info->clock_is_tsc ? moment.stamp : moment.monotonic;
  if (is_of_other(native, sample.ticks))
    return true;
  if (!live_paths_find(&native->paths, log, &sample, &node))
    return false;
  if (node == SAMPLES_NONE)
    return true;
  uint32_t lane = lane_at(native, (uint32_t)record->who, sample.ticks);
  return lane == UINT32_MAX ? native->lanes.count >= LANES_MOST : count_sample(native, lane, node);
}

/* How long a look may go on. */
struct bounds {
  bool none;      /* the last look has all */
  uint64_t until; /* CLOCK_MONOTONIC_RAW of samples */
  uint64_t rests; /* up to this CLOCK_MONOTONIC_RAW it rests when it has used its share, and goes on */
  uint64_t used;  /* of the thread's processor time, when this was looked at last */
};

static void save(struct live_native *native, uint64_t now)
{
  native->saved += (int64_t)((now - native->looked) / SHARE);
  native->saved = native->saved < (int64_t)SAVED_NS ? native->saved : (int64_t)SAVED_NS;
  native->looked = now;
}

/* Whether the share is not used up. */
static bool may_go_on(struct live_native *native, struct bounds *bounds)
{
  if (bounds->none)
    return true;
  uint64_t used = clock_now(CLOCK_THREAD_CPUTIME_ID), now;
  native->saved -= (int64_t)(used - bounds->used);
  bounds->used = used;
  while (native->saved <= 0 && (now = live_native_now()) < bounds->rests) {
    nanosleep(&(struct timespec){.tv_nsec = REST_NS}, NULL);
    save(native, live_native_now());
  }
  return native->saved > 0;
}

/* Takes what was read of a log. *more: all of it that is old enough. False: memory is short. */
static bool take_ready(struct live_native *native, struct kernel_log *log, struct bounds *bounds, bool *more)
{
  const struct kernel_record *record;
  *more = true;
  for (unsigned i = 0; (record = kernel_log_peek(log)) != NULL; i++) {
    *more = record->time < bounds->until && (i % MOMENT != 0 || may_go_on(native, bounds));
    if (!*more)
      return true;
    if (!take_sample(native, log, record))
      return false;
    log->next++;
  }
  return true;
}

static bool take_log(struct live_native *native, struct kernel_log *log, struct bounds *bounds)
{
  bool more = true, good = take_ready(native, log, bounds, &more);
  enum kernel_followed followed = KERNEL_FOLLOWED_ROUND;
  while (good && more && followed == KERNEL_FOLLOWED_ROUND && may_go_on(native, bounds)) {
    followed = kernel_log_follow(log);
    good = take_ready(native, log, bounds, &more);
  }
  return good;
}

static void say_once(struct live_native *native, const char *text)
{
  if (!native->said)
    fprintf(stderr, "heddle-convert: %s\n", text);
  native->said = true;
}

/* Its writer takes nothing more. */
static bool is_full(const struct kernel_log *log)
{
  struct stat status;
  return fstat(fileno(log->file), &status) == 0 && (uint64_t)status.st_size >= KERNEL_LOG_MOST;
}

/* All that the log will have of a process that has ended at a time, by CLOCK_MONOTONIC_RAW. The writer ends a little
 * later than the program. */
static bool take_rest(struct live_native *native, struct kernel_log *log, uint64_t ended)
{
  struct bounds bounds = {.none = true, .until = ended};
  for (;;) {
    bool written = kernel_log_is_written(log) && !is_full(log);
    if (!take_log(native, log, &bounds))
      return false;
    if (log->over || log->sure > ended + KERNEL_LATE_NS || kernel_log_peek(log) != NULL)
      return true; /* what is left is of others */
    if (!written) {
      kernel_log_end(log);
      return take_log(native, log, &bounds);
    }
    if (live_native_now() > ended + LAST_NS) {
      say_once(native, "the last samples are missing: `heddle record` has not written them within 10 s");
      return true;
    }
    nanosleep(&(struct timespec){.tv_nsec = LAST_TURN_NS}, NULL);
  }
}

bool live_native_take(struct live_native *native, const struct live_look *look, uint64_t until, bool over)
{
  uint64_t now = live_native_now();
  struct bounds bounds = {.until = until, .used = clock_now(CLOCK_THREAD_CPUTIME_ID)};
  if (native->looked == 0) {
    native->looked = now;
    native->saved = SAVED_NS;
    bounds.rests = now + FIRST_NS;
  }
  save(native, now);
  bool good = note_threads(native, look);
  if (over)
    find_others(native);
  for (unsigned i = 0; good && i < native->log_count; i++) {
    struct kernel_log *log = &native->logs[i];
    good = over ? take_rest(native, log, until) : take_log(native, log, &bounds);
    if (good && !over && is_full(log))
      say_once(native, "the log of samples is full: further ones are not counted");
  }
  return good;
}

/* Adds to the function of the thread at work. */
static bool add(void *context, uint32_t name, bool self)
{
  struct live_native *native = context;
  uint64_t key = (uint64_t)native->thread << 32 | name;
  const uint64_t *known = hash_find(&native->index, key);
  if (known == NULL) {
    struct live_function none = {.thread = native->thread, .function = name};
    if (!vector_push(&native->all, none) || (known = hash_add(&native->index, key, native->all.count - 1)) == NULL)
      return false;
  }
  native->all.items[*known].self += self ? native->count : 0;
  native->all.items[*known].total += native->count;
  return true;
}

static bool add_without_room(struct live_native *native)
{
  bool good = true;
  for (size_t i = 0; good && i < native->lanes.count; i++) {
    const struct lane *lane = &native->lanes.items[i];
    if (lane->without_room == 0 || lane->thread == UINT32_MAX)
      continue;
    uint32_t name = live_paths_other(&native->paths, LIVE_WITHOUT_ROOM);
    native->thread = lane->thread;
    native->count = lane->without_room;
    good = name != TEXTS_NONE && add(native, name, true);
  }
  return good;
}

static int by_thread(const void *a, const void *b)
{
  const struct live_function *x = a, *y = b;
  int order = (x->thread > y->thread) - (x->thread < y->thread);
  return order != 0 ? order : (x->function > y->function) - (x->function < y->function);
}

bool live_native_sum(struct live_native *native, bool over)
{
  uint64_t steps = over ? UINT64_MAX : STEPS_MOST, begun = clock_now(CLOCK_THREAD_CPUTIME_ID);
  native->all.count = 0;
  hash_free(&native->index);
  bool good = live_paths_name(&native->paths);
  for (size_t i = 0; good && i < native->counted.count; i++) {
    const struct counted *counted = &native->counted.items[i];
    native->thread = native->lanes.items[counted->lane].thread;
    native->count = counted->count;
    if (native->thread != UINT32_MAX)
      good = live_paths_walk(&native->paths, counted->node, &steps, add, native);
  }
  good = good && add_without_room(native);
  if (native->all.count > 0)
    qsort(native->all.items, native->all.count, sizeof *native->all.items, by_thread);
  native->saved -= (int64_t)(clock_now(CLOCK_THREAD_CPUTIME_ID) - begun);
  return good;
}

const struct live_function *live_native_of(const struct live_native *native, uint32_t thread, size_t *count)
{
  size_t from = 0, to = native->all.count;
  while (from < to) {
    size_t middle = from + (to - from) / 2;
    if (native->all.items[middle].thread < thread)
      from = middle + 1;
    else
      to = middle;
  }
  while (to < native->all.count && native->all.items[to].thread == thread)
    to++;
  *count = to - from;
  return *count > 0 ? &native->all.items[from] : NULL;
}

const struct live_paths *live_native_paths(const struct live_native *native)
{
  return &native->paths;
}

bool live_native_has_news(struct live_native *native, uint32_t thread)
{
  const uint64_t *number = hash_find(&native->lane_at, thread);
  struct lane *lane = number != NULL ? &native->lanes.items[*number] : NULL;
  bool news = lane != NULL && lane->taken != lane->told;
  if (news)
    lane->told = lane->taken;
  return news;
}
