#include "common/process/diag.h"

#include "common/process/kept_file.h"
#include "common/process/text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Standard error at the begin. */
static struct {
  bool known;
  dev_t device;
  ino_t inode;
} standard_error;

void diag_begin(void)
{
  struct stat status;
  if (fstat(STDERR_FILENO, &status) != 0)
    return;
  standard_error.known = true;
  standard_error.device = status.st_dev;
  standard_error.inode = status.st_ino;
}

/*
 * A program that has closed standard error may have a file of its own there, where messages do not belong. A message
 * beyond the limit of a file's size would kill the program, or its part would be joined to the next line.
 */
static bool may_say(size_t n)
{
  struct stat status;
  if (fstat(STDERR_FILENO, &status) != 0)
    return false;
  if (!S_ISREG(status.st_mode))
    return true;
  bool same = standard_error.known && status.st_dev == standard_error.device && status.st_ino == standard_error.inode;
  if (!same && !(fcntl(STDERR_FILENO, F_GETFL) & O_APPEND))
    return false;
  off_t at = lseek(STDERR_FILENO, 0, SEEK_CUR);
  uint64_t end = (uint64_t)status.st_size > (uint64_t)at ? (uint64_t)status.st_size : (uint64_t)at;
  return file_limit_allows(end + n);
}

void diag_say(const char *part, ...)
{
  int kept = errno;
  char line[1024];
  struct text text = TEXT_OVER(line);
  text_add(&text, "heddle: ");
  va_list parts;
  va_start(parts, part);
  for (; part; part = va_arg(parts, const char *))
    text_add_escaped(&text, part, strlen(part));
  va_end(parts);
  if (text.used > sizeof line - 2)
    text.used = sizeof line - 2;
  line[text.used++] = '\n';
  if (may_say(text.used)) {
    struct file_limit_guard guard;
    file_limit_guard_begin(&guard);
    /* Nobody can be informed if stderr can't be written. */
    bool exceeded = write(STDERR_FILENO, line, text.used) < 0 && errno == EFBIG;
    file_limit_guard_end(&guard, exceeded);
  }
  errno = kept;
}

const char *diag_reason(int error)
{
  switch (error) {
  case ENOSPC:
    return "no space left on the device";
  case EDQUOT:
    return "disk quota exceeded";
  case EFBIG:
    return "file size limit reached (ulimit -f)";
  case EACCES:
  case EPERM:
    return "permission denied";
  case EROFS:
    return "read-only file system";
  case EMFILE:
  case ENFILE:
    return "too many open files (ulimit -n)";
  case ENOMEM:
    return "not enough memory";
  case ENOENT:
    return "no such file or directory";
  case ENOTDIR:
    return "not a directory";
  case EEXIST:
    return "exists already";
  case ENAMETOOLONG:
    return "name too long";
  default:
    return strerrordesc_np(error) ? strerrordesc_np(error) : "unknown error";
  }
}
