#include "analyzer/record/launch/java.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool launch_is_java(const char *program)
{
  const char *slash = strrchr(program, '/');
  return strcmp(slash ? slash + 1 : program, "java") == 0;
}

char *launch_agent_option(const char *agent)
{
  char *option;
  return asprintf(&option, "-agentpath:%s", agent) < 0 ? NULL : option;
}

char **launch_java_arguments(char **arguments, char *agent_option)
{
  size_t count = 0;
  while (arguments[count])
    count++;
  char **all = malloc((count + 2) * sizeof *all);
  if (!all)
    return NULL;
  all[0] = arguments[0];
  all[1] = agent_option;
  memcpy(all + 2, arguments + 1, count * sizeof *all);
  return all;
}

void launch_java_everywhere(struct environment *environment, const char *agent_option)
{
  char *quoted;
  /* The JVM splits the variable at unquoted spaces. */
  if (asprintf(&quoted, "\"%s\"", agent_option) < 0) {
    environment->failed = true;
    return;
  }
  environment_prepend(environment, "JAVA_TOOL_OPTIONS", quoted, ' ');
  free(quoted);
}
