/* Runs a program as a shell would: signals reach it, and its end is passed on. For the command `record`. */
#ifndef HEDDLE_ANALYZER_COMMANDS_RECORD_RUN_H
#define HEDDLE_ANALYZER_COMMANDS_RECORD_RUN_H

#include <stdbool.h>
#include <sys/types.h>

struct record_result {
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
struct record_result record_run(char **arguments, char **environment);

/* The exit status to leave with: the program's; 127 or 126 when it could not be started. Does not return when the
 * program died of a signal: this process dies of the same. */
int record_exit_status(const struct record_result *result);

#endif
