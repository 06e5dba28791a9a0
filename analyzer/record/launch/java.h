/* How JVMs load the agent for Java. */
#ifndef HEDDLE_ANALYZER_RECORD_LAUNCH_JAVA_H
#define HEDDLE_ANALYZER_RECORD_LAUNCH_JAVA_H

#include "analyzer/record/launch/environment.h"

#include <stdbool.h>

/* Whether a program's name is that of the JDK's launcher. */
bool launch_is_java(const char *program);

/* The command line with -agentpath:AGENT as its first option. The caller frees the array, but not its strings. NULL: no
 * memory. */
char **launch_java_arguments(char **arguments, char *agent_option);

/* "-agentpath:AGENT"; the caller frees it. NULL: no memory. */
char *launch_agent_option(const char *agent);

/* Makes each JVM in this environment load the agent, by JAVA_TOOL_OPTIONS. */
void launch_java_everywhere(struct environment *environment, const char *agent_option);

#endif
