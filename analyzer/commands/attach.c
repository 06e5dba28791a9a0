#include "analyzer/commands/command.h"

#include "analyzer/commands/jvm_attach.h"
#include "analyzer/commands/record_directory.h"
#include "analyzer/commands/siblings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char help[] =
    "Usage: heddle attach [OPTION]... PID\n"
    "Begins to record what the threads of a running JVM do; `heddle detach PID` ends it and makes the archive.\n\n"
    "  -o, --output DIR    the trace's directory (default: heddle-java-START-PID here)\n"
    "  -f, --force         replace a trace that DIR already holds\n"
    "      --java OPTIONS  what to record: level=jvm stack=N ..., see heddle-attach(1) (HEDDLE_JAVA)\n"
    "  -h, --help          this text\n";

enum { OPTION_JAVA = OPTION_FIRST_OWN };

struct attach_options {
  const char *directory, *java;
  bool force;
  pid_t pid;
};

static int take_options(int argc, char **argv, struct attach_options *options)
{
  static const struct option list[] = {{"output", required_argument, NULL, 'o'},
                                       {"force", no_argument, NULL, 'f'},
                                       {"java", required_argument, NULL, OPTION_JAVA},
                                       {"help", no_argument, NULL, 'h'},
                                       {NULL, 0, NULL, 0}};
  int code;
  opterr = 0;
  while ((code = getopt_long(argc, argv, ":o:fh", list, NULL)) != -1)
    switch (code) {
    case 'o':
      options->directory = optarg;
      break;
    case 'f':
      options->force = true;
      break;
    case OPTION_JAVA:
      options->java = optarg;
      break;
    case 'h':
      return command_help(help);
    default:
      return command_bad_option(argv, code);
    }
  return jvm_attach_operand(argc, argv, &options->pid);
}

/* The agent's options: where to, then the user's. A comma would end the directory's name. */
static char *agent_options(const struct attach_options *options, const struct record_directory *directory)
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

/* The JVM's user must be able to write there. */
static bool give_directory(const struct record_directory *directory, pid_t pid)
{
  uid_t user;
  gid_t group;
  return geteuid() != 0 || !jvm_attach_user(pid, &user, &group) || user == 0 ||
         chown(directory->path, user, group) == 0;
}

static bool attach(const struct attach_options *options, const struct record_directory *directory, const char *agent)
{
  char message[JVM_ATTACH_MESSAGE];
  char *text = agent_options(options, directory);
  bool good = false;
  if (text && !give_directory(directory, options->pid))
    command_error("attach", "the owner of %s cannot be changed to the user of process %d", directory->shown,
                  (int)options->pid);
  else if (text && !(good = jvm_attach_sees(options->pid, agent, directory->path, message) &&
                            jvm_attach_load(options->pid, agent, text, message)))
    command_error("attach", "%s", message);
  free(text);
  return good;
}

int command_attach(int argc, char **argv)
{
  struct attach_options options = {.java = getenv("HEDDLE_JAVA")};
  int status = take_options(argc, argv, &options);
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
  if (good && !(good = attach(&options, &directory, agent)))
    record_directory_drop(&directory);
  if (good)
    fprintf(stderr, "heddle: recording JVM %d into %s; next: heddle detach %d\n", (int)options.pid, directory.shown,
            (int)options.pid);
  record_directory_free(&directory);
  free(agent);
  return good ? EXIT_DONE : EXIT_FAULT;
}
