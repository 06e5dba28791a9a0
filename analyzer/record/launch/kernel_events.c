#include "analyzer/record/launch/kernel_events.h"

#include "analyzer/record/launch/blocked_calls.h"
#include "analyzer/record/launch/kernel_writer.h"
#include "analyzer/record/launch/switch_cost.h"
#include "base/vector.h"

#include <dirent.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#define CLOCKS_NS    100000000u
#define BUFFERS_MOST 16384u /* pages of all processors, unless the least is more */
#define ROUND_MS     10     /* so that a thread is still in its call when it is asked */

/* A record of the kernel's. Those with a body that is not known here are passed over. */
struct sample {
  uint32_t pid, tid;
  uint64_t time;
  uint32_t cpu, reserved;
  uint64_t id; /* of the event */
};
struct switched {
  struct perf_event_header header;
  struct sample sample;
};
struct lost {
  struct perf_event_header header;
  uint64_t id, lost;
  struct sample sample;
};
struct sampled {
  struct perf_event_header header;
  uint64_t id;
};

struct ring {
  int fd;
  uint32_t processor;
  struct perf_event_mmap_page *page;
  size_t bytes;  /* size of the data, behind the page */
  uint64_t lost; /* events, as far as the kernel has reported in the ring ... */
  uint64_t last; /* time of the last one; CLOCK_MONOTONIC_RAW */
};

/* Linux 6.0 and later: the number of lost events. The ring reports them only before the next event that has room. */
#define FORMAT_LOST (1u << 4)

#define SWITCHES UINT32_MAX /* in place of a trigger */

/* An event whose records go into the ring of another event: the event of another thread, or samples. */
struct source {
  int fd;
  unsigned ring, trigger;
};

struct kernel_events {
  struct kernel_wants wants;
  struct kernel_writer writer;
  int stop; /* an eventfd */
  pthread_t thread;
  unsigned count;
  struct ring *rings; /* each with the switches of the first thread; the other events are in `more` */
  VECTOR(struct source) more;
  struct pollfd *polled; /* count, and `stop` */
  uint64_t shown;        /* CLOCK_MONOTONIC_RAW of the last round that was due */
  struct blocked_calls calls;
  struct kernel_looks looks;
  struct hash triggers; /* ids of events: their triggers */
  char record[UINT16_MAX + 1];
  uint64_t switches, took; /* of the program so far; ns of processor time of the reading thread */
};

/* True if the event of a thread's switches takes samples, too. */
static bool has_samples(const struct kernel_wants *wants)
{
  return wants->sampling && wants->sampling->beside && wants->sampling->triggers.list[0].refused == 0;
}

/* Copies out of the ring, whose end continues at its begin. */
static void copy_out(const struct ring *ring, uint64_t at, void *into, size_t size)
{
  const char *data = (const char *)ring->page + ring->page->data_offset;
  size_t from = (size_t)(at & (ring->bytes - 1)), first = ring->bytes - from < size ? ring->bytes - from : size;
  memcpy(into, data + from, first);
  memcpy((char *)into + first, data, size - first);
}

static void take_sample(struct kernel_events *events, struct ring *ring, uint64_t at, size_t size)
{
  const struct sampled *sampled = (const void *)events->record;
  copy_out(ring, at, events->record, size);
  const uint64_t *trigger = hash_find(&events->triggers, sampled->id);
  if (!trigger)
    return;
  uint64_t time =
      kernel_samples_take(events->wants.sampling, (unsigned)*trigger, events->record, size, &events->writer);
  ring->last = time > 0 ? time : ring->last;
}

static void kernel_events_take(struct kernel_events *events, struct ring *ring, uint64_t at,
                               struct perf_event_header header)
{
  struct switched switched;
  struct lost lost;
  if (header.type == PERF_RECORD_SWITCH && header.size >= sizeof switched) {
    copy_out(ring, at, &switched, sizeof switched);
    uint32_t kind = !(header.misc & PERF_RECORD_MISC_SWITCH_OUT)        ? KERNEL_IN
                    : header.misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT ? KERNEL_OUT_PREEMPTED
                                                                        : KERNEL_OUT;
    uint64_t who = (uint64_t)switched.sample.pid << 32 | switched.sample.tid;
    ring->last = switched.sample.time;
    events->switches += kind != KERNEL_IN;
    kernel_writer_put(&events->writer, kind, switched.sample.time, who, ring->processor);
    if (has_samples(&events->wants))
      (kind == KERNEL_OUT ? kernel_looks_out : kernel_looks_in)(&events->looks, who);
    if (kind == KERNEL_OUT)
      blocked_calls_out(&events->calls, who, switched.sample.time);
    else
      blocked_calls_in(&events->calls, who);
  } else if (header.type == PERF_RECORD_LOST && header.size >= sizeof lost) {
    copy_out(ring, at, &lost, sizeof lost);
    ring->lost += lost.lost;
    kernel_writer_put(&events->writer, KERNEL_LOST, lost.sample.time, lost.lost, ring->processor);
  } else if (header.type == PERF_RECORD_SAMPLE && header.size >= sizeof(struct sampled) && events->wants.sampling) {
    take_sample(events, ring, at, header.size);
  }
}

static void drain(struct kernel_events *events, struct ring *ring)
{
  uint64_t head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE), at = ring->page->data_tail;
  while (head - at >= sizeof(struct perf_event_header)) {
    struct perf_event_header header;
    copy_out(ring, at, &header, sizeof header);
    if (header.size < sizeof header || header.size > head - at)
      break;
    kernel_events_take(events, ring, at, header);
    at += header.size;
  }
  __atomic_store_n(&ring->page->data_tail, head, __ATOMIC_RELEASE);
}

static uint64_t lost_of(int fd)
{
  struct {
    uint64_t value, lost;
  } counts;
  return read(fd, &counts, sizeof counts) == sizeof counts ? counts.lost : 0;
}

/* Writes the number of lost samples of a trigger. */
static void tell_lost_samples(struct kernel_events *events, unsigned trigger)
{
  uint64_t lost = 0;
  for (size_t i = 0; i < events->more.count; i++)
    lost += events->more.items[i].trigger == trigger ? lost_of(events->more.items[i].fd) : 0;
  if (lost > 0 && events->wants.sampling->triggers.list[trigger].refused == 0)
    kernel_writer_put(&events->writer, KERNEL_SAMPLES_LOST, kernel_writer_now(), lost,
                      events->wants.sampling->numbers[trigger]);
}

/* Takes the losses after the last event of the ring. */
static void take_rest(struct kernel_events *events, unsigned number)
{
  const struct ring *ring = &events->rings[number];
  uint64_t lost = lost_of(ring->fd);
  for (size_t i = 0; i < events->more.count; i++)
    lost += events->more.items[i].ring == number ? lost_of(events->more.items[i].fd) : 0;
  if (lost > ring->lost)
    kernel_writer_put(&events->writer, KERNEL_LOST, ring->last + 1, lost - ring->lost, ring->processor);
}

static bool has_any(const struct kernel_events *events)
{
  for (unsigned i = 0; i < events->count; i++)
    if (__atomic_load_n(&events->rings[i].page->data_head, __ATOMIC_ACQUIRE) != events->rings[i].page->data_tail)
      return true;
  return false;
}

static void put_call(void *context, uint64_t who, uint32_t call, const char *on)
{
  struct kernel_writer *writer = context;
  uint32_t name = on ? kernel_writer_name(writer, on) : 0;
  kernel_writer_put(writer, KERNEL_CALL, kernel_writer_now(), who, call | name << KERNEL_NAME_AT);
}

/* A round without events only once in a while: it has the clocks. Observers may have what is complete then. */
static void take_round(struct kernel_events *events, bool last)
{
  uint64_t now = kernel_writer_now();
  bool due = last || now - events->shown > CLOCKS_NS;
  if (!due && !has_any(events) && events->calls.waiting.count == 0)
    return;
  kernel_writer_round(&events->writer);
  for (unsigned i = 0; i < events->count; i++)
    drain(events, &events->rings[i]);
  blocked_calls_ask(&events->calls, now - KERNEL_LONG_NS, put_call, &events->writer);
  if (has_samples(&events->wants))
    kernel_looks_round(&events->looks, events->wants.sampling, &events->writer);
  if (!due)
    return;
  events->shown = now;
  if (events->wants.alone)
    kernel_writer_show(&events->writer);
}

static void *read_rings(void *context)
{
  struct kernel_events *events = context;
  struct pollfd *stop = &events->polled[events->count];
  do {
    stop->revents = 0;
    poll(events->polled, events->count + 1, ROUND_MS);
    for (unsigned i = 0; i < events->count; i++)
      if (events->polled[i].revents & (POLLHUP | POLLERR)) /* the program has ended; others of it may go on */
        events->polled[i].fd = -1;
    take_round(events, stop->revents & POLLIN);
  } while (!(stop->revents & POLLIN));
  struct timespec took;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &took);
  events->took = (uint64_t)took.tv_sec * 1000000000 + (uint64_t)took.tv_nsec;
  return NULL;
}

/* Threads to record: `count` threads of a running program, or a process that will execute the program. */
struct whose {
  const pid_t *threads;
  size_t count;
  bool runs;
  const struct kernel_wants *wants;
};

/* A thread's event: its switches, or the samples of a trigger. */
static struct perf_event_attr event_of(const struct whose *whose, size_t bytes, unsigned trigger)
{
  struct perf_event_attr event = {.type = PERF_TYPE_SOFTWARE,
                                  .size = sizeof event,
                                  .config = PERF_COUNT_SW_DUMMY,
                                  .read_format = FORMAT_LOST,
                                  .sample_type =
                                      PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU,
                                  .disabled = !whose->runs,
                                  .inherit = 1,
                                  .exclude_kernel = 1,
                                  .exclude_hv = 1,
                                  .enable_on_exec = !whose->runs,
                                  .watermark = 1,
                                  .sample_id_all = 1,
                                  .exclude_callchain_kernel = 1,
                                  .use_clockid = 1,
                                  .context_switch = !whose->wants->alone,
                                  .wakeup_watermark = (uint32_t)(bytes / 4),
                                  .clockid = CLOCK_MONOTONIC_RAW};
  if (trigger != SWITCHES)
    kernel_samples_event(whose->wants->sampling, trigger, &event);
  else if (has_samples(whose->wants)) {
    kernel_samples_event(whose->wants->sampling, 0, &event);
    event.context_switch = 1;
  }
  return event;
}

static int open_event(const struct whose *whose, pid_t thread, int processor, size_t bytes, unsigned trigger)
{
  struct perf_event_attr event = event_of(whose, bytes, trigger);
  int fd = (int)syscall(SYS_perf_event_open, &event, thread, processor, -1, PERF_FLAG_FD_CLOEXEC);
  if (fd >= 0 || errno != EINVAL)
    return fd;
  event.read_format = 0;
  return (int)syscall(SYS_perf_event_open, &event, thread, processor, -1, PERF_FLAG_FD_CLOEXEC);
}

int kernel_events_refusal(void)
{
  const struct kernel_wants wants = {.pages = 1};
  const struct whose whose = {.wants = &wants};
  int fd = open_event(&whose, 0, -1, (size_t)sysconf(_SC_PAGESIZE), SWITCHES);
  if (fd < 0)
    return errno;
  close(fd);
  return 0;
}

/* Samples of an event are of a trigger. False: errno. */
static bool note_trigger(struct kernel_events *events, int fd, unsigned trigger)
{
  uint64_t id;
  return ioctl(fd, PERF_EVENT_IOC_ID, &id) == 0 && hash_put(&events->triggers, id, trigger);
}

/* Opens a processor's event, and maps its buffer. False: errno says why; ENODEV: there is no such processor. */
static bool open_ring(struct ring *ring, const struct whose *whose, int processor, unsigned pages)
{
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  *ring = (struct ring){.processor = (uint32_t)processor, .bytes = pages * page};
  ring->fd = open_event(whose, whose->threads[0], processor, ring->bytes, SWITCHES);
  if (ring->fd < 0)
    return false;
  ring->page = mmap(NULL, ring->bytes + page, PROT_READ | PROT_WRITE, MAP_SHARED, ring->fd, 0);
  if (ring->page != MAP_FAILED)
    return true;
  int kept = errno;
  close(ring->fd);
  errno = kept;
  return false;
}

/* Opens an event into the last ring; a thread that has ended meanwhile has none. False: errno says why. */
static bool open_other(struct kernel_events *events, const struct whose *whose, pid_t thread, unsigned trigger)
{
  const struct ring *ring = &events->rings[events->count - 1];
  int fd = open_event(whose, thread, (int)ring->processor, ring->bytes, trigger);
  bool switches = trigger == SWITCHES;
  if (fd < 0)
    return errno == ESRCH;
  if (!vector_push(&events->more, ((struct source){fd, events->count - 1, trigger}))) {
    close(fd);
    return false;
  }
  return ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, ring->fd) == 0 &&
         ((switches && !has_samples(whose->wants)) || note_trigger(events, fd, switches ? 0 : trigger));
}

/* The switches of the other threads, and the samples of all. */
static bool open_others(struct kernel_events *events, const struct whose *whose)
{
  struct kernel_sampling *sampling = whose->wants->sampling;
  if (has_samples(whose->wants) && !note_trigger(events, events->rings[events->count - 1].fd, 0))
    return false;
  for (size_t i = 1; i < whose->count; i++)
    if (!open_other(events, whose, whose->threads[i], SWITCHES))
      return false;
  for (unsigned k = 0; sampling && !sampling->beside && k < sampling->triggers.count; k++)
    for (size_t i = 0; i < whose->count && sampling->triggers.list[k].refused == 0; i++)
      if (!open_other(events, whose, whose->threads[i], k))
        sampling->triggers.list[k].refused = errno;
  return true;
}

static void close_rings(struct kernel_events *events)
{
  for (size_t i = 0; i < events->more.count; i++)
    close(events->more.items[i].fd);
  vector_free(&events->more);
  for (unsigned i = 0; i < events->count; i++) {
    munmap(events->rings[i].page, events->rings[i].bytes + (size_t)sysconf(_SC_PAGESIZE));
    close(events->rings[i].fd);
  }
  events->count = 0;
}

/* Opens one for each processor. Users may lock little memory, and other programs may have taken a part of it: then the
 * buffers are smaller. */
static bool open_rings(struct kernel_events *events, const struct whose *whose)
{
  unsigned pages = whose->wants->pages;
  long processors = sysconf(_SC_NPROCESSORS_CONF);
  while (pages > KERNEL_EVENTS_PAGES && (uint64_t)pages * (uint64_t)processors > BUFFERS_MOST)
    pages /= 2;
  events->rings = calloc((size_t)(processors > 0 ? processors : 1), sizeof *events->rings);
  events->polled = calloc((size_t)(processors > 0 ? processors : 1) + 1, sizeof *events->polled);
  if (!events->rings || !events->polled)
    return false;
  int number = 0;
  while (number < processors) {
    if (open_ring(&events->rings[events->count], whose, number, pages)) {
      events->polled[events->count].fd = events->rings[events->count].fd;
      events->polled[events->count].events = POLLIN;
      events->count++;
      if (!open_others(events, whose))
        return false;
    } else if (errno == EPERM && pages > 1) {
      close_rings(events);
      pages /= 2;
      number = 0;
      continue;
    } else if (errno != ENODEV) {
      return false;
    }
    number++;
  }
  return events->count > 0;
}

/* The thread handles no signal: signals are for the thread that waits for the program. */
static bool begin_thread(struct kernel_events *events)
{
  sigset_t all, before;
  events->stop = eventfd(0, EFD_CLOEXEC);
  if (events->stop < 0)
    return false;
  events->polled[events->count] = (struct pollfd){.fd = events->stop, .events = POLLIN};
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  int error = pthread_create(&events->thread, NULL, read_rings, events);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  errno = error;
  return error == 0;
}

static void release(struct kernel_events *events)
{
  close_rings(events);
  if (events->stop >= 0)
    close(events->stop);
  kernel_writer_close(&events->writer);
  free(events->rings);
  free(events->polled);
  blocked_calls_free(&events->calls);
  kernel_looks_free(&events->looks);
  hash_free(&events->triggers);
  free(events);
}

static struct kernel_events *begin(int trace, const struct whose *whose)
{
  struct kernel_events *events = calloc(1, sizeof *events);
  if (!events)
    return NULL;
  events->stop = -1;
  events->wants = *whose->wants;
  bool good = open_rings(events, whose);
  if (!good && has_samples(whose->wants)) { /* switches alone */
    whose->wants->sampling->triggers.list[0].refused = errno;
    close_rings(events);
    free(events->rings);
    free(events->polled);
    good = open_rings(events, whose);
  }
  if (good && events->wants.alone && !kernel_samples_any(events->wants.sampling)) {
    errno = 0;
    good = false;
  }
  if (!good || !kernel_writer_open(&events->writer, trace)) {
    int kept = errno;
    release(events);
    errno = kept;
    return NULL;
  }
  kernel_writer_round(&events->writer);
  if (events->wants.alone)
    kernel_writer_put(&events->writer, KERNEL_ALONE, kernel_writer_now(), 0, 0);
  if (events->wants.sampling)
    kernel_samples_begin(events->wants.sampling, &events->writer);
  if (events->wants.alone)
    kernel_writer_show(&events->writer);
  if (begin_thread(events))
    return events;
  int kept = errno;
  release(events);
  errno = kept;
  return NULL;
}

struct kernel_events *kernel_events_begin(int trace, pid_t pid, const struct kernel_wants *wants)
{
  return begin(trace, &(struct whose){.threads = &pid, .count = 1, .wants = wants});
}

/* The threads of a process, the first one first: threads[0]. */
typedef VECTOR(pid_t) thread_list;

static bool list_threads(pid_t pid, thread_list *threads)
{
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
  DIR *tasks = opendir(path);
  bool good = tasks && vector_push(threads, pid);
  for (struct dirent *entry; good && (entry = readdir(tasks));) {
    long number = strtol(entry->d_name, NULL, 10);
    good = number <= 0 || number == pid || vector_push(threads, (pid_t)number);
  }
  if (tasks)
    closedir(tasks);
  return good;
}

struct kernel_events *kernel_events_join(int trace, pid_t pid, const struct kernel_wants *wants)
{
  struct rlimit files;
  thread_list threads = {0};
  if (getrlimit(RLIMIT_NOFILE, &files) == 0) { /* an event each for every thread and processor */
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);
  }
  struct kernel_events *events = NULL;
  if (list_threads(pid, &threads))
    events =
        begin(trace, &(struct whose){.threads = threads.items, .count = threads.count, .runs = true, .wants = wants});
  vector_free(&threads);
  return events;
}

/* What the switches have cost: reading their reports here, and in the kernel making them. */
static void put_cost(struct kernel_events *events)
{
  const struct whose whose = {.wants = &(struct kernel_wants){.pages = 1}};
  struct perf_event_attr event = event_of(&whose, (size_t)sysconf(_SC_PAGESIZE), SWITCHES);
  double each = events->switches > 0 ? switch_cost_measure(&event) : 0;
  kernel_writer_put(&events->writer, KERNEL_COST, kernel_writer_now(),
                    events->took + (uint64_t)(each * (double)events->switches), 0);
}

int kernel_events_end(struct kernel_events *events, uint64_t *lost)
{
  uint64_t one = 1;
  ssize_t ignored = write(events->stop, &one, sizeof one);
  (void)ignored;
  pthread_join(events->thread, NULL);
  for (unsigned i = 0; i < events->count; i++)
    take_rest(events, i);
  for (unsigned i = 0; events->wants.sampling && i < events->wants.sampling->triggers.count; i++)
    tell_lost_samples(events, i);
  close_rings(events); /* users may lock little memory */
  put_cost(events);
  kernel_writer_round(&events->writer); /* after this, nothing of the program is to come */
  *lost = events->writer.lost;
  int error = kernel_writer_end(&events->writer);
  release(events);
  return error;
}
