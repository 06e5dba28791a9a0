#include "analyzer/trace/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Devices and pipes must not be replaced by a file. */
static bool is_special(const char *path)
{
  struct stat status;
  return stat(path, &status) == 0 && !S_ISREG(status.st_mode);
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
  *output = (struct output){.path = path};
  if (strcmp(path, "-") == 0)
    output->file = stdout;
  else if (is_special(path))
    output->file = fopen(path, "we");
  else
    output->file = open_part(output);
  if (output->file)
    return true;
  error_set(error, "%s: cannot write: %s", path, strerror(errno));
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
