#include "analyzer/record/launch/live_insert.h"

#include "common/raw/live_control.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* The operations that lead from one state to another. */
static uint32_t operations(unsigned from, unsigned to)
{
  unsigned on = to & ~from, off = from & ~to;
  return (on & INSERT_SUMS ? LIVE_MEASURE_ON : 0) | (on & INSERT_EVENTS ? LIVE_TRACE_ON : 0) |
         (off & INSERT_SUMS ? LIVE_MEASURE_OFF : 0) | (off & INSERT_EVENTS ? LIVE_TRACE_OFF : 0);
}

static bool live_insert_ask(struct insert *insert, uint32_t asked, struct error *error)
{
  uint32_t state;
  if (!live_requests_ask(&insert->requests, asked, &state, error))
    return false;
  insert->now = (state & LIVE_MEASURES ? INSERT_SUMS : 0) | (state & LIVE_TRACES ? INSERT_EVENTS : 0);
  return true;
}

/* Waits for this process' end; the last byte that came has the operations that take back what is inserted. */
static void watch_over(struct insert *insert, int from)
{
  struct error error;
  uint32_t state;
  uint8_t back = 0;
  ssize_t got;
  setsid(); /* a signal to the whole group is not for the guard */
  int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
  for (int fd = 0; fd < 3; fd++)
    dup2(nothing, fd);
  while ((got = read(from, &back, 1)) == 1 || (got < 0 && errno == EINTR))
    ;
  if (back)
    live_requests_ask(&insert->requests, back, &state, &error);
  _exit(0);
}

static bool start_guard(struct insert *insert, struct error *error)
{
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    return error_set(error, "cannot begin the search: %s", strerror(errno));
  insert->guard = fork();
  if (insert->guard == 0) {
    close(ends[1]);
    watch_over(insert, ends[0]);
  }
  close(ends[0]);
  insert->to_guard = ends[1];
  if (insert->guard > 0)
    return true;
  close(ends[1]);
  return error_set(error, "cannot begin the search: %s", strerror(errno));
}

static void end_guard(struct insert *insert)
{
  close(insert->to_guard);
  while (waitpid(insert->guard, NULL, 0) < 0 && errno == EINTR)
    ;
}

static bool tell_guard(struct insert *insert, unsigned state, struct error *error)
{
  uint8_t back = (uint8_t)operations(state | insert->before, insert->before);
  ssize_t put;
  while ((put = write(insert->to_guard, &back, 1)) < 0 && errno == EINTR)
    ;
  return put == 1 || error_set(error, "cannot go on with the search: %s", strerror(errno));
}

static bool has_control(const struct live_process *process)
{
  char *path;
  if (asprintf(&path, "%s/" LIVE_CONTROL_FILE, process->directory) < 0)
    return true; /* opening it says that there is no memory */
  bool has = access(path, F_OK) == 0;
  free(path);
  return has;
}

bool insert_begin(struct insert *insert, const struct live_process *process, struct error *error)
{
  *insert = (struct insert){.before = INSERT_SUMS, .now = INSERT_SUMS};
  if (!has_control(process))
    return true;
  if (!live_requests_open(&insert->requests, process, error))
    return false;
  bool good =
      live_requests_can_trace(&insert->requests) ||
      error_set(error, "process %ld adds up nothing: start it with `heddle record --live PROGRAM`", process->pid);
  if (good && live_insert_ask(insert, 0, error) && start_guard(insert, error)) {
    insert->before = insert->now;
    return true;
  }
  live_requests_close(&insert->requests);
  return false;
}

bool insert_can_trace(const struct insert *insert)
{
  return insert->requests.control != NULL;
}

bool insert_set(struct insert *insert, unsigned wanted, struct error *error)
{
  wanted |= insert->before;
  return wanted == insert->now ||
         (tell_guard(insert, wanted | insert->now, error) &&
          live_insert_ask(insert, operations(insert->now, wanted), error) && tell_guard(insert, wanted, error));
}

bool insert_end(struct insert *insert, struct error *error)
{
  if (!insert->requests.control)
    return true;
  bool good = live_insert_ask(insert, operations(insert->now, insert->before), error) &&
              tell_guard(insert, insert->before, error);
  end_guard(insert);
  live_requests_close(&insert->requests);
  return good && (insert->now == insert->before || error_set(error, "another command has switched what is recorded"));
}
