/* Runs a program as a shell would: signals reach it, and its end is passed on. */
#ifndef HEDDLE_ANALYZER_LAUNCH_RUN_H
#define HEDDLE_ANALYZER_LAUNCH_RUN_H

#include <stdbool.h>
#include <sys/types.h>

struct launch_result {
  bool started;
  pid_t pid;
  int error;  /* not started: errno */
  int status; /* started: as waitpid() gives it */
};

/*
 * Starts arguments[0] (found in PATH) with an environment and waits for its end. Meanwhile this process survives
 * SIGINT, SIGQUIT, SIGTERM and SIGHUP: what a terminal sends reaches the program anyway, what another process sends is
 * passed on.
 */
struct launch_result launch_run(char **arguments, char **environment);

/* The exit status to leave with: the program's; 127 or 126 when it could not be started. Does not return when the
 * program died of a signal: this process dies of the same. */
int launch_exit_status(const struct launch_result *result);

#endif
