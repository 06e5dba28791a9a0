#include "analyzer/commands/live_operand.h"
#include "analyzer/launch/live_request.h"
#include "common/live_control.h"

#include <stdio.h>
#include <string.h>

/* In a program with HEDDLE_LIVE the trace is switched, and measurement if it began without; in others measurement. */
static uint32_t operations_of(const struct live_requests *requests, bool on)
{
  bool traces = live_requests_can_trace(requests), measured = live_requests_begun(requests) & LIVE_MEASURES;
  if (on)
    return LIVE_MEASURE_ON | (traces ? LIVE_TRACE_ON : 0);
  return (traces ? LIVE_TRACE_OFF : 0) | (traces && measured ? 0 : LIVE_MEASURE_OFF);
}

static int run(const struct command *command, int argc, char **argv)
{
  const bool on = strcmp(command->name, "start") == 0;
  struct live_process process;
  struct live_requests requests;
  struct error error;
  int status = live_take(command, NULL, argc, argv, &process);
  if (status >= 0)
    return status;
  uint32_t state = 0;
  bool good = live_requests_open(&requests, &process, &error);
  if (good) {
    good = live_requests_ask(&requests, operations_of(&requests, on), &state, &error);
    live_requests_close(&requests);
  }
  if (good) {
    bool is_on = (state & LIVE_MEASURES) != 0 && (state & LIVE_TRACES) != 0;
    char *name = live_operand_name(&process);
    printf("tracing of %s is %s\n", name ? name : "the process", is_on ? "on" : "off");
    free(name);
  } else {
    command_error(command->name, "%s", error.message);
  }
  live_process_free(&process);
  return good ? EXIT_DONE : EXIT_FAULT;
}

const struct command command_start = {
    .name = "start",
    .group = COMMAND_RECORD,
    .summary = "begins to trace a running program that was started with --live or --paused",
    .synopsis = "PID",
    .about =
        "Switches tracing on in the running process PID, which was started with `heddle record --live` or --paused.\n"
        "`heddle stop PID` switches it off.\n",
    LIVE_OPERAND,
    .run = run,
};

const struct command command_stop = {
    .name = "stop",
    .group = COMMAND_RECORD,
    .summary = "ends the tracing that `heddle start` began; the program goes on",
    .synopsis = "PID",
    .about =
        "Switches tracing off in the running process PID, which goes on. The archive is made when the process ends;\n"
        "`heddle snapshot PID` makes one of what is recorded so far.\n",
    LIVE_OPERAND,
    .run = run,
};
