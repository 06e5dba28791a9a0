#include "analyzer/live/readings/live.h"

#include "analyzer/live/readings/reader.h"
#include "analyzer/record/launch/environment.h"
#include "common/raw/live_control.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* The first bytes of a file of the thread; false: it is gone. */
static bool read_text(uint64_t pid, uint64_t tid, const char *name, char *text, size_t size)
{
  char path[96];
  snprintf(path, sizeof path, "/proc/%" PRIu64 "/task/%" PRIu64 "/%s", pid, tid, name);
  FILE *file = fopen(path, "re");
  if (!file)
    return false;
  size_t got = fread(text, 1, size - 1, file);
  text[got] = '\0';
  fclose(file);
  return got > 0;
}

struct live_task live_task_read(uint64_t pid, uint64_t tid)
{
  struct live_task task = {.known = false};
  char text[512];
  if (tid == 0 || !read_text(pid, tid, "schedstat", text, sizeof text) ||
      sscanf(text, "%" SCNu64 " %" SCNu64, &task.on_ns, &task.queued_ns) != 2 ||
      !read_text(pid, tid, "stat", text, sizeof text))
    return task;
  const char *name_end = strrchr(text, ')'); /* the name may have anything in it */
  task.state = name_end && name_end[1] == ' ' ? name_end[2] : '?';
  task.known = true;
  return task;
}

static uint64_t tasks_less(uint64_t from, uint64_t what)
{
  return from > what ? from - what : 0;
}

struct live_task live_task_between(struct live_task from, struct live_task to, uint64_t own_ns)
{
  if (!from.known || !to.known)
    return (struct live_task){.known = false};
  uint64_t queued = tasks_less(to.queued_ns, from.queued_ns);
  uint64_t own = own_ns < queued ? own_ns : queued;
  to.on_ns = tasks_less(to.on_ns, from.on_ns) + own;
  to.queued_ns = queued - own;
  return to;
}

bool live_process_time(uint64_t pid, uint64_t *ns)
{
  clockid_t clock;
  struct timespec time;
  if (clock_getcpuclockid((pid_t)pid, &clock) != 0 || clock_gettime(clock, &time) != 0)
    return false;
  *ns = (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
  return true;
}

extern char **environ;

struct live {
  pid_t server; /* 0: none */
  int to;       /* a socket: writing to a server that has ended is an error, not a signal; -1: none */
  FILE *from;   /* NULL: none */
  char *line;   /* getline()'s */
  size_t room;
  uint64_t pid;
  char *name;
  struct live_reader reader;
};

static bool get_line(struct live *live, struct error *error)
{
  ssize_t length = getline(&live->line, &live->room, live->from);
  if (length <= 0 || live->line[length - 1] != '\n')
    return error_set(error, "process %llu can no longer be watched: its files cannot be read",
                     (unsigned long long)live->pid);
  live->line[length - 1] = '\0';
  return true;
}

/* Starts the program that reads the files; `in` and `out` become its own. Its errors go to our stderr. */
static bool spawn(struct live *live, const char *directory, int in, int out, struct error *error)
{
  char *path = sibling_path(SIBLING_CONVERT);
  posix_spawn_file_actions_t actions;
  if (!path || posix_spawn_file_actions_init(&actions) != 0) {
    free(path);
    return error_set(error, "out of memory");
  }
  char *arguments[] = {(char *)SIBLING_CONVERT, (char *)"--live", (char *)directory, NULL};
  int failure = posix_spawn_file_actions_adddup2(&actions, in, 0);
  if (failure == 0)
    failure = posix_spawn_file_actions_adddup2(&actions, out, 1);
  if (failure == 0)
    failure = posix_spawn(&live->server, path, &actions, NULL, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failure != 0) {
    live->server = 0;
    error_set(error, "%s: cannot be started: %s; is the installation complete?", path, strerror(failure));
  }
  free(path);
  return failure == 0;
}

static bool start(struct live *live, const char *directory, struct error *error)
{
  int asks[2], answers[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, asks) != 0)
    return error_set(error, "cannot start " SIBLING_CONVERT ": %s", strerror(errno));
  live->to = asks[1];
  bool piped = pipe2(answers, O_CLOEXEC) == 0;
  bool good = (piped && spawn(live, directory, asks[0], answers[1], error)) ||
              (!piped && error_set(error, "cannot start " SIBLING_CONVERT ": %s", strerror(errno)));
  close(asks[0]);
  if (piped) {
    close(answers[1]);
    live->from = fdopen(answers[0], "r");
    if (!live->from)
      close(answers[0]);
  }
  return good && (live->from || error_set(error, "out of memory"));
}

/* The first line, of what the server says. */
static bool take_begin(struct live *live, struct error *error)
{
  char *rest = live->line;
  const char *word = strsep(&rest, "\t"), *version = strsep(&rest, "\t"), *ticks = strsep(&rest, "\t"),
             *pid = strsep(&rest, "\t"), *name = rest;
  uint64_t ticks_per_second;
  if (!name || strcmp(word, LIVE_HEAD) != 0 || strcmp(version, LIVE_VERSION) != 0 ||
      !live_number(ticks, &ticks_per_second) || ticks_per_second == 0 || !live_number(pid, &live->pid))
    return error_set(error, SIBLING_CONVERT " is of another version of Heddle");
  live->name = strdup(name);
  return (live->name && live_reader_begin(&live->reader, ticks_per_second, name)) || error_set(error, "out of memory");
}

struct live *live_open(const char *directory, struct error *error)
{
  struct live *live = calloc(1, sizeof *live);
  if (!live) {
    error_set(error, "out of memory");
    return NULL;
  }
  live->to = -1;
  bool good = start(live, directory, error);
  if (good && !get_line(live, error)) {
    error->message[0] = '\0'; /* the server has said why */
    good = false;
  }
  if (good && take_begin(live, error))
    return live;
  live_close(live);
  return NULL;
}

void live_close(struct live *live)
{
  if (!live)
    return;
  if (live->to >= 0)
    close(live->to);
  if (live->from)
    fclose(live->from);
  if (live->server > 0)
    waitpid(live->server, NULL, 0);
  live_reader_end(&live->reader);
  free(live->line);
  free(live->name);
  free(live);
}

uint64_t live_pid(const struct live *live)
{
  return live->pid;
}

const char *live_name(const struct live *live)
{
  return live->name;
}

const struct live_code *live_codes(const struct live *live, size_t *count)
{
  *count = live->reader.codes.count;
  return live->reader.codes.items;
}

void live_focus_on(struct live *live, const struct profile_focus *focus)
{
  live->reader.focus = focus;
}

void live_keep_apart(struct live *live)
{
  live->reader.apart = true;
}

bool live_read(struct live *live, struct live_reading *reading, struct error *error)
{
  enum live_line taken = LIVE_GOES_ON;
  if (send(live->to, "\n", 1, MSG_NOSIGNAL) != 1)
    return error_set(error, "process %llu can no longer be watched: %s", (unsigned long long)live->pid,
                     strerror(errno));
  while (taken == LIVE_GOES_ON) {
    if (!get_line(live, error))
      return false;
    taken = live_reader_take(&live->reader, live->line);
  }
  if (taken == LIVE_WRONG)
    return error_set(error, SIBLING_CONVERT " says what makes no sense");
  return live_reader_result(&live->reader, reading) || error_set(error, "out of memory");
}
