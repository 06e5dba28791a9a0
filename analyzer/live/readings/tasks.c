#include "analyzer/live/readings/tasks.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

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
