#include "analyzer/record/launch/environment.h"

#include "base/count_of.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct environment_change *environment_find(const struct environment *environment, const char *name,
                                                   size_t length)
{
  for (size_t i = 0; i < environment->changes.count; i++) {
    struct environment_change *change = &environment->changes.items[i];
    if (strncmp(change->name, name, length) == 0 && change->name[length] == '\0')
      return change;
  }
  return NULL;
}

void environment_set(struct environment *environment, const char *name, const char *value)
{
  char *copy = strdup(value);
  struct environment_change *change = environment_find(environment, name, strlen(name));
  if (copy && change) {
    free(change->value);
    change->value = copy;
    return;
  }
  char *name_copy = copy ? strdup(name) : NULL;
  if (name_copy && vector_push(&environment->changes, ((struct environment_change){name_copy, copy})))
    return;
  free(name_copy);
  free(copy);
  environment->failed = true;
}

const char *environment_get(const struct environment *environment, const char *name)
{
  const struct environment_change *change = environment_find(environment, name, strlen(name));
  const char *value = change ? change->value : getenv(name);
  return value && *value ? value : NULL;
}

static size_t kept_count(const struct environment *environment, char **all)
{
  size_t kept = 0;
  for (char **variable = environ; variable && *variable; variable++) {
    if (environment_find(environment, *variable, strcspn(*variable, "=")))
      continue;
    if (all)
      all[kept] = *variable;
    kept++;
  }
  return kept;
}

char **environment_make(const struct environment *environment)
{
  size_t kept = kept_count(environment, NULL), texts = 0;
  for (size_t i = 0; i < environment->changes.count; i++)
    texts += strlen(environment->changes.items[i].name) + strlen(environment->changes.items[i].value) + 2;
  size_t pointers = kept + environment->changes.count + 1;
  char **all = malloc(pointers * sizeof *all + texts);
  if (!all)
    return NULL;
  char *text = (char *)(all + pointers);
  size_t at = kept_count(environment, all);
  for (size_t i = 0; i < environment->changes.count; i++) {
    all[at++] = text;
    text += sprintf(text, "%s=%s", environment->changes.items[i].name, environment->changes.items[i].value) + 1;
  }
  all[at] = NULL;
  return all;
}

void environment_free(struct environment *environment)
{
  for (size_t i = 0; i < environment->changes.count; i++) {
    free(environment->changes.items[i].name);
    free(environment->changes.items[i].value);
  }
  vector_free(&environment->changes);
  environment->failed = false;
}

/* Adds an entry before byte `at` of the variable's value, with a separator on each side that is not empty. */
static void insert(struct environment *environment, const char *name, const char *entry, char separator, size_t at)
{
  const char *value = environment_get(environment, name);
  char *both = NULL;
  int size = !value       ? asprintf(&both, "%s", entry)
             : at == 0    ? asprintf(&both, "%s%c%s", entry, separator, value)
             : !value[at] ? asprintf(&both, "%s%c%s", value, separator, entry)
                          : asprintf(&both, "%.*s%s%c%s", (int)at, value, entry, separator, value + at);
  if (size < 0) {
    environment->failed = true;
    return;
  }
  environment_set(environment, name, both);
  free(both);
}

void environment_prepend(struct environment *environment, const char *name, const char *entry, char separator)
{
  insert(environment, name, entry, separator, 0);
}

void environment_append(struct environment *environment, const char *name, const char *entry, char separator)
{
  const char *value = environment_get(environment, name);
  insert(environment, name, entry, separator, value ? strlen(value) : 0);
}

/* The file name in an entry of LD_PRELOAD. */
static const char *base_name(const char *entry, size_t length)
{
  const char *slash = memrchr(entry, '/', length);
  return slash ? slash + 1 : entry;
}

static bool is_openmp_runtime(const char *base)
{
  static const char *const names[] = {"libgomp.", "libomp.", "libomp-", "libiomp5."};
  for (size_t i = 0; i < COUNT_OF(names); i++)
    if (strncmp(base, names[i], strlen(names[i])) == 0)
      return true;
  return false;
}

bool environment_preload(struct environment *environment, const char *library)
{
  static const char separators[] = " :";
  if (strpbrk(library, separators))
    return false;
  const char *value = environment_get(environment, "LD_PRELOAD");
  size_t at = 0;
  const char *name = base_name(library, strlen(library));
  while (value && value[at]) {
    size_t length = strcspn(value + at, separators);
    const char *base = base_name(value + at, length);
    if ((size_t)(value + at + length - base) == strlen(name) && strncmp(base, name, strlen(name)) == 0)
      return true; /* the user has added it */
    if (is_openmp_runtime(base))
      break;
    at += length;
    at += strspn(value + at, separators);
  }
  insert(environment, "LD_PRELOAD", library, ':', at);
  return true;
}

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

/* The same path with its directory resolved (no "..", no links), which is shorter to read; unresolved if this fails. */
static char *with_plain_directory(char *path)
{
  char *slash = strrchr(path, '/'), *plain = NULL, directory[PATH_MAX];
  *slash = '\0';
  bool good = realpath(path, directory) && asprintf(&plain, "%s/%s", directory, slash + 1) >= 0;
  *slash = '/';
  if (!good)
    return path;
  free(path);
  return plain;
}

char *sibling_path(const char *from_bin)
{
  char self[PATH_MAX];
  ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
  if (length <= 0)
    return NULL;
  self[length] = '\0';
  char *slash = strrchr(self, '/');
  if (!slash)
    return NULL;
  *slash = '\0';
  char *path = NULL;
  return asprintf(&path, "%s/%s", self, from_bin) < 0 ? NULL : with_plain_directory(path);
}
