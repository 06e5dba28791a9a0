#include "common/diag.h"

#include "common/text.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

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
  if (write(STDERR_FILENO, line, text.used) < 0)
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
