#include "analyzer/trace/spool.h"

#include "analyzer/trace/reading_cost.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
