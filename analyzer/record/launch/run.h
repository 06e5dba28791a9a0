/* Runs a program as a shell does: passes on signals to it, and its end to the caller. */
#ifndef HEDDLE_ANALYZER_RECORD_LAUNCH_RUN_H
#define HEDDLE_ANALYZER_RECORD_LAUNCH_RUN_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct launch_result {
  bool started;
  pid_t pid;
  int error;         /* if not started: errno */
  int status;        /* if started: waitpid()'s */
  uint64_t ended_ns; /* if started: CLOCK_MONOTONIC at its end */
};

/* Receiver of the process before it executes the program. */
struct launch_watcher {
  void (*made)(void *context, pid_t pid);
  void *context;
};

/*
 * Starts arguments[0] (found in PATH) with an environment and waits for its end. Meanwhile this process survives
 * SIGINT, SIGQUIT, SIGTERM and SIGHUP. It passes them on to the program, which has a terminal's already. Where there is
 * a watcher, signals of processes to the whole group are not passed on either. watcher: NULL: nobody.
 */
struct launch_result launch_run(char **arguments, char **environment, const struct launch_watcher *watcher);

/* The exit status for this process: the program's; 127 or 126: it could not be started. Does not return if a signal
 * ended the program: this process ends by the same signal. */
int launch_exit_status(const struct launch_result *result);

#endif
