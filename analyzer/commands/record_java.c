#include "analyzer/commands/record_java.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool record_is_java(const char *program)
{
  const char *slash = strrchr(program, '/');
  return strcmp(slash ? slash + 1 : program, "java") == 0;
}

char *record_agent_option(const char *agent)
{
  char *option;
  return asprintf(&option, "-agentpath:%s", agent) < 0 ? NULL : option;
}

char **record_java_arguments(char **arguments, char *agent_option)
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

bool record_java_everywhere(const char *agent_option)
{
  const char *others = getenv("JAVA_TOOL_OPTIONS");
  char *options;
  /* The JVM splits the variable at spaces that are not quoted. */
  if (asprintf(&options, "\"%s\"%s%s", agent_option, others && *others ? " " : "", others ? others : "") < 0)
    return false;
  bool good = setenv("JAVA_TOOL_OPTIONS", options, 1) == 0;
  free(options);
  return good;
}
