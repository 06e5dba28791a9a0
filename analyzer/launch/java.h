/* How the agent for Java gets into JVMs. */
#ifndef HEDDLE_ANALYZER_LAUNCH_JAVA_H
#define HEDDLE_ANALYZER_LAUNCH_JAVA_H

#include "analyzer/launch/environment.h"

#include <stdbool.h>

/* Whether a program, by its name, is the JDK's launcher. */
bool launch_is_java(const char *program);

/* The command line with -agentpath:AGENT as its first option; the caller frees the array, the strings stay the
 * arguments'. NULL: no memory. */
char **launch_java_arguments(char **arguments, char *agent_option);

/* "-agentpath:AGENT", to be freed, or NULL. */
char *launch_agent_option(const char *agent);

/* Lets every JVM that is started in this environment load the agent, by JAVA_TOOL_OPTIONS. */
void launch_java_everywhere(struct environment *environment, const char *agent_option);

#endif
