/* How the agent for Java gets into JVMs. For the command `record`. */
#ifndef HEDDLE_ANALYZER_COMMANDS_RECORD_JAVA_H
#define HEDDLE_ANALYZER_COMMANDS_RECORD_JAVA_H

#include "analyzer/launch/environment.h"

#include <stdbool.h>

/* Whether a program, by its name, is the JDK's launcher. */
bool record_is_java(const char *program);

/* The command line with -agentpath:AGENT as its first option; the caller frees the array, the strings stay the
 * arguments'. NULL: no memory. */
char **record_java_arguments(char **arguments, char *agent_option);

/* "-agentpath:AGENT", to be freed, or NULL. */
char *record_agent_option(const char *agent);

/* Lets every JVM that is started in this environment load the agent, by JAVA_TOOL_OPTIONS. */
void record_java_everywhere(struct environment *environment, const char *agent_option);

#endif
