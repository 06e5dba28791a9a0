#include "analyzer/record/launch/live_process.h"

#include "base/count_of.h"

#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The file that the recorder keeps mapped from begin to end, and the files that exist where the file system has no
 * locks. */
static const char *const mapped_files[] = {"/process", "/control", "/windows"};

static bool is_pid(const char *text, long *pid)
{
  char *end;
  errno = 0;
  *pid = strtol(text, &end, 10);
  return *text >= '0' && *text <= '9' && !*end && !errno && *pid > 0 && *pid <= INT32_MAX;
}

/* Cuts the path of a file in a raw directory after the directory's name. False: it is another file. */
static bool cut_to_directory(char *path)
{
  char *slash = strrchr(path, '/');
  bool known = false;
  for (size_t i = 0; i < COUNT_OF(mapped_files); i++)
    known |= slash && !strcmp(slash, mapped_files[i]);
  if (!known || slash == path)
    return false;
  *slash = '\0';
  char *name = strrchr(path, '/');
  return name && name - path > 4 && !strncmp(name - 4, "/raw", 4);
}

/*
 * The directory below `root`, in which the mapped file has this inode (ANY_INODE: any). NULL: it is not there, or there
 * is no memory.
 */
#define ANY_INODE 0
static char *directory_below(const char *root, const char *directory, const char *file, unsigned long inode)
{
  struct stat status;
  char *path, *found = NULL;
  if (asprintf(&path, "%s%s%s", root, directory, file) < 0)
    return NULL;
  if (lstat(path, &status) == 0 && S_ISREG(status.st_mode) && (inode == ANY_INODE || status.st_ino == inode)) {
    path[strlen(path) - strlen(file)] = '\0';
    found = strdup(path);
  }
  free(path);
  return found;
}

/* One line of /proc/PID/maps. NULL: it is about something else. */
static char *directory_of_line(char *line, const char *root)
{
  unsigned long inode;
  int at = 0;
  line[strcspn(line, "\n")] = '\0';
  if (sscanf(line, "%*s %*s %*s %*s %lu %n", &inode, &at) != 1 || line[at] != '/')
    return NULL;
  char *path = line + at, file[16];
  snprintf(file, sizeof file, "%s", strrchr(path, '/'));
  if (!cut_to_directory(path))
    return NULL;
  /* A file of several layers may have another inode than the layer's. Its directory's name is no other's. */
  char *found = directory_below("", path, file, inode);
  if (!found)
    found = directory_below(root, path, file, inode);
  return found ? found : directory_below(root, path, file, ANY_INODE);
}

static char *find_mapped(FILE *maps, long pid)
{
  char root[48], *line = NULL, *found = NULL;
  size_t size = 0;
  snprintf(root, sizeof root, "/proc/%ld/root", pid);
  while (!found && getline(&line, &size, maps) > 0)
    found = directory_of_line(line, root);
  free(line);
  return found;
}

static FILE *open_maps(long pid, struct error *error)
{
  char path[48];
  struct stat status;
  snprintf(path, sizeof path, "/proc/%ld", pid);
  if (stat(path, &status) != 0) {
    error_set(error, "there is no process %ld", pid);
    return NULL;
  }
  snprintf(path, sizeof path, "/proc/%ld/maps", pid);
  FILE *maps = geteuid() == 0 || status.st_uid == geteuid() ? fopen(path, "re") : NULL;
  if (!maps && geteuid() != 0 && status.st_uid != geteuid())
    error_set(error, "process %ld belongs to another user; ask as its owner", pid);
  else if (!maps)
    error_set(error, "cannot look at process %ld: %s", pid, strerror(errno));
  return maps;
}

bool live_process_find(const char *text, struct live_process *process, struct error *error)
{
  long pid;
  *process = (struct live_process){0};
  if (!is_pid(text, &pid))
    return error_set(error, "%s is not a process id", text);
  FILE *maps = open_maps(pid, error);
  if (!maps)
    return false;
  char *directory = find_mapped(maps, pid);
  fclose(maps);
  if (!directory)
    return error_set(error, "process %ld does not record: start it with `heddle record --live PROGRAM`", pid);
  char *trace = strdup(directory);
  if (!trace) {
    free(directory);
    return error_set(error, "out of memory");
  }
  *strrchr(trace, '/') = '\0';
  *strrchr(trace, '/') = '\0';
  *process = (struct live_process){pid, trace, directory};
  return true;
}

void live_process_free(struct live_process *process)
{
  free(process->trace);
  free(process->directory);
  *process = (struct live_process){0};
}
