#include "analyzer/record/launch/program_file.h"

#include "analyzer/record/launch/library_search.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The kernel reads so many bytes of a script (BINPRM_BUF_SIZE). */
enum { SCRIPT_BYTES = 256 };

static bool may_execute(const char *path)
{
  struct stat status;
  return stat(path, &status) == 0 && S_ISREG(status.st_mode) && access(path, X_OK) == 0;
}

char *program_find(const char *name)
{
  if (!*name)
    return NULL;
  if (strchr(name, '/'))
    return may_execute(name) ? strdup(name) : NULL;
  const char *entry = getenv("PATH");
  if (!entry)
    entry = "/bin:/usr/bin";
  while (entry) {
    char path[PATH_MAX];
    size_t length = strcspn(entry, ":");
    int size = length == 0 ? snprintf(path, sizeof path, "./%s", name)
                           : snprintf(path, sizeof path, "%.*s/%s", (int)length, entry, name);
    if (size > 0 && (size_t)size < sizeof path && may_execute(path))
      return strdup(path);
    entry = entry[length] ? entry + length + 1 : NULL;
  }
  return NULL;
}

/* The program that `env ARGUMENTS` runs: the first argument that is neither an option nor a setting. */
static char *find_by_env(char *arguments)
{
  char *rest = NULL;
  for (char *word = strtok_r(arguments, " \t", &rest); word; word = strtok_r(NULL, " \t", &rest))
    if (word[0] != '-' && !strchr(word, '='))
      return program_find(word);
  return NULL;
}

char *program_interpreter(const char *file)
{
  char line[SCRIPT_BYTES + 1];
  int fd = library_open(file);
  ssize_t length = fd >= 0 ? pread(fd, line, SCRIPT_BYTES, 0) : -1;
  if (fd >= 0)
    close(fd);
  if (length < 0)
    return NULL;
  line[length] = '\0';
  if (strncmp(line, "#!", 2) != 0)
    return program_find("/bin/sh"); /* execvp(3) does this if the kernel refuses the file */
  line[strcspn(line, "\n")] = '\0';
  char *rest = NULL, *interpreter = strtok_r(line + 2, " \t", &rest);
  if (!interpreter)
    return NULL;
  const char *slash = strrchr(interpreter, '/');
  if (strcmp(slash ? slash + 1 : interpreter, "env") == 0 && rest && *rest)
    return find_by_env(rest);
  return may_execute(interpreter) ? strdup(interpreter) : NULL;
}
