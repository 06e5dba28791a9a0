#include "analyzer/jvm/attach.h"
#include "analyzer/commands/process_operand.h"
#include "analyzer/commands/record_directory.h"
#include "analyzer/launch/siblings.h"
#include "analyzer/options/values.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct own_options {
  const char *directory, *java;
  bool force;
};

/* The agent's options: the directory, then the user's. A comma would end the directory's name. */
static char *agent_options(const struct own_options *options, const struct record_directory *directory)
{
  char *text = NULL;
  const char *more = options->java && *options->java ? options->java : "";
  if (strchr(directory->path, ',')) {
    command_error("attach", "%s: the directory's name must not contain a comma", directory->path);
    return NULL;
  }
  if (asprintf(&text, "dir=%s%s%s", directory->path, *more ? "," : "", more) < 0) {
    command_error("attach", "out of memory");
    return NULL;
  }
  return text;
}

/* Gives the directory to the JVM's user, who must be able to write into it. False: errno says why. */
static bool give_directory(const struct record_directory *directory, pid_t pid)
{
  uid_t user;
  gid_t group;
  return geteuid() != 0 || !jvm_attach_user(pid, &user, &group) || user == 0 ||
         chown(directory->path, user, group) == 0;
}

static bool attach(const struct own_options *options, pid_t pid, const struct record_directory *directory,
                   const char *agent)
{
  char message[JVM_ATTACH_MESSAGE];
  char *text = agent_options(options, directory);
  bool good = false;
  if (text && !give_directory(directory, pid))
    command_error("attach", "%s: cannot change the owner to the user of process %d: %s", directory->shown, (int)pid,
                  strerror(errno));
  else if (text && !(good = jvm_attach_sees(pid, agent, directory->path, message) &&
                            jvm_attach_load(pid, agent, text, message)))
    command_error("attach", "%s", message);
  free(text);
  return good;
}

static int run(const struct command *command, int argc, char **argv)
{
  struct own_options options = {.java = getenv("HEDDLE_JAVA")};
  pid_t pid;
  int status = command_take(command, (void *[OPTION_SETS]){&options}, argc, argv);
  if (status < 0)
    status = process_operand(argv, &pid);
  if (status >= 0)
    return status;
  struct record_directory directory = {.command = "attach"};
  char *agent = sibling_path(SIBLING_AGENT);
  if (!agent || access(agent, R_OK) != 0) {
    command_error("attach", "the agent %s is missing; is the installation complete?", agent ? agent : SIBLING_AGENT);
    free(agent);
    return EXIT_FAULT;
  }
  bool good = record_directory_make(&directory, options.directory, "java", options.force);
  if (good && !(good = attach(&options, pid, &directory, agent)))
    record_directory_drop(&directory);
  if (good)
    fprintf(stderr, "heddle: recording JVM %d into %s; next: heddle detach %d\n", (int)pid, directory.shown, (int)pid);
  record_directory_free(&directory);
  free(agent);
  return good ? EXIT_DONE : EXIT_FAULT;
}

static const struct command_option own_options[] = {
    {.name = "output",
     .letter = 'o',
     .argument = "DIR",
     .help = "the trace's directory (default: heddle-java-START-PID here)",
     .take = option_text,
     .at = offsetof(struct own_options, directory)},
    {.name = "force",
     .letter = 'f',
     .help = "replace a trace that DIR already holds",
     .take = option_flag,
     .at = offsetof(struct own_options, force)},
    {.name = "java",
     .argument = "OPTIONS",
     .help = "what to record: level=jvm stack=N ..., see heddle-attach(1) (HEDDLE_JAVA)",
     .take = option_text,
     .at = offsetof(struct own_options, java)},
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
    .options = {{.list = own_options}},
    .run = run,
};
