/*
 * The environment of a program to start: this process's with changes. This process keeps its own environment, so
 * programs that it starts later (the converter) run as the user's other programs do. Also the options that load the
 * agent into JVMs, and the paths of Heddle's other parts.
 */
#ifndef HEDDLE_ANALYZER_RECORD_LAUNCH_ENVIRONMENT_H
#define HEDDLE_ANALYZER_RECORD_LAUNCH_ENVIRONMENT_H

#include "base/vector.h"

#include <stdbool.h>
#include <stddef.h>

struct environment_change {
  char *name, *value;
};

/* {0} has no changes. */
struct environment {
  VECTOR(struct environment_change) changes; /* by variable, in the order of its first change */
  bool failed;                               /* out of memory: a change is missing */
};

/* Sets a variable; both are copied. */
void environment_set(struct environment *environment, const char *name, const char *value);

/* The program's value of a variable: the change, else this process's. NULL: neither, or empty. */
const char *environment_get(const struct environment *environment, const char *name);

/* The environment for execve(2): one block, which the caller frees, valid until a variable changes. NULL: out of
 * memory. */
char **environment_make(const struct environment *environment);
void environment_free(struct environment *environment);

/* Adds an entry before (OMP_TOOL_LIBRARIES) or after (ASAN_OPTIONS) a variable's value, with the separator between. */
void environment_prepend(struct environment *environment, const char *name, const char *entry, char separator);
void environment_append(struct environment *environment, const char *name, const char *entry, char separator);

/*
 * Adds a library to LD_PRELOAD. It follows the user's libraries, which may have to be first (sanitizers, memory
 * allocators). It precedes an OpenMP runtime, whose functions it replaces. False: LD_PRELOAD can't have it, because its
 * path has a space or a colon.
 */
bool environment_preload(struct environment *environment, const char *library);

/* True if a program's name is the name of the JDK's launcher, java. */
bool launch_is_java(const char *program);

/* The command line with -agentpath:AGENT as its first option. The caller frees the array, but not its strings. NULL:
 * out of memory. */
char **launch_java_arguments(char **arguments, char *agent_option);

/* "-agentpath:AGENT"; the caller frees it. NULL: out of memory. */
char *launch_agent_option(const char *agent);

/* Makes each JVM in this environment load the agent, by JAVA_TOOL_OPTIONS. */
void launch_java_everywhere(struct environment *environment, const char *agent_option);

/* Paths of Heddle's other parts from the directory of the program `heddle`. Build tree and installation have the same
 * layout. */
#define SIBLING_CONVERT   "heddle-convert"
#define SIBLING_OMPT_TOOL HEDDLE_LIBRARY_DIR "/libheddle-ompt.so" /* HEDDLE_LIBRARY_DIR comes from CMake */
#define SIBLING_GOMP      HEDDLE_LIBRARY_DIR "/libheddle-gomp.so"
#define SIBLING_PTHREAD   HEDDLE_LIBRARY_DIR "/libheddle-pthread.so"
#define SIBLING_CALLS     HEDDLE_LIBRARY_DIR "/libheddle-calls.so"
#define SIBLING_AGENT     HEDDLE_LIBRARY_DIR "/libheddle-jvmti.so"

/* The absolute path of a sibling, which may not exist. The caller frees it. NULL: unknown, or out of memory. */
char *sibling_path(const char *from_bin);

#endif
