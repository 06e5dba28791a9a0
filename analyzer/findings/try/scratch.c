#include "analyzer/findings/try/scratch.h"

#include "analyzer/findings/try/program_run.h"
#include "base/remove_tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DEPTH_MOST = 64, PIECE = 1 << 16 };

struct copier {
  const char *root;  /* real path of the working directory */
  struct stat apart; /* the directory of the copy: it may be inside of the original */
  uint64_t bytes;
  struct error *error;
};

static bool copy_failed(struct copier *copier, const char *name)
{
  return error_set(copier->error, "%s: cannot copy the working directory: %s; see --in-place", name, strerror(errno));
}

/* False: errno says why. */
static bool copy_bytes(int from, int into)
{
  char piece[PIECE];
  ssize_t got;
  while ((got = read(from, piece, sizeof piece)) > 0)
    for (ssize_t done = 0, put; done < got; done += put)
      if ((put = write(into, piece + done, (size_t)(got - done))) <= 0)
        return false;
  return got == 0;
}

static bool copy_file(struct copier *copier, int from, int to, const char *name, const struct stat *status)
{
  copier->bytes += (uint64_t)status->st_size;
  if (copier->bytes > SCRATCH_MOST)
    return error_set(
        copier->error,
        "the working directory has more than %u MiB, too much to copy: run it elsewhere, or with --in-place",
        (unsigned)(SCRATCH_MOST >> 20));
  int source = openat(from, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
  if (source < 0 && errno == EACCES)
    return true; /* the program can't read it either */
  int copy = source < 0 ? -1 : openat(to, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  const struct timespec times[] = {status->st_atim, status->st_mtim};
  bool good =
      copy >= 0 && copy_bytes(source, copy) && fchmod(copy, status->st_mode & 0777) == 0 && futimens(copy, times) == 0;
  good = good || copy_failed(copier, name);
  if (source >= 0)
    close(source);
  if (copy >= 0)
    close(copy);
  return good;
}

/* A relative link that leads out of the directory would lead elsewhere from the copy. */
static bool copy_link(struct copier *copier, int from, int to, const char *name)
{
  char target[PATH_MAX], path[PATH_MAX], real[PATH_MAX];
  ssize_t length = readlinkat(from, name, target, sizeof target - 1);
  if (length < 0)
    return copy_failed(copier, name);
  target[length] = '\0';
  size_t root = strlen(copier->root);
  bool fits = snprintf(path, sizeof path, "/proc/self/fd/%d/%s", from, name) < (int)sizeof path;
  bool outside = *target != '/' && fits && realpath(path, real) &&
                 (strncmp(real, copier->root, root) != 0 || (real[root] != '/' && real[root] != '\0'));
  return symlinkat(outside ? real : target, to, name) == 0 || copy_failed(copier, name);
}

static bool copy_entries(struct copier *copier, int from, int to, unsigned depth);

static bool copy_directory(struct copier *copier, int from, int to, const char *name, const struct stat *status,
                           unsigned depth)
{
  if (status->st_dev == copier->apart.st_dev && status->st_ino == copier->apart.st_ino)
    return true;
  if (depth == DEPTH_MOST) {
    errno = ELOOP;
    return copy_failed(copier, name);
  }
  int source = openat(from, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), copy = -1;
  if (source < 0 && errno == EACCES)
    return true;
  if (source >= 0 && mkdirat(to, name, 0700) == 0)
    copy = openat(to, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  bool good = copy >= 0 ? copy_entries(copier, source, copy, depth + 1) : copy_failed(copier, name);
  if (copy >= 0)
    close(copy);
  if (source >= 0)
    close(source);
  return good;
}

static bool copy_entry(struct copier *copier, int from, int to, const char *name, unsigned depth)
{
  struct stat status;
  if (fstatat(from, name, &status, AT_SYMLINK_NOFOLLOW) != 0)
    return errno == ENOENT || copy_failed(copier, name);
  if (S_ISDIR(status.st_mode))
    return copy_directory(copier, from, to, name, &status, depth);
  if (S_ISLNK(status.st_mode))
    return copy_link(copier, from, to, name);
  return !S_ISREG(status.st_mode) || copy_file(copier, from, to, name, &status);
}

static bool copy_entries(struct copier *copier, int from, int to, unsigned depth)
{
  int again = dup(from);
  DIR *list = again < 0 ? NULL : fdopendir(again);
  if (!list) {
    if (again >= 0)
      close(again);
    return copy_failed(copier, ".");
  }
  bool good = true;
  const struct dirent *entry;
  while (good && (entry = readdir(list)))
    if (program_is_interrupted(copier->error))
      good = false;
    else if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
      good = copy_entry(copier, from, to, entry->d_name, depth);
  closedir(list);
  return good;
}

static bool copy_here(const struct scratch *scratch, const char *into, struct error *error)
{
  char root[PATH_MAX];
  struct copier copier = {.root = root, .error = error};
  if (!getcwd(root, sizeof root) || stat(scratch->path, &copier.apart) != 0 || mkdir(into, 0700) != 0)
    return copy_failed(&copier, ".");
  int from = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  int to = open(into, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  bool good = from >= 0 && to >= 0 ? copy_entries(&copier, from, to, 0) : copy_failed(&copier, ".");
  if (from >= 0)
    close(from);
  if (to >= 0)
    close(to);
  return good;
}

bool scratch_make(struct scratch *scratch, bool in_place, struct error *error)
{
  const char *temporary = getenv("TMPDIR");
  if (!temporary || *temporary != '/')
    temporary = "/tmp";
  int length = snprintf(scratch->path, sizeof scratch->path, "%s/heddle-try-XXXXXX", temporary);
  if (length >= (int)sizeof scratch->path || !mkdtemp(scratch->path)) {
    error_set(error, "%s: cannot be created: %s; set TMPDIR to another directory", temporary, strerror(errno));
    *scratch->path = '\0';
    return false;
  }
  if (in_place)
    return getcwd(scratch->work, sizeof scratch->work) ||
           error_set(error, "the working directory: %s", strerror(errno));
  snprintf(scratch->work, sizeof scratch->work, "%s/work", scratch->path);
  return copy_here(scratch, scratch->work, error);
}

char *scratch_copy(const struct scratch *scratch, const char *name, struct error *error)
{
  char *path = NULL;
  if (asprintf(&path, "%s/%s", scratch->path, name) < 0) {
    error_set(error, "out of memory");
    return NULL;
  }
  if (copy_here(scratch, path, error))
    return path;
  free(path);
  return NULL;
}

void scratch_remove(struct scratch *scratch)
{
  if (*scratch->path && !remove_tree(AT_FDCWD, scratch->path, DEPTH_MOST + 4))
    fprintf(stderr, "heddle: %s: cannot be removed: %s\n", scratch->path, strerror(errno));
  *scratch->path = '\0';
}
