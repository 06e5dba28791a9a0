#include "analyzer/record/live_start.h"

#include "analyzer/command/command.h"
#include "analyzer/record/launch/environment.h"
#include "analyzer/record/record_directory.h"
#include "base/count_of.h"
#include "common/process/own_directory.h"
#include "common/raw/live_control.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define LIVE_START_LOOK_NS 20000000 /* between two looks for the program's files */
#define CONTROL_LOOKS      100
#define OUTPUTS_MOST       100 /* tries of names */

extern char **environ;

/* heddle record --live [--paused] [--sample...] -o TRACE -- PROGRAM [ARGUMENT]...; the caller frees it. NULL: no
 * memory. */
static char **record_arguments(char *heddle, char *trace, struct live_started_as as, char **program)
{
  char *const begin[] = {heddle,
                         (char *)"record",
                         (char *)"--live",
                         (char *)(as.dormant ? "--paused" : "--live"),
                         (char *)(as.sample ? as.sample : "--live"),
                         (char *)"-o",
                         trace,
                         (char *)"--"};
  const size_t own = COUNT_OF(begin);
  size_t count = 0;
  while (program[count])
    count++;
  char **arguments = calloc(own + count + 1, sizeof *arguments);
  if (!arguments)
    return NULL;
  memcpy(arguments, begin, sizeof begin);
  memcpy(arguments + own, program, count * sizeof *program);
  return arguments;
}

/* False: errno says why. */
static bool spawn(struct live_started *started, bool aside, char *heddle, char **arguments)
{
  posix_spawn_file_actions_t actions;
  if (posix_spawn_file_actions_init(&actions) != 0)
    return false;
  int error = 0;
  if (started->output >= 0) { /* keys are for the screen */
    error = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    error = error != 0 ? error : posix_spawn_file_actions_adddup2(&actions, started->output, 1);
    error = error != 0 ? error : posix_spawn_file_actions_adddup2(&actions, 1, 2);
  } else if (aside) {
    error = posix_spawn_file_actions_adddup2(&actions, 2, 1);
  }
  error = error != 0 ? error : posix_spawn(&started->record, heddle, &actions, NULL, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0)
    started->record = 0;
  errno = error;
  return error == 0;
}

/* The directory of a process in raw/ that records; NULL: there is none yet. */
static char *find_process(const char *trace)
{
  char *raw = NULL, *found = NULL;
  if (asprintf(&raw, "%s/raw", trace) < 0)
    return NULL;
  DIR *list = opendir(raw);
  for (const struct dirent *entry; list && !found && (entry = readdir(list));) {
    char *windows = NULL;
    if (entry->d_name[0] == '.' || asprintf(&windows, "%s/%s/windows", raw, entry->d_name) < 0)
      continue;
    if (access(windows, R_OK) == 0 && asprintf(&found, "%s/%s", raw, entry->d_name) < 0)
      found = NULL;
    free(windows);
  }
  if (list)
    closedir(list);
  free(raw);
  return found;
}

static bool live_start_has_ended(struct live_started *started, int flags)
{
  int status;
  pid_t ended = 0;
  while (started->record > 0 && (ended = waitpid(started->record, &status, flags)) < 0 && errno == EINTR)
    ;
  if (started->record > 0 && ended == started->record) {
    started->record = 0;
    started->status = status;
  }
  return started->record == 0;
}

/* The page for requests comes soon after the windows; without a place for it there is none. */
static void wait_for_control(struct live_started *started)
{
  char *control = NULL;
  if (asprintf(&control, "%s/" LIVE_CONTROL_FILE, started->directory) < 0)
    return;
  for (unsigned looks = 0;
       looks < CONTROL_LOOKS && access(control, R_OK) != 0 && !live_start_has_ended(started, WNOHANG); looks++)
    nanosleep(&(struct timespec){.tv_nsec = LIVE_START_LOOK_NS}, NULL);
  free(control);
}

/* A new file beside the trace for what the program prints. False: errno says why. */
static bool make_output(struct live_started *started)
{
  char random[OWN_RANDOM + 1];
  for (int tries = 0; tries < OUTPUTS_MOST && started->output < 0; tries++) {
    own_random(random);
    free(started->output_path);
    if (asprintf(&started->output_path, "%s%s%s.output", started->trace, tries > 0 ? "-" : "",
                 tries > 0 ? random : "") < 0)
      started->output_path = NULL;
    if (!started->output_path)
      return false;
    started->output = open(started->output_path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_APPEND | O_CLOEXEC, 0600);
    if (started->output < 0 && errno != EEXIST)
      return false;
  }
  return started->output >= 0;
}

bool live_start_program(char **arguments, struct live_started_as as, struct live_started *started, struct error *error)
{
  *started = (struct live_started){.trace = record_directory_new("live", arguments[0]), .output = -1};
  error->message[0] = '\0';
  if (!started->trace) /* the reason is printed */
    return false;
  char *heddle = sibling_path("heddle"), **all = NULL;
  bool good = heddle && (all = record_arguments(heddle, started->trace, as, arguments)), spawned = false;
  if (!good)
    error_set(error, "out of memory");
  else if (as.hides && !(good = make_output(started)))
    error_set(error, "%s.output: cannot be created: %s", started->trace, strerror(errno));
  else if (!(good = spawned = spawn(started, as.aside, heddle, all)))
    error_set(error, "%s: cannot be started: %s", heddle, strerror(errno));
  while (good && !(started->directory = find_process(started->trace)) &&
         (good = !live_start_has_ended(started, WNOHANG)))
    nanosleep(&(struct timespec){.tv_nsec = LIVE_START_LOOK_NS}, NULL);
  if (good)
    wait_for_control(started);
  if (!good && spawned && started->record == 0)
    error->message[0] = '\0'; /* heddle record has said why */
  if (!good)
    rmdir(started->trace); /* where nothing is in it */
  free(all);
  free(heddle);
  return good;
}

/* The name of its directory is <host>.<pid>.<start>; a host's name may have points. */
long live_started_pid(const struct live_started *started)
{
  const char *start = started->directory ? strrchr(started->directory, '.') : NULL, *pid = start;
  while (pid && pid > started->directory && pid[-1] != '.')
    pid--;
  return pid ? strtol(pid, NULL, 10) : 0;
}

static void print_output(const struct live_started *started)
{
  char buffer[16384];
  ssize_t got;
  for (off_t at = 0; (got = pread(started->output, buffer, sizeof buffer, at)) > 0; at += got)
    fwrite(buffer, 1, (size_t)got, stdout);
  unlink(started->output_path);
  close(started->output);
}

int live_started_end(struct live_started *started)
{
  if (!live_start_has_ended(started, WNOHANG) && started->output >= 0)
    fputs("heddle live: the program runs on: Ctrl-C ends it\n", stderr);
  live_start_has_ended(started, 0);
  if (started->output >= 0) {
    fflush(stdout);
    print_output(started);
  }
  if (started->trace)
    rmdir(started->trace); /* where nothing was recorded */
  free(started->trace);
  free(started->directory);
  free(started->output_path);
  return WIFEXITED(started->status) ? WEXITSTATUS(started->status) : EXIT_FAULT;
}
