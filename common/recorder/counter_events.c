#include "common/recorder/counter_events.h"

#include "common/process/kept_file.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

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

/* Whether a descriptor is still that of an event. */
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
