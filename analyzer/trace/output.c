#include "analyzer/trace/output.h"

#include "analyzer/trace/stream.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdatomic.h>
#include <stdio.h>
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

/* A named pipe of another user: its creator reads it. */
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

struct spool {
  int descriptor;
  _Atomic uint64_t size;
  _Atomic int why; /* errno of the last failed write */
  char *folder;
};

/* A file system may not know nameless files: then the file has a name that is removed at once. */
static int open_nameless(const char *folder)
{
  int descriptor = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  char *path = NULL;
  if (descriptor >= 0 || asprintf(&path, "%s/heddle.XXXXXX", folder) < 0)
    return descriptor;
  descriptor = mkostemp(path, O_CLOEXEC);
  if (descriptor >= 0)
    unlink(path);
  free(path);
  return descriptor;
}

struct spool *spool_create(struct error *error)
{
  const char *folder = getenv("TMPDIR");
  struct spool *spool = calloc(1, sizeof *spool);
  if (spool)
    spool->folder = strdup(folder && *folder ? folder : "/var/tmp");
  if (!spool || !spool->folder) {
    free(spool);
    error_set(error, "out of memory");
    return NULL;
  }
  spool->descriptor = open_nameless(spool->folder);
  if (spool->descriptor >= 0)
    return spool;
  spool->why = errno;
  spool_fail(spool, error);
  spool_destroy(spool);
  return NULL;
}

void spool_destroy(struct spool *spool)
{
  if (!spool)
    return;
  if (spool->descriptor >= 0)
    close(spool->descriptor);
  free(spool->folder);
  free(spool);
}

bool spool_append(struct spool *spool, const void *bytes, size_t size, uint64_t *offset)
{
  *offset = atomic_fetch_add(&spool->size, size);
  reading_cost_add_written(size);
  for (size_t done = 0; done < size;) {
    ssize_t count = pwrite(spool->descriptor, (const char *)bytes + done, size - done, (off_t)(*offset + done));
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0) {
      spool->why = count < 0 ? errno : EIO;
      return false;
    }
    done += (size_t)count;
  }
  return true;
}

bool spool_read(const struct spool *spool, uint64_t offset, void *bytes, size_t size)
{
  reading_cost_add_read(size);
  for (size_t done = 0; done < size;) {
    ssize_t count = pread(spool->descriptor, (char *)bytes + done, size - done, (off_t)(offset + done));
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      return false;
    done += (size_t)count;
  }
  return true;
}

uint64_t spool_size(const struct spool *spool)
{
  return spool->size;
}

bool spool_fail(const struct spool *spool, struct error *error)
{
  int why = spool->why;
  return error_set(error, "%s: cannot write or read a temporary file: %s; set TMPDIR to a directory with room",
                   spool->folder, strerror(why ? why : EIO));
}
