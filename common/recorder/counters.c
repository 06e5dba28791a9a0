#include "common/recorder/counters.h"

#include "common/process/diag.h"
#include "common/process/kept_file.h"
#include "common/recorder/clock.h"
#include "common/recorder/recorder_slots.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define TEXT_MOST 1024u
#define TRIES     5u /* of measuring the price: the least of them was not interrupted */

/* A thread's, a page each. Pages are used again, also in children, so each opened descriptor is known. */
struct thread_counters {
  struct thread_counters *next;
  atomic_uint taken;
  struct counter_events events;
};

static struct {
  char text[TEXT_MOST];
  struct counter_list list;
  _Atomic(struct thread_counters *) all;
  _Atomic uint64_t price; /* ticks; 0: not measured yet */
  _Atomic uint64_t lost;
  atomic_int error;
  atomic_bool said;
} process;

bool counters_choose(const char *text)
{
  size_t size = strlen(text) + 1;
  bool good = size <= sizeof process.text && counter_list_read(&process.list, text);
  if (good)
    memcpy(process.text, text, size);
  else
    process.list.count = 0;
  return good;
}

const char *counters_chosen(void)
{
  return *process.text ? process.text : NULL;
}

unsigned counters_words(void)
{
  return process.list.count > 0 ? 2 + process.list.count * RAW_EXTRA : 0;
}

uint64_t counters_lost(int *error)
{
  *error = atomic_load(&process.error);
  return atomic_load(&process.lost);
}

uint64_t counters_price(void)
{
  return atomic_load(&process.price);
}

static void lose(struct recorder *self, int error)
{
  int none = 0;
  self->counters_due = UINT64_MAX;
  atomic_fetch_add(&process.lost, 1);
  atomic_compare_exchange_strong(&process.error, &none, error);
  if (diag_first(&process.said))
    diag_say("the counters of a thread are not read: ",
             error == EBADF ? "the program has closed their descriptors" : diag_reason(error), NULL);
}

static struct thread_counters *take_page(void)
{
  for (struct thread_counters *page = atomic_load(&process.all); page; page = page->next) {
    unsigned is_free = 0;
    if (atomic_compare_exchange_strong(&page->taken, &is_free, 1))
      return page;
  }
  struct thread_counters *page = mmap(NULL, sizeof *page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED)
    return NULL;
  atomic_store(&page->taken, 1);
  page->next = atomic_load(&process.all);
  while (!atomic_compare_exchange_weak(&process.all, &page->next, page))
    ;
  return page;
}

/* All that a reading takes, as the first thread finds it. */
static bool measure(struct counter_events *events)
{
  uint64_t least = UINT64_MAX;
  for (unsigned i = 0; i < TRIES; i++) {
    uint64_t begin = clock_ticks();
    if (!counter_events_read(events, &process.list))
      return false;
    uint64_t took = clock_ticks() - begin;
    least = took < least ? took : least;
  }
  atomic_store(&process.price, least > 0 ? least : 1);
  return true;
}

static uint64_t apart(void)
{
  return COUNTERS_APART * atomic_load_explicit(&process.price, memory_order_relaxed);
}

/* One of the readings that the thread has the right to is spent. */
static void spend(struct recorder *self, uint64_t now)
{
  uint64_t ahead = COUNTERS_AHEAD * apart(), least = now > ahead ? now - ahead : 0;
  self->counters_due = (self->counters_due > least ? self->counters_due : least) + apart();
}

static void put(struct recorder *self, const struct counter_events *events, uint64_t now)
{
  uint64_t *at = self->cursor;
  unsigned n = process.list.count, words = 2 + n * RAW_EXTRA;
  at[1] = now;
  for (unsigned i = 0; i < n; i++) {
    at[2 + i * RAW_EXTRA] = events->value[i];
    at[3 + i * RAW_EXTRA] = events->share[i];
  }
  at[words] = 0;
  __atomic_store_n(at, raw_head(RAW_COUNTERS, n, 0), __ATOMIC_RELEASE);
  self->cursor = at + words;
}

/* Out of line: threads that are not counted need no stack for it. */
static __attribute__((noinline)) void begin(struct recorder *self, uint64_t now)
{
  struct thread_counters *page = take_page();
  int error = page ? counter_events_open(&page->events, &process.list) : ENOMEM;
  self->counters = page;
  if (error) {
    counters_end_thread(self);
    lose(self, error);
    return;
  }
  bool priced = atomic_load(&process.price) != 0 || measure(&page->events);
  if (!priced || !counter_events_start(&page->events, &process.list)) {
    counters_end_thread(self);
    lose(self, EBADF);
    return;
  }
  self->counters_due = 0;
  spend(self, now);
  put(self, &page->events, now);
}

void counters_begin_thread(struct recorder *self, uint64_t now)
{
  int kept = errno;
  self->counters = NULL;
  self->counters_due = UINT64_MAX;
  if (process.list.count > 0)
    begin(self, now);
  errno = kept;
}

void counters_put(struct recorder *self, uint64_t now)
{
  int kept = errno;
  uint64_t before = clock_ticks();
  if (counter_events_read(&self->counters->events, &process.list)) {
    spend(self, now);
    put(self, &self->counters->events, now);
    self->stalled += clock_ticks() - before;
  } else {
    counters_end_thread(self);
    lose(self, EBADF);
  }
  errno = kept;
}

void counters_end_thread(struct recorder *self)
{
  struct thread_counters *page = self->counters;
  if (!page)
    return;
  int kept = errno;
  counter_events_close(&page->events);
  self->counters = NULL;
  self->counters_due = UINT64_MAX;
  atomic_store(&page->taken, 0);
  errno = kept;
}

void counters_leave(void)
{
  for (struct thread_counters *page = atomic_load(&process.all); page; page = page->next) {
    if (atomic_load(&page->taken))
      counter_events_close(&page->events);
    atomic_store(&page->taken, 0);
  }
  atomic_store(&process.lost, 0);
  atomic_store(&process.error, 0);
}

/* A number up to the next colon or comma, or the end; *at moves there. */
static bool read_number(const char **at, int base, uint64_t *number)
{
  char *end;
  size_t digits = strspn(*at, base == 16 ? "0123456789abcdef" : "0123456789");
  if (digits == 0 || digits > 16)
    return false;
  *number = strtoull(*at, &end, base);
  *at = end;
  return true;
}

static bool skip_colon(const char **at)
{
  return *(*at)++ == ':';
}

static bool read_event(struct counter *counter, const char **at)
{
  uint64_t type, excluded;
  if (!read_number(at, 16, &type) || !skip_colon(at) || !read_number(at, 16, &counter->number) || !skip_colon(at) ||
      !read_number(at, 10, &excluded))
    return false;
  counter->type = (uint32_t)type;
  counter->excluded = (unsigned)excluded;
  return type <= UINT32_MAX && excluded < (COUNTER_NO_USER | COUNTER_NO_KERNEL);
}

/* What follows a name and its equals sign. */
static bool read_counter(struct counter *counter, const char **at)
{
  counter->source = (enum counter_source)(unsigned char)*(*at)++;
  if (counter->source != COUNTER_PERF && counter->source != COUNTER_USAGE && counter->source != COUNTER_CLOCK &&
      counter->source != COUNTER_TEST)
    return false;
  if (!skip_colon(at))
    return false;
  if (counter->source == COUNTER_PERF)
    return read_event(counter, at);
  return read_number(at, 10, &counter->number) &&
         (counter->source != COUNTER_USAGE || counter->number < COUNTER_USAGES);
}

bool counter_list_read(struct counter_list *counters, const char *text)
{
  *counters = (struct counter_list){.count = 0};
  for (;;) {
    size_t name = strcspn(text, "=,");
    if (name == 0 || text[name] != '=' || counters->count == COUNTERS_MOST)
      return false;
    text += name + 1;
    if (!read_counter(&counters->list[counters->count], &text))
      return false;
    counters->count++;
    if (*text == '\0')
      return true;
    if (*text++ != ',')
      return false;
  }
}

#define PART 4u /* one of so many descriptors may be a counter's, the others stay the program's */

/* Programs that test the recorder have it. */
extern uint64_t heddle_test_counter(uint64_t number) __attribute__((weak, visibility("default")));

/* Moves a descriptor to the numbers for counters; fd is closed. -1 with errno: they are used up. */
static int move_up(int fd)
{
  struct rlimit limit;
  uint64_t all = getrlimit(RLIMIT_NOFILE, &limit) == 0 ? limit.rlim_cur : KEPT_FILE_HIGHEST;
  if (all > INT32_MAX)
    all = INT32_MAX;
  uint64_t first = all >= PART * KEPT_FILE_HIGHEST ? KEPT_FILE_HIGHEST : all - all / PART;
  int high = fcntl(fd, F_DUPFD_CLOEXEC, (int)first);
  close(fd);
  if (high >= 0 && (uint64_t)high < first + all / PART)
    return high;
  if (high >= 0)
    close(high);
  errno = EMFILE;
  return -1;
}

static int open_event(const struct counter *counter, int leader)
{
  struct perf_event_attr attr = {.type = counter->type,
                                 .size = sizeof attr,
                                 .config = counter->number,
                                 .read_format = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED |
                                                PERF_FORMAT_TOTAL_TIME_RUNNING,
                                 .exclude_user = (counter->excluded & COUNTER_NO_USER) != 0,
                                 .exclude_kernel = (counter->excluded & COUNTER_NO_KERNEL) != 0,
                                 .exclude_hv = 1};
  long fd = syscall(SYS_perf_event_open, &attr, 0, -1, leader, PERF_FLAG_FD_CLOEXEC);
  return fd < 0 ? -1 : move_up((int)fd);
}

/* True if a descriptor still belongs to an event. */
static bool is_there(int fd, uint64_t id)
{
  uint64_t is;
  return fd >= 0 && ioctl(fd, PERF_EVENT_IOC_ID, &is) == 0 && is == id;
}

/* Adds the event to the newest group, or makes a group of it where the processor can't count it there. */
static bool join(struct counter_events *events, const struct counter *counter, unsigned number)
{
  struct counter_group *group = events->groups > 0 ? &events->group[events->groups - 1] : NULL;
  int fd = group ? open_event(counter, events->fd[group->member[0]]) : -1;
  if (fd < 0 && group && errno == EMFILE)
    return false;
  if (fd < 0) {
    fd = open_event(counter, -1);
    if (fd < 0)
      return false;
    group = &events->group[events->groups++];
    *group = (struct counter_group){.count = 0};
  }
  events->fd[number] = fd;
  group->member[group->count++] = (uint8_t)number;
  if (ioctl(fd, PERF_EVENT_IOC_ID, &events->id[number]) != 0)
    return false;
  group->id = events->id[group->member[0]];
  return true;
}

int counter_events_open(struct counter_events *events, const struct counter_list *counters)
{
  events->count = counters->count;
  events->groups = 0;
  for (unsigned i = 0; i < COUNTERS_MOST; i++)
    events->fd[i] = -1;
  for (unsigned i = 0; i < counters->count; i++)
    if (counters->list[i].source == COUNTER_PERF && !join(events, &counters->list[i], i)) {
      int error = errno;
      counter_events_close(events);
      return error;
    }
  return 0;
}

/* In a group the first one, which the others refer to, is closed last. */
void counter_events_close(struct counter_events *events)
{
  for (unsigned i = COUNTERS_MOST; i-- > 0;) {
    if (events->fd[i] >= 0 && is_there(events->fd[i], events->id[i]))
      close(events->fd[i]);
    events->fd[i] = -1;
  }
}

static void add(struct counter_events *events, unsigned i, uint64_t now)
{
  events->value[i] += now > events->last[i] ? now - events->last[i] : 0;
  events->last[i] = now;
  events->share[i] = COUNTER_WHOLE;
}

/* More than the processor can count take turns: what was counted is scaled up to the time since the last reading. */
static void add_scaled(struct counter_events *events, unsigned i, uint64_t now, uint64_t enabled, uint64_t running)
{
  uint64_t since = now > events->last[i] ? now - events->last[i] : 0;
  events->value[i] += counter_scaled(since, enabled, running);
  events->last[i] = now;
  events->share[i] = counter_share(enabled, running);
}

static bool read_group(struct counter_events *events, struct counter_group *group)
{
  uint64_t words[3 + COUNTERS_MOST];
  int fd = events->fd[group->member[0]];
  if (!is_there(fd, group->id))
    return false;
  long size = syscall(SYS_read, fd, words, sizeof words);
  if (size < (long)((3 + group->count) * sizeof *words) || words[0] != group->count)
    return false;
  uint64_t enabled = words[1] - group->enabled, running = words[2] - group->running;
  bool whole = running >= enabled;
  for (unsigned i = 0; i < group->count; i++) {
    if (whole)
      add(events, group->member[i], words[3 + i]);
    else if (running > 0)
      add_scaled(events, group->member[i], words[3 + i], enabled, running);
    else
      events->share[group->member[i]] = 1; /* it had no turn: its count comes with the next reading */
  }
  if (whole || running > 0) {
    group->enabled = words[1];
    group->running = words[2];
  }
  return true;
}

static uint64_t usage_of(const struct rusage *usage, uint64_t field)
{
  switch (field) {
  case COUNTER_FAULTS:
    return (uint64_t)usage->ru_minflt + (uint64_t)usage->ru_majflt;
  case COUNTER_MINOR_FAULTS:
    return (uint64_t)usage->ru_minflt;
  case COUNTER_MAJOR_FAULTS:
    return (uint64_t)usage->ru_majflt;
  default:
    return (uint64_t)usage->ru_nvcsw + (uint64_t)usage->ru_nivcsw;
  }
}

static uint64_t processor_ns(void)
{
  struct timespec now;
  if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now) != 0)
    return 0;
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void read_others(struct counter_events *events, const struct counter_list *counters)
{
  struct rusage usage;
  bool has_usage = false;
  for (unsigned i = 0; i < counters->count; i++) {
    const struct counter *counter = &counters->list[i];
    if (counter->source == COUNTER_USAGE && !has_usage) {
      memset(&usage, 0, sizeof usage);
      has_usage = true;
      getrusage(RUSAGE_THREAD, &usage);
    }
    if (counter->source == COUNTER_USAGE)
      add(events, i, usage_of(&usage, counter->number));
    else if (counter->source == COUNTER_CLOCK)
      add(events, i, processor_ns());
    else if (counter->source == COUNTER_TEST)
      add(events, i, heddle_test_counter ? heddle_test_counter(counter->number) : 0);
  }
}

bool counter_events_read(struct counter_events *events, const struct counter_list *counters)
{
  for (unsigned i = 0; i < events->groups; i++)
    if (!read_group(events, &events->group[i]))
      return false;
  read_others(events, counters);
  return true;
}

bool counter_events_start(struct counter_events *events, const struct counter_list *counters)
{
  memset(events->last, 0, sizeof events->last);
  if (!counter_events_read(events, counters))
    return false;
  memset(events->value, 0, sizeof events->value);
  memset(events->share, 0, sizeof events->share);
  return true;
}
