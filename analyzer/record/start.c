#include "analyzer/command/values.h"
#include "analyzer/record/live_operand.h"
#include "analyzer/record/start_choice.h"
#include "common/raw/live_control.h"

#include <stdio.h>
#include <string.h>

struct start_own_options {
  struct start_choice choice;
};

static int take_construct(const struct option_given *given, void *into)
{
  struct start_choice *choice = &((struct start_own_options *)into)->choice;
  if (choice->construct_count == START_CONSTRUCTS)
    return command_usage(given->command, "--construct: at most %u", START_CONSTRUCTS);
  if (given->value[0] == '\0')
    return command_usage(given->command, "--construct: it has no name");
  choice->constructs[choice->construct_count++] = given->value;
  return -1;
}

static void say_count(const char *before, size_t count, const char *what)
{
  if (count > 0)
    printf("%s%zu %s%s", before, count, what, count == 1 ? "" : "s");
}

static void start_say(const struct live_process *process, uint32_t state, const struct start_choice *choice)
{
  bool is_on = (state & LIVE_MEASURES) != 0 && (state & LIVE_TRACES) != 0;
  char *name = live_operand_name(process);
  printf("tracing of %s is %s", name ? name : "the process", is_on ? "on" : "off");
  say_count(", for ", choice->found_constructs, "construct");
  say_count(choice->found_constructs > 0 ? " on " : ", for ", choice->found_threads, "thread");
  putchar('\n');
  free(name);
}

static int start_run(const struct command *command, int argc, char **argv)
{
  const bool on = strcmp(command->name, "start") == 0;
  struct start_own_options options = {.choice = {.threads = NULL}};
  struct start_choice *choice = &options.choice;
  struct live_process process;
  struct live_requests requests;
  struct error error;
  int status = live_take(command, &options, argc, argv, &process);
  if (status >= 0)
    return status;
  uint32_t state = 0, chosen = 0;
  bool good = live_requests_open(&requests, &process, &error);
  if (good) {
    good = start_choose(choice, &requests, &process, &chosen, &error) &&
           live_requests_ask(&requests, start_operations(&requests, on) | chosen, &state, &error);
    live_requests_close(&requests);
  }
  if (good)
    start_say(&process, state, choice);
  else
    command_error(command->name, "%s", error.message);
  live_process_free(&process);
  return good ? EXIT_DONE : EXIT_FAULT;
}

static const struct command_option start_options[] = {
    {.name = "construct",
     .argument = "PLACE",
     .help = "trace only this construct and what is inside it: FILE:LINE, a function, or a pattern of its name, as "
             "'*for @solver.c:42'; it must have been executed before. May be repeated",
     .take = take_construct},
    {.name = "threads",
     .argument = "GLOB",
     .help = "trace only the threads whose name matches, as 'OpenMP thread *' (default: all)",
     .take = option_text,
     .at = offsetof(struct start_own_options, choice.threads)},
    {.name = NULL}};

const struct command command_start = {
    .name = "start",
    .group = COMMAND_RECORD,
    .summary = "begins to trace a running program that was started with --live or --paused",
    .synopsis = "[OPTION]... PID",
    .about =
        "Switches tracing on in the running process PID, which was started with `heddle record --live` or --paused.\n"
        "`heddle stop PID` switches it off.\n",
    LIVE_OPERAND,
    .options = {{.list = start_options}},
    .run = start_run,
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
    .run = start_run,
};
