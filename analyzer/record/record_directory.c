#include "analyzer/record/record_directory.h"

#include "analyzer/command/command.h"
#include "analyzer/record/job.h"
#include "base/count_of.h"
#include "base/hash.h"
#include "base/remove_tree.h"
#include "common/process/own_directory.h"
#include "common/raw/kernel_log.h"

#include <dirent.h>
#include <errno.h>
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
#define TOPOLOGY "topology.xml"
static const char *const record_directory_parts[] = {"traces.otf2", "traces.def",         "traces",
                                                     "raw",         KERNEL_LOG_DIRECTORY, TOPOLOGY};
#define PARTS       COUNT_OF(record_directory_parts)
#define PARTS_DEPTH 16u /* directories in directories */
#define NAMES_MOST  100 /* tries of new names */

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

/* The same name for all ranks of a job. */
static char *job_name(const struct job *job, const char *program)
{
  const char *slash = strrchr(program, '/');
  uint64_t sum = 0;
  char *name = NULL;
  for (const char *at = job->identity; *at; at++)
    sum = hash_mix(sum ^ (unsigned char)*at);
  if (asprintf(&name, "heddle-%s-job-%012" PRIx64, slash ? slash + 1 : program, sum >> 16) < 0)
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

/* The name of the first part that exists, or NULL. topology.xml alone is no trace. */
static const char *find_trace(const struct record_directory *directory)
{
  for (size_t i = 0; i + 1 < PARTS; i++)
    if (faccessat(directory->fd, record_directory_parts[i], F_OK, AT_SYMLINK_NOFOLLOW) == 0)
      return record_directory_parts[i];
  return NULL;
}

static bool remove_trace(const struct record_directory *directory)
{
  for (size_t i = 0; i < PARTS; i++)
    if (!remove_tree(directory->fd, record_directory_parts[i], PARTS_DEPTH)) {
      command_error(directory->command, "%s/%s: cannot remove: %s", directory->shown, record_directory_parts[i],
                    strerror(errno));
      return false;
    }
  return true;
}

/* Errors are ignored: an archive without a topology is still an archive. */
static void write_topology(const struct record_directory *directory)
{
  hwloc_topology_t topology;
  char *xml;
  int size; /* with the zero at the end */
  if (hwloc_topology_init(&topology) == 0) {
    if (hwloc_topology_load(topology) == 0 && hwloc_topology_export_xmlbuffer(topology, &xml, &size, 0) == 0) {
      own_file_put(directory->fd, TOPOLOGY, 0666, xml, (size_t)size - 1);
      hwloc_free_xmlbuffer(topology, xml);
    }
    hwloc_topology_destroy(topology);
  }
}

/* Makes a directory `shown` that nothing has the name of: else with other characters at its end. -1: errno says why. */
static int make_new(struct record_directory *directory, int at, const char *name)
{
  char random[OWN_RANDOM + 1], *other = NULL;
  const char *below = directory->below ? directory->below : "";
  int made = -1;
  for (int tries = 0; tries < NAMES_MOST; tries++) {
    own_random(random);
    free(other);
    if (asprintf(&other, "%s%s%s", name, tries > 0 ? "-" : "", tries > 0 ? random : "") < 0) {
      errno = ENOMEM;
      return -1;
    }
    made = mkdirat(at, other, OWN_DIRECTORY_MODE);
    if (made == 0 || errno != EEXIST)
      break;
  }
  free(directory->shown);
  if (asprintf(&directory->shown, "%s%s%s", below, *below ? "/" : "", other) < 0)
    directory->shown = NULL;
  directory->created = made == 0;
  free(other);
  return directory->shown ? made : -1;
}

/* A rank that ends before MPI_Init would keep the others waiting for it: a full disk costs the recording, not the job.
 */
static bool refuse(struct record_directory *directory, const char *what, const char *why)
{
  directory->full = directory->job && !why && (errno == ENOSPC || errno == EDQUOT);
  if (directory->full)
    command_error(directory->command, "%s: cannot %s: %s; rank %u is not recorded", directory->shown, what,
                  strerror(errno), directory->job->rank);
  else
    command_error(directory->command, "%s: cannot %s: %s; choose another directory with -o DIR", directory->shown, what,
                  why ? why : strerror(errno));
  return false;
}

/* A new one in `shown`, which exists and stays whose it is. */
static bool take_below(struct record_directory *directory, const char *program)
{
  const char *why;
  int at = own_directory_open(AT_FDCWD, directory->shown, &why);
  if (at < 0)
    return refuse(directory, "write", why);
  char *name = default_name(program);
  directory->below = directory->shown;
  directory->shown = NULL;
  bool good = name && make_new(directory, at, name) == 0;
  if (good)
    directory->fd = own_directory_open(at, strrchr(directory->shown, '/') + 1, &why);
  close(at);
  free(name);
  if (!good && !directory->shown)
    return false;
  return directory->fd >= 0 || refuse(directory, good ? "write" : "create", why);
}

/* Makes or takes the directory `shown`, and opens it. */
static bool take_directory(struct record_directory *directory, bool wanted, const char *program)
{
  const char *why;
  bool good = make_parents(directory);
  if (good && !wanted) {
    char *name = strdup(directory->shown);
    good = name && make_new(directory, AT_FDCWD, name) == 0;
    free(name);
  } else if (good) {
    directory->created = mkdir(directory->shown, OWN_DIRECTORY_MODE) == 0;
    good = directory->created || errno == EEXIST;
    if (good && !directory->created && directory->never_taken)
      return take_below(directory, program);
  }
  if (!good)
    return refuse(directory, "create", NULL);
  directory->fd = own_directory_open(AT_FDCWD, directory->shown, &why);
  return directory->fd >= 0 || refuse(directory, "write", why);
}

/* Its absolute path, for callers that can't have the descriptor. */
static char *path_of(const struct record_directory *directory)
{
  char link[40], path[PATH_MAX];
  snprintf(link, sizeof link, "/proc/self/fd/%d", directory->fd);
  ssize_t n = readlink(link, path, sizeof path);
  return n > 0 && n < PATH_MAX && path[0] == '/' ? strndup(path, (size_t)n) : realpath(directory->shown, NULL);
}

/* Takes it for this recording alone. */
static bool take_alone(struct record_directory *directory, bool force)
{
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

/* Takes it together with the other ranks of the job. */
static bool take_together(struct record_directory *directory, bool force)
{
  enum job_joined joined = job_look(directory->job, directory->fd);
  bool good = joined == JOB_SAME;
  if (joined == JOB_OTHER)
    command_error(directory->command, "%s: another job still records into it; choose another directory with -o DIR",
                  directory->shown);
  else if (joined == JOB_FIRST)
    good =
        take_alone(directory, force) && (job_begin(directory->job, directory->fd) || refuse(directory, "write", NULL));
  if (good && (directory->job_file = job_join(directory->job, directory->fd)) < 0) {
    good = refuse(directory, "write", NULL);
    if (joined == JOB_FIRST)
      job_end(directory->fd);
  }
  job_leave_lock(directory->fd);
  return good;
}

static void do_nothing(int number)
{
  (void)number;
}

/* A write beyond the limit of files' size then fails, and kills nobody. A handler, for exec resets it: the program has
 * what this process was started with. */
static void survive_file_limit(void)
{
  struct sigaction before;
  if (sigaction(SIGXFSZ, NULL, &before) == 0 && before.sa_handler == SIG_DFL)
    sigaction(SIGXFSZ, &(struct sigaction){.sa_handler = do_nothing, .sa_flags = SA_RESTART}, NULL);
}

bool record_directory_make(struct record_directory *directory, const char *wanted, const char *program, bool force)
{
  survive_file_limit();
  directory->fd = directory->job_file = -1;
  directory->shown = wanted           ? strdup(wanted)
                     : directory->job ? job_name(directory->job, program)
                                      : default_name(program);
  for (size_t n = directory->shown ? strlen(directory->shown) : 0; n > 1 && directory->shown[n - 1] == '/'; n--)
    directory->shown[n - 1] = '\0';
  if (!directory->shown) {
    command_error(directory->command, "out of memory");
    return false;
  }
  if (!take_directory(directory, wanted != NULL || directory->job != NULL, program))
    return false;
  directory->path = path_of(directory);
  if (!directory->path || faccessat(directory->fd, ".", W_OK | X_OK, 0) != 0)
    return refuse(directory, "write", NULL);
  return directory->job ? take_together(directory, force) : take_alone(directory, force);
}

/* True if it has the topology alone. */
static bool is_empty(const struct record_directory *directory)
{
  int copy = openat(directory->fd, ".", OWN_DIRECTORY_FLAGS);
  DIR *entries = copy < 0 ? NULL : fdopendir(copy);
  bool empty = entries != NULL;
  for (const struct dirent *entry; empty && (entry = readdir(entries));)
    empty = entry->d_name[0] == '.' || strcmp(entry->d_name, TOPOLOGY) == 0 ||
            strcmp(entry->d_name, KERNEL_LOG_DIRECTORY) == 0;
  if (entries)
    closedir(entries);
  else if (copy >= 0)
    close(copy);
  return empty;
}

bool record_directory_give(struct record_directory *directory, uid_t user, gid_t group)
{
  errno = EPERM;
  directory->given = directory->created && is_empty(directory) && fchown(directory->fd, user, group) == 0;
  return directory->given;
}

char *record_directory_new(const char *command, const char *program)
{
  struct record_directory directory = {.command = command, .fd = -1, .shown = default_name(program)};
  char *path = NULL;
  if (directory.shown && take_directory(&directory, false, program))
    path = path_of(&directory);
  record_directory_free(&directory);
  return path;
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

bool record_directory_has_raw(const struct record_directory *directory)
{
  int raw = openat(directory->fd, "raw", OWN_DIRECTORY_FLAGS);
  DIR *entries = raw < 0 ? NULL : fdopendir(raw);
  bool found = false;
  for (struct dirent *entry; entries && !found && (entry = readdir(entries));)
    found = entry->d_name[0] != '.';
  if (entries)
    closedir(entries);
  return found;
}

bool record_directory_was_tried(const struct record_directory *directory)
{
  return faccessat(directory->fd, "raw", F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

/* True if the path still leads to the open directory. */
static bool is_in_place(const struct record_directory *directory)
{
  struct stat open, there;
  return fstat(directory->fd, &open) == 0 && lstat(directory->path, &there) == 0 && open.st_dev == there.st_dev &&
         open.st_ino == there.st_ino;
}

void record_directory_drop(const struct record_directory *directory)
{
  if (directory->fd < 0)
    return;
  if (directory->given && fchown(directory->fd, geteuid(), getegid()) == 0)
    remove_tree(directory->fd, "raw", PARTS_DEPTH);
  else
    unlinkat(directory->fd, "raw", AT_REMOVEDIR);
  if (directory->job)
    job_end(directory->fd);
  remove_tree(directory->fd, TOPOLOGY, 0);
  remove_tree(directory->fd, KERNEL_LOG_DIRECTORY, PARTS_DEPTH);
  if (directory->created && is_in_place(directory) && rmdir(directory->path) == 0)
    remove_parents(directory);
}

void record_directory_free(struct record_directory *directory)
{
  if (directory->fd >= 0)
    close(directory->fd);
  if (directory->job && directory->job_file >= 0)
    close(directory->job_file);
  free(directory->path);
  free(directory->shown);
  free(directory->below);
}
