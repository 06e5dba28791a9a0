#include "analyzer/record/jvm/attach.h"
#include "analyzer/command/shared_options.h"
#include "analyzer/command/values.h"
#include "analyzer/record/conversion.h"
#include "analyzer/record/launch/environment.h"
#include "analyzer/record/record_directory.h"
#include "analyzer/record/record_options.h"
#include "analyzer/record/record_sample.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

struct detach_options {
  bool keep_raw, no_convert;
};

/* After the recording: makes the archive, or prints how to make it. */
static bool detach_finish(const char *command, const char *trace, const struct detach_options *options)
{
  struct record_conversion conversion = {
      .command = command, .path = trace, .shown = trace, .keep_raw = options->keep_raw};
  if (!options->no_convert)
    return record_convert(&conversion);
  record_say_next("the raw trace", trace, "convert");
  return true;
}

/* Ends the recording of a JVM, and makes the archive. False: an error, after a message of the command on stderr. */
static bool detach_jvm(const char *command, pid_t pid, const struct detach_options *options)
{
  char message[JVM_ATTACH_MESSAGE];
  char *trace = jvm_attach_trace(pid), *agent = sibling_path(SIBLING_AGENT);
  bool good = false;
  if (!trace)
    command_error(command, "process %d is not being recorded, or belongs to another user", (int)pid);
  else if (!agent || !jvm_attach_load(pid, agent, "detach", message))
    command_error(command, "%s", agent ? message : "the path of heddle itself is unknown");
  else
    good = detach_finish(command, trace, options);
  free(trace);
  free(agent);
  return good;
}

static int detach_run(const struct command *command, int argc, char **argv)
{
  struct detach_options options = {0};
  pid_t pid;
  int status = process_take(command, &options, argc, argv, &pid);
  if (status >= 0)
    return status;
  return detach_jvm(argv[0], pid, &options) ? EXIT_DONE : EXIT_FAULT;
}

static const struct command_option detach_own_options[] = {
    {.name = "keep-raw",
     .help = "keep the raw trace beside the archive",
     .take = option_flag,
     .at = offsetof(struct detach_options, keep_raw)},
    {.name = "no-convert",
     .help = "keep the raw trace only; `heddle convert DIR` makes the archive later",
     .take = option_flag,
     .at = offsetof(struct detach_options, no_convert)},
    {.name = NULL}};

const struct command command_detach = {
    .name = "detach",
    .group = COMMAND_RECORD,
    .summary = "ends the recording of a running JVM, makes the OTF2 archive",
    .synopsis = "[OPTION]... PID",
    .about = "Ends the recording of the JVM PID, which `heddle attach` began, and makes the archive.\n",
    PROCESS_OPERAND,
    .options = {{.list = detach_own_options}},
    .run = detach_run,
};

struct attach_own_options {
  const char *directory, *java;
  bool force, live;
  uint64_t for_ns; /* 0: until `heddle detach` */
};

/* The agent's options: the directory, then the user's. A comma would end the directory's name. */
static char *agent_options(const struct attach_own_options *options, const struct record_directory *directory)
{
  char *text = NULL;
  const char *more = options->java && *options->java ? options->java : "";
  if (strchr(directory->path, ',')) {
    command_error("attach", "%s: the directory's name must not contain a comma", directory->path);
    return NULL;
  }
  if (asprintf(&text, "dir=%s%s%s%s", directory->path, *more ? "," : "", more, options->live ? ",live=on" : "") < 0) {
    command_error("attach", "out of memory");
    return NULL;
  }
  return text;
}

/* True if root attaches to another user's JVM. This user must be able to write into the directory. */
static bool is_for_another(pid_t pid, uid_t *user, gid_t *group)
{
  return geteuid() == 0 && jvm_attach_user(pid, user, group) && *user != 0;
}

/* False: errno says why. */
static bool give_directory(struct record_directory *directory, pid_t pid)
{
  uid_t user;
  gid_t group;
  return !is_for_another(pid, &user, &group) || record_directory_give(directory, user, group);
}

static bool attach(const struct attach_own_options *options, pid_t pid, struct record_directory *directory,
                   const char *agent)
{
  char message[JVM_ATTACH_MESSAGE];
  char *text = agent_options(options, directory);
  bool good = false;
  if (text && !give_directory(directory, pid))
    command_error("attach", "%s: cannot change the owner to the user of process %d: %s", directory->shown, (int)pid,
                  strerror(errno));
  else if (text &&
           !(good = jvm_attach_sees(pid, directory->path, message) && jvm_attach_load(pid, agent, text, message)))
    command_error("attach", "%s", message);
  free(text);
  return good;
}

/* Ends by a signal to this process like by the end of the time. False: the JVM has ended. */
static bool wait_for(pid_t pid, uint64_t ns, const sigset_t *signals)
{
  struct pollfd ends[2] = {{.fd = signalfd(-1, signals, SFD_CLOEXEC), .events = POLLIN},
                           {.fd = (int)syscall(SYS_pidfd_open, pid, 0), .events = POLLIN}};
  struct timespec begin, now;
  clock_gettime(CLOCK_MONOTONIC, &begin);
  for (uint64_t gone = 0; gone < ns && !ends[0].revents && !ends[1].revents;) {
    uint64_t ms = (ns - gone) / 1000000u + 1;
    poll(ends, 2, ms < INT_MAX ? (int)ms : INT_MAX);
    clock_gettime(CLOCK_MONOTONIC, &now);
    gone = (uint64_t)(now.tv_sec - begin.tv_sec) * 1000000000u + (uint64_t)now.tv_nsec - (uint64_t)begin.tv_nsec;
  }
  struct signalfd_siginfo taken;
  ssize_t ignored = ends[0].revents ? read(ends[0].fd, &taken, sizeof taken) : 0;
  (void)ignored;
  for (int i = 0; i < 2; i++)
    if (ends[i].fd >= 0)
      close(ends[i].fd);
  return !ends[1].revents;
}

/* Attaches, waits, and detaches. Meanwhile the kernel reports when the threads had a processor, if it allows that. */
static bool attach_for(const struct attach_own_options *options, pid_t pid, struct record_directory *directory,
                       const char *agent)
{
  sigset_t ends, before;
  sigemptyset(&ends);
  sigaddset(&ends, SIGINT);
  sigaddset(&ends, SIGTERM);
  sigaddset(&ends, SIGHUP);
  sigprocmask(SIG_BLOCK, &ends, &before);
  struct kernel_log_session session = {.trace = directory->fd, .shown = directory->shown};
  session.events = kernel_events_join(directory->fd, pid, &(struct kernel_wants){.pages = KERNEL_EVENTS_PAGES});
  bool good = attach(options, pid, directory, agent), lives = good && wait_for(pid, options->for_ns, &ends);
  kernel_log_session_end(&session, "attach");
  sigprocmask(SIG_SETMASK, &before, NULL);
  if (!good)
    record_directory_drop(directory);
  else if (!lives)
    fprintf(stderr, "heddle: JVM %d has ended, and makes its archive in %s\n", (int)pid, directory->shown);
  return good && (!lives || detach_jvm("attach", pid, &(struct detach_options){.no_convert = false}));
}

static int attach_take_for(const struct option_given *given, void *into)
{
  struct attach_own_options *options = into;
  if (!time_word_ns(given->value, &options->for_ns))
    return command_usage(given->command, "--for %s: not a time: 10s, 500ms, ...", given->value);
  return -1;
}

static int attach_take_java(const struct option_given *given, void *into)
{
  ((struct attach_own_options *)into)->java = given->value;
  int status = java_options_check(given->command, given->value);
  if (status < 0 && java_options_have_hold(given->value))
    return command_usage(given->command,
                         "--java %s: hold= changes classes while they are loaded, which is too late for "
                         "a JVM that runs; start it with `heddle record --java hold=...`",
                         given->value);
  return status;
}

static int attach_run(const struct command *command, int argc, char **argv)
{
  struct attach_own_options options = {.java = getenv("HEDDLE_JAVA")};
  pid_t pid;
  int status = process_take(command, &options, argc, argv, &pid);
  if (status >= 0)
    return status;
  if (options.live && options.for_ns > 0)
    return command_usage("attach", "--live records when `heddle start` is used, not --for a time");
  if (java_options_have_hold(options.java)) /* of HEDDLE_JAVA */
    command_error("attach", "HEDDLE_JAVA: hold= has no effect on a JVM that runs already");
  struct record_directory directory = {.command = "attach", .fd = -1};
  char *agent = sibling_path(SIBLING_AGENT);
  if (!agent || access(agent, R_OK) != 0) {
    command_error("attach", "the agent %s is missing; is the installation complete?", agent ? agent : SIBLING_AGENT);
    free(agent);
    return EXIT_FAULT;
  }
  char message[JVM_ATTACH_MESSAGE];
  uid_t user;
  gid_t group;
  bool good = jvm_attach_can(pid, agent, message);
  if (!good)
    command_error("attach", "%s", message);
  directory.never_taken = is_for_another(pid, &user, &group);
  good = good && record_directory_make(&directory, options.directory, "java", options.force);
  if (good && options.for_ns > 0)
    good = attach_for(&options, pid, &directory, agent);
  else if (good && !(good = attach(&options, pid, &directory, agent)))
    record_directory_drop(&directory);
  else if (good)
    fprintf(stderr, "heddle: recording JVM %d into %s; next: heddle %s %d\n", (int)pid, directory.shown,
            options.live ? "start" : "detach", (int)pid);
  record_directory_free(&directory);
  free(agent);
  return good ? EXIT_DONE : EXIT_FAULT;
}

static const struct command_option attach_own_options[] = {
    {.name = "output",
     .letter = 'o',
     .argument = "DIR",
     .help = "the trace's directory (default: heddle-java-START-PID here)",
     .take = option_text,
     .at = offsetof(struct attach_own_options, directory)},
    {.name = "force",
     .letter = 'f',
     .help = "replace a trace that DIR already holds",
     .take = option_flag,
     .at = offsetof(struct attach_own_options, force)},
    {.name = "live",
     .help = "keep sums, and write events only between `heddle start PID` and `heddle stop PID`",
     .take = option_flag,
     .at = offsetof(struct attach_own_options, live)},
    {.name = "java",
     .argument = "OPTIONS",
     .help = "what to record: level=jvm stack=N ..., see heddle-attach(1) (HEDDLE_JAVA)",
     .take = attach_take_java},
    {.name = "for",
     .argument = "TIME",
     .help =
         "record for so long (10s, 500ms), or until Ctrl-C, also when threads had a processor; then detach and make "
         "the archive",
     .take = attach_take_for},
    {.name = NULL}};

const struct command command_attach = {
    .name = "attach",
    .group = COMMAND_RECORD,
    .summary = "begins to record a running JVM",
    .synopsis = "[OPTION]... PID",
    .about = "Begins to record what the threads of the running JVM PID do. `heddle detach PID` ends the recording and "
             "makes the\n"
             "archive.\n",
    PROCESS_OPERAND,
    .options = {{.list = attach_own_options}},
    .run = attach_run,
};
