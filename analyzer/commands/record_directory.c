#include "analyzer/commands/record_directory.h"

#include "analyzer/options/command.h"
#include "base/count_of.h"
#include "common/kernel_log.h"

#include <dirent.h>
#include <errno.h>
#include <ftw.h>
#include <hwloc.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* The parts of a trace; nothing else in the directory is ever changed. */
static const char *const record_directory_parts[] = {"traces.otf2", "traces.def",         "traces",
                                                     "raw",         KERNEL_LOG_DIRECTORY, "topology.xml"};
#define PARTS COUNT_OF(record_directory_parts)

static char *inside(const struct record_directory *directory, const char *name)
{
  char *path = NULL;
  return asprintf(&path, "%s/%s", directory->path, name) < 0 ? NULL : path;
}

static char *default_name(const char *program)
{
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  const char *slash = strrchr(program, '/');
  char *name = NULL;
  if (asprintf(&name, "heddle-%s-%" PRId64 "-%d", slash ? slash + 1 : program, (int64_t)now.tv_sec, (int)getpid()) < 0)
    return NULL;
  return name;
}

/* Creates the parents of the directory. False: errno says why. */
static bool make_parents(struct record_directory *directory)
{
  char *path = directory->shown;
  for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
    *slash = '\0';
    bool made = mkdir(path, 0777) == 0;
    *slash = '/';
    if (!made && errno != EEXIST)
      return false;
    if (!made)
      directory->kept = (size_t)(slash - path);
  }
  return true;
}

/* Removes the empty directories that make_parents() created, the innermost first. */
static void remove_parents(const struct record_directory *directory)
{
  char *path = strdup(directory->shown);
  for (char *slash; path && (slash = strrchr(path, '/')) && (size_t)(slash - path) > directory->kept;) {
    *slash = '\0';
    if (rmdir(path) != 0)
      break;
  }
  free(path);
}

static int record_directory_remove_entry(const char *path, const struct stat *status, int type, struct FTW *where)
{
  (void)status;
  (void)type;
  (void)where;
  return remove(path);
}

/* The name of the first part that exists, or NULL. topology.xml alone is no trace. */
static const char *find_trace(const struct record_directory *directory)
{
  const char *found = NULL;
  for (size_t i = 0; i + 1 < PARTS && !found; i++) {
    char *path = inside(directory, record_directory_parts[i]);
    if (path && access(path, F_OK) == 0)
      found = record_directory_parts[i];
    free(path);
  }
  return found;
}

static bool remove_trace(const struct record_directory *directory)
{
  for (size_t i = 0; i < PARTS; i++) {
    char *path = inside(directory, record_directory_parts[i]);
    bool good = path && (nftw(path, record_directory_remove_entry, 16, FTW_DEPTH | FTW_PHYS) == 0 || errno == ENOENT);
    if (!good)
      command_error(directory->command, "%s/%s: cannot remove: %s", directory->shown, record_directory_parts[i],
                    strerror(errno));
    free(path);
    if (!good)
      return false;
  }
  return true;
}

/* Errors are ignored: an archive without a topology is still an archive. */
static void write_topology(const struct record_directory *directory)
{
  hwloc_topology_t topology;
  char *path = inside(directory, "topology.xml");
  /* With a limit on the size of files, a write then fails instead of killing this process. */
  void (*kept)(int) = signal(SIGXFSZ, SIG_IGN);
  if (path && hwloc_topology_init(&topology) == 0) {
    if (hwloc_topology_load(topology) == 0 && hwloc_topology_export_xml(topology, path, 0) != 0)
      unlink(path);
    hwloc_topology_destroy(topology);
  }
  free(path);
  signal(SIGXFSZ, kept);
}

static bool take_directory(struct record_directory *directory)
{
  if (!make_parents(directory) || (mkdir(directory->shown, 0777) != 0 && errno != EEXIST)) {
    command_error(directory->command, "%s: cannot create: %s; choose another directory with -o DIR", directory->shown,
                  strerror(errno));
    return false;
  }
  return true;
}

bool record_directory_make(struct record_directory *directory, const char *wanted, const char *program, bool force)
{
  directory->shown = wanted ? strdup(wanted) : default_name(program);
  if (!directory->shown) {
    command_error(directory->command, "out of memory");
    return false;
  }
  struct stat status;
  directory->created = stat(directory->shown, &status) != 0;
  if (!take_directory(directory))
    return false;
  errno = 0;
  directory->path = realpath(directory->shown, NULL);
  if (!directory->path || stat(directory->path, &status) != 0 || access(directory->path, W_OK | X_OK) != 0 ||
      !S_ISDIR(status.st_mode)) {
    bool is_file = directory->path && !S_ISDIR(status.st_mode);
    command_error(directory->command, "%s: cannot write: %s; choose another directory with -o DIR", directory->shown,
                  is_file ? "it is not a directory" : strerror(errno));
    return false;
  }
  const char *found = find_trace(directory);
  if (found && !force) {
    command_error(directory->command, "%s already holds a trace (%s); --force replaces it", directory->shown, found);
    return false;
  }
  if (found && !remove_trace(directory))
    return false;
  write_topology(directory);
  return true;
}

char *record_directory_name(const char *wanted, const char *program)
{
  char *name = wanted ? strdup(wanted) : default_name(program), *absolute = NULL;
  char here[PATH_MAX];
  if (!name || name[0] == '/' || !getcwd(here, sizeof here))
    return name;
  if (asprintf(&absolute, "%s/%s", strcmp(here, "/") == 0 ? "" : here, name) < 0)
    absolute = NULL;
  free(name);
  return absolute;
}

char *record_directory_of_kernel(const struct record_directory *directory)
{
  return inside(directory, KERNEL_LOG_DIRECTORY);
}

bool record_directory_has_raw(const struct record_directory *directory)
{
  char *path = inside(directory, "raw");
  DIR *entries = path ? opendir(path) : NULL;
  bool found = false;
  for (struct dirent *entry; entries && !found && (entry = readdir(entries));)
    found = entry->d_name[0] != '.';
  if (entries)
    closedir(entries);
  free(path);
  return found;
}

void record_directory_drop(const struct record_directory *directory)
{
  char *topology = inside(directory, "topology.xml");
  char *raw = inside(directory, "raw");
  if (topology)
    unlink(topology);
  char *kernel = inside(directory, KERNEL_LOG_DIRECTORY);
  if (raw)
    rmdir(raw);
  if (kernel)
    nftw(kernel, record_directory_remove_entry, 16, FTW_DEPTH | FTW_PHYS);
  free(kernel);
  if (directory->created && rmdir(directory->path) == 0)
    remove_parents(directory);
  free(topology);
  free(raw);
}

void record_directory_free(struct record_directory *directory)
{
  free(directory->path);
  free(directory->shown);
}
