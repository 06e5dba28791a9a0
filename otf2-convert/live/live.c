#include "otf2-convert/live/live.h"

#include "common/raw/live_control.h"
#include "common/recorder/clock.h"
#include "otf2-convert/live/last_look.h"
#include "otf2-convert/live/live_lines.h"
#include "otf2-convert/plan/process.h"
#include "otf2-convert/text_fields.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define RATE_SPAN_NS 50000000u /* of which the rate of a clock is known well enough */
#define RATE_LEAST   1e6       /* of ticks a second that a processor's clock has */
#define RATE_MOST    1e11

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
  struct last_look last;
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

/* Reads the file `process` if it has grown: it tells of libraries, names and Java code as they come. */
static bool know_process(struct live *live, struct error *error)
{
  struct stat status;
  struct process process = {.raw = {.fd = -1}};
  if (fstatat(live->fd, "process", &status, AT_SYMLINK_NOFOLLOW) != 0)
    return error_set(error, "%s/process: cannot be read: %s", live->directory, strerror(errno));
  if (live->known && status.st_size == live->length)
    return true;
  forget_process(live);
  if (!process_info_read(&process.info, live->fd, "process"))
    return error_set(error, "%s/process: cannot be read: %s", live->directory, strerror(errno));
  if (process.info.version != RAW_VERSION) {
    process_info_free(&process.info);
    return error_set(error,
                     "%s: no directory of a process that this version of Heddle records: use the one that the process "
                     "was started with",
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
  return fflush(stdout) == 0 || errno == EPIPE ||
         error_set(error, "the reading cannot be written: %s", strerror(errno));
}

static bool open_process(struct live *live, struct error *error)
{
  live->fd = open(live->directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (live->fd < 0)
    return error_set(error, "%s: cannot be opened: %s", live->directory, strerror(errno));
  last_look_begin(&live->last, live->fd);
  if (!know_process(live, error))
    return false;
  const struct process_info *info = &live->plan.processes.items[0].info;
  const char *name = process_name(info);
  if (info->java.places.count == 0)
    live->native = live_native_begin(live->fd, &live->definitions);
  if (live->native != NULL)
    live_native_watch(live->native, live->last.notices);
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
  if (over && !know_process(live, error)) /* it may have told more meanwhile */
    return false;
  uint64_t now = live_native_now();
  if (!live_look_take(&live->look, live->fd, "."))
    return error_set(error, "%s: cannot be read: %s", live->directory, strerror(errno));
  live->looked = clock_ticks();
  live->over = over;
  if (over && live->native != NULL)
    live_native_find_programs(live->native);
  if (over)
    last_look_end(&live->last); /* the log is open */
  return live->native == NULL || live_native_take(live->native, &live->look, now, over) ||
         error_set(error, "out of memory");
}

/* One reading; that of the last look, once it was taken. */
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
  while (!live->over && last_look_wait(&live->last))
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
  struct live live = {.directory = directory, .plan = {.raw_fd = -1}, .last = {.notices = -1}};
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
  last_look_end(&live.last);
  live_native_free(live.native);
  forget_process(&live);
  code_modules_free(&live.modules);
  live_look_end(&live.look);
  live_lines_free(&live.lines);
  if (live.fd >= 0)
    close(live.fd);
  return good;
}
