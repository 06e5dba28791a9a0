#include "analyzer/record/machine_java.h"

#include "analyzer/record/launch/environment.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define OLDEST_JAVA 17
#define PATHS_MOST  64

/* JDKs without duplicates: several names may lead to one. */
struct jdks {
  char *homes[PATHS_MOST];
  unsigned count;
};

/* Adds the JDK that has this file, `release` or `bin/java`. */
static void add_jdk(struct jdks *jdks, const char *file, unsigned levels)
{
  char *home = realpath(file, NULL);
  for (unsigned i = 0; home && i < levels; i++) {
    char *slash = strrchr(home, '/');
    if (slash)
      *slash = '\0';
  }
  for (unsigned i = 0; home && i < jdks->count; i++)
    if (strcmp(home, jdks->homes[i]) == 0) {
      free(home);
      home = NULL;
    }
  if (home && jdks->count < PATHS_MOST)
    jdks->homes[jdks->count++] = home;
  else
    free(home);
}

static void add_matching(struct jdks *jdks, const char *pattern)
{
  glob_t found;
  if (glob(pattern, 0, NULL, &found) != 0)
    return;
  for (size_t i = 0; i < found.gl_pathc; i++)
    add_jdk(jdks, found.gl_pathv[i], 1);
  globfree(&found);
}

static void add_from_path(struct jdks *jdks)
{
  const char *path = getenv("PATH");
  char file[4096];
  for (; path && *path; path += *path == ':') {
    size_t length = strcspn(path, ":");
    if ((size_t)snprintf(file, sizeof file, "%.*s/java", (int)length, path) < sizeof file && access(file, X_OK) == 0)
      add_jdk(jdks, file, 2);
    path += length;
  }
}

/* The version in a JDK's file `release`: JAVA_VERSION="17.0.15". 0: unknown. */
static int read_version(const char *home, char version[32])
{
  char path[4096], line[256];
  *version = '\0';
  FILE *file = (size_t)snprintf(path, sizeof path, "%s/release", home) < sizeof path ? fopen(path, "re") : NULL;
  while (file && !*version && fgets(line, sizeof line, file))
    if (sscanf(line, "JAVA_VERSION=\"%31[^\"]", version) != 1)
      *version = '\0';
  if (file)
    fclose(file);
  return atoi(version);
}

bool machine_java_find(char *found, size_t size)
{
  struct jdks jdks = {.count = 0};
  const char *home = getenv("JAVA_HOME");
  char pattern[4096], *agent = sibling_path(SIBLING_AGENT);
  bool installed = agent && access(agent, R_OK) == 0, usable = false;
  size_t length = 0;
  if (home && (size_t)snprintf(pattern, sizeof pattern, "%s/release", home) < sizeof pattern)
    add_jdk(&jdks, pattern, 1);
  add_from_path(&jdks);
  add_matching(&jdks, "/usr/lib/jvm/*/release");
  snprintf(found, size, "none was found");
  for (unsigned i = 0; i < jdks.count; i++) {
    char version[32];
    int number = read_version(jdks.homes[i], version);
    usable |= number >= OLDEST_JAVA;
    if (number > 0 && length < size)
      length += (size_t)snprintf(found + length, size - length, "%s%s", length ? ", " : "", version);
    free(jdks.homes[i]);
  }
  if (!installed)
    snprintf(found, size, "%s is missing", agent ? agent : SIBLING_AGENT);
  free(agent);
  return installed && usable;
}
