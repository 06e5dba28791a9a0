#include "otf2-convert/live/live_native.h"

#include "otf2-convert/plan/process_info.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define LIVE_NATIVE_LOGS_MOST  8u
#define COUNTED_MOST           (1u << 20) /* threads and ways; further samples count apart */
#define LIVE_NATIVE_STEPS_MOST (1u << 22) /* of a reading while the process runs */
#define MOMENT                 64u        /* samples between two looks at the clock */

/* Limits of processor time. */
#define SHARE        4u         /* a look may take 1/4 of the time since the former one, */
#define SAVED_NS     200000000u /* and unused time up to this */
#define REST_MS      20
#define FIRST_NS     5000000000u  /* longest first look, with its rests */
#define LAST_NS      10000000000u /* longest wait of the last look for its log */
#define LAST_TURN_NS 2000000

/*
 * Lanes: the kernel's threads that samples belong to. A number of the kernel may be several threads in turn, and
 * samples may come before their thread was seen.
 */
struct live_lane {
  uint64_t tid, begun; /* begun: ticks */
  uint32_t thread;     /* number in the process; UINT32_MAX: unknown yet */
  uint32_t later;      /* 1 + the next one with the same tid; 0: none */
  uint64_t without_room, taken, told;
};

struct live_lanes {
  VECTOR(struct live_lane) all;
  struct hash of_tid;    /* tid -> the first lane */
  struct hash of_thread; /* number of a thread -> lane */
};

/* A process may be several programs in turn (exec). Each has a directory of its own in raw/, but one log has all
 * samples. */
struct live_programs {
  bool executed;     /* the process was another program before */
  uint64_t replaced; /* ticks: another program replaced it; UINT64_MAX: none did */
};

#define LANES_MOST (1u << 20) /* threads of the kernel; samples of further ones are ignored */

static void live_lanes_free(struct live_lanes *lanes)
{
  vector_free(&lanes->all);
  hash_free(&lanes->of_tid);
  hash_free(&lanes->of_thread);
}

/* True if there is no room for further lanes. */
static bool live_lanes_full(const struct live_lanes *lanes)
{
  return lanes->all.count >= LANES_MOST;
}

/* Returns the lane of a thread of the process; NULL: it was not noted. */
static struct live_lane *live_lanes_of(struct live_lanes *lanes, uint32_t thread)
{
  const uint64_t *number = hash_find(&lanes->of_thread, thread);
  return number != NULL ? &lanes->all.items[*number] : NULL;
}

/* A lane without its place among the lanes of its tid; UINT32_MAX: memory is short, or there are too many. */
static uint32_t new_lane(struct live_lanes *lanes, struct live_lane lane)
{
  bool good = lanes->all.count < LANES_MOST && vector_push(&lanes->all, lane);
  return good ? (uint32_t)lanes->all.count - 1 : UINT32_MAX;
}

/* Lanes of one tid are in the order of their begins. */
static bool insert_lane(struct live_lanes *lanes, uint32_t added)
{
  struct live_lane *all = lanes->all.items;
  uint64_t tid = all[added].tid, *first = hash_find(&lanes->of_tid, tid);
  if (first == NULL || all[*first].begun > all[added].begun) {
    all[added].later = first == NULL ? 0 : (uint32_t)*first + 1;
    return hash_put(&lanes->of_tid, tid, added);
  }
  uint32_t before = (uint32_t)*first;
  while (all[before].later != 0 && all[all[before].later - 1].begun <= all[added].begun)
    before = all[before].later - 1;
  all[added].later = all[before].later;
  all[before].later = added + 1;
  return true;
}

/* A thread of the look; samples may have come before it was seen. */
static bool note_thread(struct live_lanes *lanes, const struct live_thread *thread, bool *changed)
{
  struct live_lane lane = {.tid = thread->is.tid, .begun = thread->is.begun, .thread = thread->number};
  const uint64_t *first = hash_find(&lanes->of_tid, lane.tid);
  uint32_t number;
  *changed = true;
  if (first != NULL && lanes->all.items[*first].thread == UINT32_MAX) {
    number = (uint32_t)*first;
    lanes->all.items[number].thread = thread->number;
    lanes->all.items[number].begun = thread->is.begun;
  } else if ((number = new_lane(lanes, lane)) == UINT32_MAX || !insert_lane(lanes, number)) {
    return live_lanes_full(lanes);
  }
  return hash_add(&lanes->of_thread, thread->number, number) != NULL;
}

/* Notes the new threads of a look, and sets *changed if there are any. False: out of memory. */
static bool live_lanes_note(struct live_lanes *lanes, const struct live_look *look, bool *changed)
{
  bool good = true;
  for (size_t i = 0; good && i < look->threads.count; i++) {
    const struct live_thread *thread = &look->threads.items[i];
    if (thread->known && thread->is.tid != 0 && hash_find(&lanes->of_thread, thread->number) == NULL)
      good = note_thread(lanes, thread, changed);
  }
  return good;
}

/* Returns the lane of a tid at a time (ticks), which may be new; UINT32_MAX: out of memory, or too many lanes. */
static uint32_t live_lanes_at(struct live_lanes *lanes, uint64_t tid, uint64_t ticks)
{
  const uint64_t *first = hash_find(&lanes->of_tid, tid);
  if (first == NULL) {
    uint32_t number = new_lane(lanes, (struct live_lane){.tid = tid, .thread = UINT32_MAX});
    return number != UINT32_MAX && insert_lane(lanes, number) ? number : UINT32_MAX;
  }
  uint32_t number = (uint32_t)*first;
  const struct live_lane *all = lanes->all.items;
  while (all[number].later != 0 && all[all[number].later - 1].begun <= ticks)
    number = all[number].later - 1;
  return number;
}

/* The start in the name of a process directory, <host>.<pid>.<start>, if all before it is as in another name; 0: it is
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

/* Updates `programs` from the directories beside a program's directory; at first `replaced` is UINT64_MAX. */
static void live_programs_find(struct live_programs *programs, int directory)
{
  char link[64], path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", directory);
  ssize_t length = readlink(link, path, sizeof path - 1);
  path[length > 0 ? length : 0] = '\0';
  const char *slash = strrchr(path, '/'), *own = slash != NULL ? slash + 1 : path;
  int fd = openat(directory, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *list = fd < 0 ? NULL : fdopendir(fd);
  for (struct dirent *entry; list != NULL && (entry = readdir(list)) != NULL;) {
    uint64_t start = start_of(entry->d_name, own), begin;
    programs->executed |= start != 0 && start < start_of(own, own);
    if (start > start_of(own, own) && (begin = begin_of(dirfd(list), entry->d_name)) < programs->replaced)
      programs->replaced = begin;
  }
  if (list != NULL)
    closedir(list);
  else if (fd >= 0)
    close(fd);
}

/* True if the process was another program at a time; begun: begin of this one. Ticks. */
static bool live_programs_is_other(const struct live_programs *programs, uint64_t begun, uint64_t ticks)
{
  return (programs->executed && ticks < begun) || ticks >= programs->replaced;
}

struct counted {
  uint32_t lane, node;
  uint64_t count;
};

/* State on which the numbers of code depend (module_map.h). */
struct known {
  size_t modules, lives, listings;
  bool ended;
};

struct live_native {
  int directory;
  struct live_paths paths;
  struct kernel_log logs[LIVE_NATIVE_LOGS_MOST];
  unsigned log_count;
  struct known known;                  /* when the process file was looked at last */
  bool behind;                         /* the logs are read anew, and `all` is of the reading before ... */
  off_t before[LIVE_NATIVE_LOGS_MOST]; /* ... which had got so far in them */
  struct live_programs programs;
  struct live_lanes lanes;
  VECTOR(struct counted) counted;
  struct hash counted_at; /* lane << 32 | node -> index */
  VECTOR(struct live_function) all;
  struct hash index; /* thread << 32 | function -> index of `all` while it is made */
  uint32_t thread;   /* at work in live_native_sum() */
  uint64_t count;    /* likewise */
  int64_t saved;     /* ns of a processor that may be used */
  uint64_t looked;   /* CLOCK_MONOTONIC_RAW of the last look; 0: none yet */
  bool said;
  bool stale;  /* `all` is not of what was counted */
  int notices; /* a rest ends when something can be read there; -1: it does not */
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

/* True if the log's kernel had the process, and numbered it as the process itself did. */
static bool live_native_is_of(const struct kernel_log *log, const struct process_info *info)
{
  return info->boot_id != NULL && strcmp(info->boot_id, log->header.boot_id) == 0 &&
         info->pid_namespace == log->header.pid_namespace;
}

static void open_logs(struct live_native *native)
{
  DIR *list = kernel_log_directory(native->directory, "../../" KERNEL_LOG_DIRECTORY);
  for (struct dirent *entry;
       list != NULL && native->log_count < LIVE_NATIVE_LOGS_MOST && (entry = readdir(list)) != NULL;) {
    struct kernel_log *log = &native->logs[native->log_count];
    if (!kernel_log_is_name(entry->d_name) || !kernel_log_open(log, dirfd(list), entry->d_name))
      continue;
    if (live_native_is_of(log, &process_of(native)->info))
      native->log_count++;
    else
      kernel_log_close(log);
  }
  if (list != NULL)
    closedir(list);
}

static void close_logs(struct live_native *native)
{
  while (native->log_count > 0)
    kernel_log_close(&native->logs[--native->log_count]);
}

static struct known known_of(const struct process_info *info)
{
  const struct module_list *list = &info->modules;
  return (struct known){list->modules.count, list->lives.count, list->listings.count, info->ended};
}

/* Without listings each line about a module may be of one that is known (module_list.c). */
static bool live_native_is_same(const struct known *a, const struct known *b)
{
  return a->listings > 0 && a->modules == b->modules && a->lives == b->lives && a->listings == b->listings &&
         a->ended == b->ended;
}

struct live_native *live_native_begin(int directory, struct definitions *definitions)
{
  const struct process_info *info = &definitions->plan->processes.items[0].info;
  struct live_native *native = calloc(1, sizeof *native);
  if (native == NULL)
    return NULL;
  native->directory = directory;
  native->notices = -1;
  native->known = known_of(info);
  native->programs.replaced = UINT64_MAX;
  live_native_find_programs(native);
  live_paths_begin(&native->paths, definitions);
  open_logs(native);
  if (native->log_count > 0)
    return native;
  live_native_free(native);
  return NULL;
}

static void forget_counts(struct live_native *native)
{
  native->counted.count = 0;
  live_lanes_free(&native->lanes);
  hash_free(&native->counted_at);
}

void live_native_free(struct live_native *native)
{
  if (native == NULL)
    return;
  close_logs(native);
  live_paths_free(&native->paths);
  forget_counts(native);
  hash_free(&native->index);
  vector_free(&native->counted);
  vector_free(&native->all);
  free(native);
}

void live_native_renew(struct live_native *native, struct definitions *definitions)
{
  struct known known = known_of(&definitions->plan->processes.items[0].info);
  bool same = live_native_is_same(&known, &native->known);
  native->known = known;
  if (live_paths_renew(&native->paths, definitions, same))
    return;
  forget_counts(native);
  native->behind = native->stale = true;
  for (unsigned i = 0; i < native->log_count; i++) {
    off_t at = ftello(native->logs[i].file);
    native->before[i] = at > native->before[i] ? at : native->before[i];
    kernel_log_rewind(&native->logs[i]);
  }
}

/* True if all that was counted before a log was read anew is counted again. */
static bool has_caught_up(struct live_native *native, unsigned number, uint64_t until)
{
  struct kernel_log *log = &native->logs[number];
  const struct kernel_record *record = kernel_log_peek(log);
  return (log->over || ftello(log->file) >= native->before[number]) && (record == NULL || record->time >= until);
}

void live_native_find_programs(struct live_native *native)
{
  live_programs_find(&native->programs, native->directory);
}

void live_native_watch(struct live_native *native, int notices)
{
  native->notices = notices;
}

/* False: memory is short. */
static bool count_sample(struct live_native *native, uint32_t lane, uint32_t node)
{
  uint64_t key = (uint64_t)lane << 32 | node;
  const uint64_t *known = hash_find(&native->counted_at, key);
  native->lanes.all.items[lane].taken++;
  native->stale = true;
  if (known != NULL) {
    native->counted.items[*known].count++;
    return true;
  }
  if (native->counted.count >= COUNTED_MOST) {
    native->lanes.all.items[lane].without_room++;
    return true;
  }
  return vector_push(&native->counted, ((struct counted){lane, node, 1})) &&
         hash_add(&native->counted_at, key, native->counted.count - 1) != NULL;
}

/* False: memory is short. */
static bool live_native_take_sample(struct live_native *native, const struct kernel_log *log,
                                    const struct kernel_record *record)
{
  const struct process_info *info = &process_of(native)->info;
  struct sample sample = {.stack = record->processor & ((1u << KERNEL_TRIGGER_AT) - 1),
                          .trigger = record->processor >> KERNEL_TRIGGER_AT};
  uint32_t node = SAMPLES_NONE;
  if (record->kind != KERNEL_SAMPLE || record->who >> 32 != info->pid || sample.trigger >= log->samplers.count)
    return true;
  struct kernel_moment moment = kernel_log_moment(log, record->time);
  sample.ticks = info->clock_is_tsc ? moment.stamp : moment.monotonic;
  if (live_programs_is_other(&native->programs, info->first.ticks, sample.ticks))
    return true;
  if (!live_paths_find(&native->paths, log, &sample, &node))
    return false;
  if (node == SAMPLES_NONE)
    return true;
  uint32_t lane = live_lanes_at(&native->lanes, (uint32_t)record->who, sample.ticks);
  return lane == UINT32_MAX ? live_lanes_full(&native->lanes) : count_sample(native, lane, node);
}

/* Returns the longest duration of a look. */
struct bounds {
  bool none;      /* the last look has all ... */
  off_t bytes;    /* ... up to there in the log */
  uint64_t until; /* CLOCK_MONOTONIC_RAW of samples */
  uint64_t rests; /* up to this CLOCK_MONOTONIC_RAW it rests when it has used its share, and goes on */
  uint64_t used;  /* the thread's processor time, when this was looked at last */
};

static void save(struct live_native *native, uint64_t now)
{
  native->saved += (int64_t)((now - native->looked) / SHARE);
  native->saved = native->saved < (int64_t)SAVED_NS ? native->saved : (int64_t)SAVED_NS;
  native->looked = now;
}

/* False: the process may be about to end, and its files are kept for a moment only. */
static bool rest(const struct live_native *native)
{
  struct pollfd notices = {.fd = native->notices, .events = POLLIN};
  return poll(&notices, 1, REST_MS) == 0;
}

/* True if the share is not used up. */
static bool may_go_on(struct live_native *native, struct bounds *bounds)
{
  if (bounds->none)
    return true;
  uint64_t used = clock_now(CLOCK_THREAD_CPUTIME_ID), now;
  native->saved -= (int64_t)(used - bounds->used);
  bounds->used = used;
  while (native->saved <= 0 && (now = live_native_now()) < bounds->rests) {
    if (!rest(native))
      bounds->rests = 0;
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
    if (!live_native_take_sample(native, log, record))
      return false;
    log->next++;
  }
  return true;
}

static bool live_native_take_log(struct live_native *native, struct kernel_log *log, struct bounds *bounds)
{
  bool more = true, good = take_ready(native, log, bounds, &more);
  enum kernel_followed followed = KERNEL_FOLLOWED_ROUND;
  while (good && more && followed == KERNEL_FOLLOWED_ROUND && may_go_on(native, bounds) &&
         (!bounds->none || ftello(log->file) < bounds->bytes)) {
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

static off_t bytes_of(const struct kernel_log *log)
{
  struct stat status;
  return log->file != NULL && fstat(fileno(log->file), &status) == 0 ? status.st_size : 0;
}

/* Its writer takes nothing more. */
static bool is_full(const struct kernel_log *log)
{
  return (uint64_t)bytes_of(log) >= KERNEL_LOG_MOST;
}

/* All that the log will have of a process that has ended at a time, by CLOCK_MONOTONIC_RAW. The writer ends a little
 * later than the program. */
static bool take_rest(struct live_native *native, struct kernel_log *log, uint64_t ended)
{
  struct bounds bounds = {.none = true, .until = ended};
  uint64_t deadline = 0; /* from when what was there is read: a log may grow for ever */
  for (;;) {
    bool written = kernel_log_is_written(log) && !is_full(log);
    bounds.bytes = bytes_of(log);
    if (!live_native_take_log(native, log, &bounds))
      return false;
    if (log->over || log->sure > ended + KERNEL_LATE_NS || kernel_log_peek(log) != NULL)
      return true; /* what is left is of others */
    if (!written) {
      kernel_log_end(log);
      return live_native_take_log(native, log, &bounds);
    }
    deadline = deadline != 0 ? deadline : live_native_now() + LAST_NS;
    if (live_native_now() > deadline) {
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
  bool good = live_lanes_note(&native->lanes, look, &native->stale), behind = false;
  for (unsigned i = 0; good && i < native->log_count; i++) {
    struct kernel_log *log = &native->logs[i];
    good = over ? take_rest(native, log, until) : live_native_take_log(native, log, &bounds);
    if (good && !over && is_full(log))
      say_once(native, "the log of samples is full: further ones are not counted");
    behind |= good && !over && native->behind && !has_caught_up(native, i, until);
  }
  native->behind = behind;
  return good;
}

/* Adds to the function of the thread at work. */
static bool live_native_add(void *context, uint32_t name, bool self)
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
  for (size_t i = 0; good && i < native->lanes.all.count; i++) {
    const struct live_lane *lane = &native->lanes.all.items[i];
    if (lane->without_room == 0 || lane->thread == UINT32_MAX)
      continue;
    uint32_t name = live_paths_other(&native->paths, LIVE_WITHOUT_ROOM);
    native->thread = lane->thread;
    native->count = lane->without_room;
    good = name != STRING_TABLE_NONE && live_native_add(native, name, true);
  }
  return good;
}

static int live_native_by_thread(const void *a, const void *b)
{
  const struct live_function *x = a, *y = b;
  int order = (x->thread > y->thread) - (x->thread < y->thread);
  return order != 0 ? order : (x->function > y->function) - (x->function < y->function);
}

/* A look that took too long shortens the next one, but not to nothing: then counts would not change. */
static void pay(struct live_native *native, uint64_t begun)
{
  native->saved -= (int64_t)(clock_now(CLOCK_THREAD_CPUTIME_ID) - begun);
  native->saved = native->saved > 0 ? native->saved : 0;
}

bool live_native_sum(struct live_native *native, bool over)
{
  uint64_t steps = over ? UINT64_MAX : LIVE_NATIVE_STEPS_MOST, begun = clock_now(CLOCK_THREAD_CPUTIME_ID);
  if (native->behind)
    return true;
  bool good = live_paths_name(&native->paths, &native->stale);
  if (good && !native->stale && !over)
    return true;
  native->stale = false;
  native->all.count = 0;
  hash_free(&native->index);
  for (size_t i = 0; good && i < native->counted.count; i++) {
    const struct counted *counted = &native->counted.items[i];
    native->thread = native->lanes.all.items[counted->lane].thread;
    native->count = counted->count;
    if (native->thread != UINT32_MAX)
      good = live_paths_walk(&native->paths, counted->node, &steps, live_native_add, native);
  }
  good = good && add_without_room(native);
  if (native->all.count > 0)
    qsort(native->all.items, native->all.count, sizeof *native->all.items, live_native_by_thread);
  pay(native, begun);
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
  struct live_lane *lane = live_lanes_of(&native->lanes, thread);
  bool news = !native->behind && lane != NULL && lane->taken != lane->told;
  if (news)
    lane->told = lane->taken;
  return news;
}
