#include "common/lines.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <unistd.h>

int lines_open(struct lines *lines, const char *directory, int flags)
{
  char path[PATH_MAX + 16];
  struct text name = TEXT_OVER(path);
  text_add(&name, directory);
  text_add(&name, "/process");
  lines->text = TEXT_OVER(lines->bytes);
  lines->error = 0;
  lines->fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW | flags, 0600);
  return lines->fd < 0 ? errno : 0;
}

static void lines_write(struct lines *lines)
{
  const char *at = lines->bytes;
  while (lines->text.used && !lines->error) {
    ssize_t done = write(lines->fd, at, lines->text.used);
    if (done < 0 && errno == EINTR)
      continue;
    if (done <= 0)
      lines->error = done < 0 ? errno : EIO;
    else {
      at += done;
      lines->text.used -= (size_t)done;
    }
  }
  lines->text.used = 0;
}

int lines_close(struct lines *lines)
{
  lines_write(lines);
  close(lines->fd);
  return lines->error;
}

void lines_reserve(struct lines *lines, size_t n)
{
  if (lines->text.used + n * 4 + 128 > sizeof lines->bytes)
    lines_write(lines);
}
