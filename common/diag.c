#include "common/diag.h"

#include "common/text.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* A message in a file beyond the limit of its size would kill, a part of one would be glued to the next line there. */
static bool may_grow(size_t n)
{
  struct stat status;
  struct rlimit limit;
  if (fstat(STDERR_FILENO, &status) != 0 || !S_ISREG(status.st_mode) || getrlimit(RLIMIT_FSIZE, &limit) != 0 ||
      limit.rlim_cur == RLIM_INFINITY)
    return true;
  off_t at = lseek(STDERR_FILENO, 0, SEEK_CUR);
  uint64_t end = (uint64_t)status.st_size > (uint64_t)at ? (uint64_t)status.st_size : (uint64_t)at;
  return end + n <= limit.rlim_cur;
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
  /* There is nobody left to tell when stderr can't be written. */
  if (may_grow(text.used) && write(STDERR_FILENO, line, text.used) < 0)
    errno = kept;
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
