#include "analyzer/exchange/mcp/served.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DEPTH_MOST = 16, ENTRIES_MOST = 1000000, LIST_DEPTH = 4, LIST_MOST = 200 };

bool served_add(struct served *served, const char *directory, struct error *error)
{
  struct stat status;
  char *real = realpath(directory, NULL);
  if (!real)
    return error_set(error, "%s: cannot open: %s", directory, strerror(errno));
  if (served->count == SERVED_MOST || stat(real, &status) != 0 || !S_ISDIR(status.st_mode)) {
    free(real);
    return served->count == SERVED_MOST ? error_set(error, "%s: more than %u directories", directory, SERVED_MOST)
                                        : error_set(error, "%s: is not a directory", directory);
  }
  served->roots[served->count++] = real;
  return true;
}

void served_free(struct served *served)
{
  for (unsigned i = 0; i < served->count; i++)
    free(served->roots[i]);
  served->count = 0;
}

static bool is_below(const char *root, const char *path)
{
  size_t length = strlen(root);
  return strncmp(path, root, length) == 0 &&
         (path[length] == '\0' || path[length] == '/' || (length > 0 && root[length - 1] == '/'));
}

static bool is_served(const struct served *served, const char *real)
{
  for (unsigned i = 0; i < served->count; i++)
    if (is_below(served->roots[i], real))
      return true;
  return false;
}

/* Whether a link leads to a place that is served; a link to nothing does no harm. */
static bool link_stays(const struct served *served, int directory, const char *name)
{
  char path[PATH_MAX];
  if (snprintf(path, sizeof path, "/proc/self/fd/%d/%s", directory, name) >= (int)sizeof path)
    return false;
  char *real = realpath(path, NULL);
  bool stays = real ? is_served(served, real) : errno == ENOENT;
  free(real);
  return stays;
}

/* Whether all links in the directory, at any depth, stay. */
static bool links_stay(const struct served *served, int fd, unsigned depth, unsigned *entries)
{
  DIR *list = fdopendir(fd);
  if (!list) {
    close(fd);
    return false;
  }
  bool good = true;
  const struct dirent *entry;
  while (good && (entry = readdir(list))) {
    struct stat status;
    if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
      continue;
    if (++*entries > ENTRIES_MOST || fstatat(dirfd(list), entry->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0) {
      good = false;
    } else if (S_ISLNK(status.st_mode)) {
      good = link_stays(served, dirfd(list), entry->d_name);
    } else if (S_ISDIR(status.st_mode)) {
      int below = openat(dirfd(list), entry->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
      good = depth < DEPTH_MOST && below >= 0 && links_stay(served, below, depth + 1, entries);
    }
  }
  closedir(list);
  return good;
}

/* The real path of `path` in `root`. NULL: there is none, or it is not served. */
static char *find_in(const struct served *served, const char *root, const char *path)
{
  char *whole = NULL, *real = NULL;
  if (*path == '/')
    real = realpath(path, NULL);
  else if (asprintf(&whole, "%s/%s", root, path) >= 0)
    real = realpath(whole, NULL);
  free(whole);
  if (real && is_served(served, real))
    return real;
  free(real);
  return NULL;
}

char *served_find(const struct served *served, const char *path, struct error *error)
{
  char *real = NULL;
  for (unsigned i = 0; i < served->count && !real; i++)
    real = find_in(served, served->roots[i], path);
  if (!real) {
    error_set(error, "%s: there is no such directory below the directories of heddle mcp", path);
    return NULL;
  }
  unsigned entries = 0;
  int fd = open(real, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0)
    error_set(error, "%s: is not a directory; name the trace's directory", path);
  else if (!links_stay(served, fd, 0, &entries))
    error_set(error, "%s: has links that lead elsewhere, or too many files", path);
  else
    return real;
  free(real);
  return NULL;
}

/* The list as it grows. */
struct listing {
  FILE *into;
  unsigned count;
};

static bool is_archive(int fd)
{
  struct stat status;
  return fstatat(fd, "traces.otf2", &status, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(status.st_mode);
}

static void list_below(struct listing *listing, int fd, const char *path, unsigned depth)
{
  if (is_archive(fd)) {
    if (listing->count++ < LIST_MOST)
      fprintf(listing->into, "%s\n", path);
    close(fd);
    return;
  }
  DIR *list = fdopendir(fd);
  if (!list) {
    close(fd);
    return;
  }
  const struct dirent *entry;
  while (depth < LIST_DEPTH && listing->count <= LIST_MOST && (entry = readdir(list))) {
    int below = *entry->d_name == '.' ? -1 : openat(fd, entry->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    char *name = NULL;
    if (below >= 0 && asprintf(&name, "%s/%s", path, entry->d_name) >= 0)
      list_below(listing, below, name, depth + 1);
    else if (below >= 0)
      close(below);
    free(name);
  }
  closedir(list);
}

char *served_list(const struct served *served)
{
  char *text = NULL;
  size_t size;
  struct listing listing = {.into = open_memstream(&text, &size)};
  if (!listing.into)
    return NULL;
  for (unsigned i = 0; i < served->count; i++) {
    int fd = open(served->roots[i], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0)
      list_below(&listing, fd, served->roots[i], 0);
  }
  if (listing.count == 0)
    fputs("no archive is there\n", listing.into);
  else if (listing.count > LIST_MOST)
    fprintf(listing.into, "... and more than %u\n", LIST_MOST);
  return fclose(listing.into) == 0 ? text : NULL;
}
