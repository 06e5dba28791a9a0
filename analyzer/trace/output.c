#include "analyzer/trace/output.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

/* Devices and pipes must not be replaced by a file. A link of another user's is replaced, and never followed. */
static bool is_special(const char *path)
{
  struct stat status;
  if (lstat(path, &status) != 0 || (S_ISLNK(status.st_mode) && status.st_uid != geteuid() && status.st_uid != 0))
    return false;
  return stat(path, &status) == 0 && !S_ISREG(status.st_mode);
}

/* A named pipe of another user's: it is read by whoever made it. */
static bool is_foreign_pipe(const struct stat *status, int descriptor)
{
  struct statfs system;
  return S_ISFIFO(status->st_mode) && status->st_uid != geteuid() &&
         (fstatfs(descriptor, &system) != 0 || system.f_type != PIPEFS_MAGIC);
}

/* Waits for a reader of a pipe. *why: the reason where errno has none. */
static FILE *open_special(const char *path, const char **why)
{
  struct stat status;
  int descriptor = -1;
  if (lstat(path, &status) == 0 && S_ISFIFO(status.st_mode) && status.st_uid != geteuid())
    *why = "it is a pipe of another user's";
  else
    descriptor = open(path, O_WRONLY | O_CLOEXEC);
  if (descriptor < 0)
    return NULL;
  if (fstat(descriptor, &status) != 0 || S_ISREG(status.st_mode) || is_foreign_pipe(&status, descriptor)) {
    *why = S_ISREG(status.st_mode) ? "it has changed meanwhile" : "it is a pipe of another user's";
    close(descriptor);
    return NULL;
  }
  return fdopen(descriptor, "w");
}

static FILE *open_part(struct output *output)
{
  if (asprintf(&output->part, "%s.XXXXXX", output->path) < 0) {
    output->part = NULL;
    errno = ENOMEM;
    return NULL;
  }
  int descriptor = mkostemp(output->part, O_CLOEXEC);
  if (descriptor < 0)
    return NULL;
  mode_t mask = umask(0);
  umask(mask);
  fchmod(descriptor, 0666 & ~mask);
  return fdopen(descriptor, "w");
}

bool output_open(struct output *output, const char *path, struct error *error)
{
  const char *why = NULL;
  *output = (struct output){.path = path};
  if (strcmp(path, "-") == 0)
    output->file = stdout;
  else if (is_special(path))
    output->file = open_special(path, &why);
  else
    output->file = open_part(output);
  if (output->file)
    return true;
  error_set(error, "%s: cannot write: %s", path, why ? why : strerror(errno));
  free(output->part);
  output->part = NULL;
  return false;
}

bool output_close(struct output *output, bool good, struct error *error)
{
  errno = 0;
  bool written = fflush(output->file) == 0 && !ferror(output->file);
  if (output->file != stdout && fclose(output->file) != 0)
    written = false;
  if (good && written && output->part && rename(output->part, output->path) != 0)
    written = false;
  if (good && !written)
    error_set(error, "%s: cannot write: %s", output->path, strerror(errno ? errno : EIO));
  if (output->part && !(good && written))
    unlink(output->part);
  free(output->part);
  return good && written;
}
