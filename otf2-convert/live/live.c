#include "otf2-convert/live/live.h"

#include "common/raw/live_control.h"
#include "common/recorder/clock.h"
#include "otf2-convert/live/live_lines.h"
#include "otf2-convert/plan/process.h"
#include "otf2-convert/text_fields.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define RATE_SPAN_NS 50000000u /* in this time the rate of a clock is known well enough */
#define RATE_LEAST   1e6       /* of ticks a second that a processor's clock has */
#define RATE_MOST    1e11

/* Notification of a server. On some file systems and machines a part is missing: then the files may be removed before
 * the final reading. */
struct final_reading {
  int directory; /* of the process; the server's own */
  int notices;   /* inotify of its file `process`; -1: none */
};

#define MOST_WAIT_NS 1000000000u /* a program may wait for the converter that it started at its end */
#define TAIL_BYTES   128

/* Allows the removal of the files: the final reading is done, or impossible. May be called again. */
static void final_reading_end(struct final_reading *final)
{
  if (final->notices < 0)
    return;
  close(final->notices);
  final->notices = -1;
  flock(final->directory, LOCK_UN);
}

static void final_reading_begin(struct final_reading *final, int directory)
{
  char path[64];
  snprintf(path, sizeof path, "/proc/self/fd/%d/process", directory);
  *final = (struct final_reading){.directory = directory, .notices = inotify_init1(IN_CLOEXEC | IN_NONBLOCK)};
  if (final->notices >= 0 &&
      (inotify_add_watch(final->notices, path, IN_MODIFY | IN_ATTRIB) < 0 || flock(directory, LOCK_SH | LOCK_NB) != 0))
    final_reading_end(final);
}

/* True if the process file has its last line (common/process/process_file.c). */
static bool process_file_is_ended(int directory)
{
  char tail[TAIL_BYTES + 1];
  struct stat status;
  int fd = openat(directory, "process", O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (fd < 0)
    return false;
  off_t at = fstat(fd, &status) == 0 && status.st_size > TAIL_BYTES ? status.st_size - TAIL_BYTES : 0;
  ssize_t got = pread(fd, tail, TAIL_BYTES, at);
  close(fd);
  tail[got > 0 ? got : 0] = '\0';
  return strstr(tail, "\nended: ") != NULL;
}

/* Reads the notices. True: a converter wants to remove the files, or the process has recorded its end. */
static bool take_notices(const struct final_reading *final)
{
  _Alignas(struct inotify_event) char events[4096];
  bool asked = false, grew = false;
  ssize_t got;
  while ((got = read(final->notices, events, sizeof events)) > 0)
    for (ssize_t i = 0; i < got; i += (ssize_t)sizeof(struct inotify_event)) { /* of a file: no names follow */
      const struct inotify_event *event = (const struct inotify_event *)(const void *)&events[i];
      asked |= (event->mask & (IN_ATTRIB | IN_IGNORED)) != 0;
      grew |= (event->mask & (IN_MODIFY | IN_Q_OVERFLOW)) != 0;
    }
  return asked || (grew && process_file_is_ended(final->directory));
}

/* Waits for standard input (false) or for the end of the process (true: it may have ended). */
static bool final_reading_wait(struct final_reading *final)
{
  struct pollfd from[] = {{.fd = 0, .events = POLLIN}, {.fd = final->notices, .events = POLLIN}};
  for (;;) {
    int ready = poll(from, final->notices >= 0 ? 2 : 1, -1);
    if (ready < 0 && errno == EINTR)
      continue;
    if (ready > 0 && final->notices >= 0 && from[1].revents != 0 && take_notices(final))
      return true;
    if (ready < 0 || from[0].revents != 0)
      return false;
  }
}

/* False: somebody watches, and has not looked yet. */
static bool is_watched_by_none(int directory)
{
  return flock(directory, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
}

void final_reading_allow(const struct plan *plan)
{
  uint64_t until = clock_monotonic_ns() + MOST_WAIT_NS;
  for (uint32_t i = 0; i < plan->processes.count; i++) {
    int fd = openat(plan->raw_fd, plan->processes.items[i].directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0)
      continue;
    bool free = is_watched_by_none(fd);
    if (!free)
      utimensat(fd, "process", NULL, AT_SYMLINK_NOFOLLOW); /* its watchers get a notice of it */
    while (!free && clock_monotonic_ns() < until) {
      nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
      free = is_watched_by_none(fd);
    }
    close(fd);
  }
}

struct live {
  const char *directory;
  int fd;
  struct plan plan; /* of the process alone */
  struct definitions definitions;
  bool known;   /* both are there */
  off_t length; /* of the file `process` when it was read */
  uint64_t ticks_per_second;
  struct live_look look;
  struct live_lines lines;
  struct live_native *native;  /* NULL: there are no samples of native code */
  struct code_modules modules; /* while the definitions are made anew */
  struct final_reading final;
  bool over;       /* the look is the last one */
  uint64_t looked; /* when it was taken */
};

static void forget_process(struct live *live)
{
  if (!live->known)
    return;
  definitions_take_modules(&live->definitions, &live->modules);
  definitions_free(&live->definitions);
  process_info_free(&live->plan.processes.items[0].info);
  vector_free(&live->plan.processes);
  live->known = false;
}

/* Reads the file `process` if it has grown: it has libraries, names and Java code as they come. */
static bool know_process(struct live *live, struct error *error)
{
  struct stat status;
  struct process process = {.raw = {.fd = -1}};
  if (fstatat(live->fd, "process", &status, AT_SYMLINK_NOFOLLOW) != 0)
    return error_set(error, "%s/process: cannot read: %s", live->directory, strerror(errno));
  if (live->known && status.st_size == live->length)
    return true;
  forget_process(live);
  if (!process_info_read(&process.info, live->fd, "process"))
    return error_set(error, "%s/process: cannot read: %s", live->directory, strerror(errno));
  if (process.info.version != RAW_VERSION) {
    process_info_free(&process.info);
    return error_set(
        error,
        "%s: not the directory of a process of this version of Heddle; use the version that the process was "
        "started with",
        live->directory);
  }
  if (!vector_push(&live->plan.processes, process)) {
    process_info_free(&process.info);
    return error_set(error, "out of memory");
  }
  live->length = status.st_size;
  live->known = true;
  live_lines_forget(&live->lines);
  definitions_begin(&live->definitions, &live->plan);
  definitions_give_modules(&live->definitions, &live->modules);
  if (live->native != NULL)
    live_native_renew(live->native, &live->definitions);
  return true;
}

/* Ticks a second from one moment to another; 0: they cannot be of one clock. */
static uint64_t rate_between(struct clock_anchor from, struct clock_anchor to)
{
  if (to.monotonic_ns < from.monotonic_ns || to.monotonic_ns - from.monotonic_ns < RATE_SPAN_NS ||
      to.ticks <= from.ticks)
    return 0;
  double rate = (double)(to.ticks - from.ticks) * 1e9 / (double)(to.monotonic_ns - from.monotonic_ns);
  return rate >= RATE_LEAST && rate <= RATE_MOST ? (uint64_t)rate : 0;
}

/* The rate of the process' clock, which is this machine's. */
static void measure_rate(struct live *live)
{
  const struct process_info *info = &live->plan.processes.items[0].info;
  live->ticks_per_second = 1000000000u;
  clock_use(info->clock_is_tsc);
  if (!info->clock_is_tsc)
    return;
  /* From its newest anchor on: a jump before it does no harm. */
  struct clock_anchor newest = {.ticks = info->last.ticks, .monotonic_ns = info->last.monotonic_ns};
  struct clock_anchor now = clock_anchor_take(50);
  uint64_t rate = rate_between(newest, now);
  if (rate == 0) { /* the process has just begun, or its file is wrong */
    nanosleep(&(struct timespec){.tv_nsec = RATE_SPAN_NS + RATE_SPAN_NS / 10}, NULL);
    rate = rate_between(now, clock_anchor_take(50));
  }
  if (rate != 0)
    live->ticks_per_second = rate;
}

/* A command that asked and has ended since is no error. */
static bool send_all(struct error *error)
{
  return fflush(stdout) == 0 || errno == EPIPE || error_set(error, "cannot write the reading: %s", strerror(errno));
}

static bool open_process(struct live *live, struct error *error)
{
  live->fd = open(live->directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (live->fd < 0)
    return error_set(error, "%s: cannot open: %s", live->directory, strerror(errno));
  final_reading_begin(&live->final, live->fd);
  if (!know_process(live, error))
    return false;
  const struct process_info *info = &live->plan.processes.items[0].info;
  const char *name = process_name(info);
  if (info->java.places.count == 0)
    live->native = live_native_begin(live->fd, &live->definitions);
  if (live->native != NULL)
    live_native_watch(live->native, live->final.notices);
  measure_rate(live);
  printf(LIVE_HEAD "\t" LIVE_VERSION "\t%" PRIu64 "\t%" PRIu64 "\t", live->ticks_per_second, info->pid);
  char plain[4096];
  escape_control(name != NULL ? name : "?", plain, sizeof plain);
  printf("%s\n", plain);
  return send_all(error);
}

/* Its converter has removed its files. */
static bool is_gone(const struct live *live)
{
  return faccessat(live->fd, "process", F_OK, AT_SYMLINK_NOFOLLOW) != 0 && errno == ENOENT;
}

/* The last reading of a process whose files are gone: it has what the one before had. */
static bool say_gone(struct live *live, struct error *error)
{
  live->over = true;
  printf(LIVE_READING "\t%" PRIu64 "\n" LIVE_OVER "\n" LIVE_END "\n", clock_ticks());
  return send_all(error);
}

static bool has_ended(struct live *live, const struct here *here)
{
  return process_life_of(&live->plan.processes.items[0].info, live->fd, here) == LIFE_OVER;
}

/* Takes a look, the last one if the process has ended. */
static bool look(struct live *live, const struct here *here, struct error *error)
{
  if (!know_process(live, error))
    return false;
  bool over = has_ended(live, here);
  if (over && !know_process(live, error)) /* it may have reported more meanwhile */
    return false;
  uint64_t now = live_native_now();
  if (!live_look_take(&live->look, live->fd, "."))
    return error_set(error, "%s: cannot read: %s", live->directory, strerror(errno));
  live->looked = clock_ticks();
  live->over = over;
  if (over && live->native != NULL)
    live_native_find_programs(live->native);
  if (over)
    final_reading_end(&live->final); /* the log is open */
  return live->native == NULL || live_native_take(live->native, &live->look, now, over) ||
         error_set(error, "out of memory");
}

/* One reading; the last look's reading, once it was taken. */
static bool answer(struct live *live, const struct here *here, struct error *error)
{
  if (!live->over && !look(live, here, error))
    return is_gone(live) && say_gone(live, error);
  live_lines_write(&live->lines, stdout, &live->definitions, &live->look, live->native, live->looked, live->over);
  if (atomic_load(&live->definitions.out_of_memory))
    return error_set(error, "out of memory");
  return send_all(error);
}

/* Waits until a reading is asked for. A process that ends meanwhile is looked at a last time, before its files go. */
static bool await_request(struct live *live, const struct here *here)
{
  char line[64];
  struct error unsaid; /* the request will find it, too */
  while (!live->over && final_reading_wait(&live->final))
    if (know_process(live, &unsaid) && has_ended(live, here))
      look(live, here, &unsaid);
  return fgets(line, sizeof line, stdin) != NULL;
}

/* The process has cut the file of its windows: that is its end here. */
static void say_cut(int number)
{
  (void)number;
  static const char text[] = "heddle-convert: the process has cut its files\n";
  (void)!write(2, text, sizeof text - 1);
  _exit(1);
}

bool live_serve(const char *directory, struct error *error)
{
  struct live live = {.directory = directory, .plan = {.raw_fd = -1}, .final = {.notices = -1}};
  struct here here = here_now();
  sigaction(SIGBUS, &(struct sigaction){.sa_handler = say_cut}, NULL);
  signal(SIGPIPE, SIG_IGN);
  signal(SIGINT, SIG_IGN);         /* of a terminal: the command that asks ends first */
  setvbuf(stdin, NULL, _IONBF, 0); /* poll() sees each request */
  live_look_begin(&live.look);
  bool good = open_process(&live, error), answered = false;
  while (good && !answered && await_request(&live, &here)) {
    good = answer(&live, &here, error);
    answered = live.over;
  }
  final_reading_end(&live.final);
  live_native_free(live.native);
  forget_process(&live);
  code_modules_free(&live.modules);
  live_look_end(&live.look);
  live_lines_free(&live.lines);
  if (live.fd >= 0)
    close(live.fd);
  return good;
}
