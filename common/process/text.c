#include "common/process/text.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

void text_add_bytes(struct text *text, const char *bytes, size_t n)
{
  size_t room = text->size - 1 - text->used;
  if (n > room) {
    n = room;
    text->cut = true;
  }
  memcpy(text->bytes + text->used, bytes, n);
  text->used += n;
  text->bytes[text->used] = '\0';
}

void text_add(struct text *text, const char *string)
{
  text_add_bytes(text, string, strlen(string));
}

static void add_in_base(struct text *text, uint64_t number, unsigned base)
{
  char digits[20];
  size_t at = sizeof digits;
  do {
    digits[--at] = "0123456789abcdef"[number % base];
    number /= base;
  } while (number);
  text_add_bytes(text, digits + at, sizeof digits - at);
}

void text_add_number(struct text *text, uint64_t number)
{
  add_in_base(text, number, 10);
}

void text_add_hex(struct text *text, uint64_t number)
{
  add_in_base(text, number, 16);
}

static void add_escaped_below(struct text *text, const char *bytes, size_t n, unsigned char first_plain)
{
  static const char hex[] = "0123456789abcdef";
  for (size_t i = 0; i < n; i++) {
    unsigned char c = (unsigned char)bytes[i];
    if (c < first_plain || c == 0x7f || c == '\\') {
      char escaped[4] = {'\\', 'x', hex[c >> 4], hex[c & 15]};
      text_add_bytes(text, escaped, sizeof escaped);
    } else {
      text_add_bytes(text, bytes + i, 1);
    }
  }
}

void text_add_escaped(struct text *text, const char *bytes, size_t n)
{
  add_escaped_below(text, bytes, n, ' ');
}

void text_add_word(struct text *text, const char *bytes, size_t n)
{
  add_escaped_below(text, bytes, n, ' ' + 1);
}

ssize_t file_read(const char *path, char *buffer, size_t size)
{
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return -1;
  size_t have = 0;
  while (have < size - 1) {
    ssize_t got = read(fd, buffer + have, size - 1 - have);
    if (got < 0 && errno == EINTR)
      continue;
    if (got <= 0)
      break;
    have += (size_t)got;
  }
  close(fd);
  buffer[have] = '\0';
  return (ssize_t)have;
}
