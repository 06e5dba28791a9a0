#include "common/process/kept_names.h"

#include "base/count_of.h"
#include "common/process/process_dir.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

static int held = -1;

void kept_names_hold(void)
{
  if (held >= 0)
    close(held);
  held = process_dir_process();
}

static bool is_name(const char *line, size_t size)
{
  static const char *const names[] = {"place: ", "class: ", "field: ", "call: "};
  for (size_t i = 0; i < COUNT_OF(names); i++)
    if (size > strlen(names[i]) && memcmp(line, names[i], strlen(names[i])) == 0)
      return true;
  return false;
}

/* Moves the lines that are names to the begin. Returns how many bytes they have; *rest: where the last line begins,
 * which has no end yet. */
static size_t choose(char *bytes, size_t size, size_t *rest)
{
  size_t chosen = 0, at = 0;
  const char *end;
  while ((end = memchr(bytes + at, '\n', size - at)) != NULL) {
    size_t n = (size_t)(end + 1 - (bytes + at));
    if (is_name(bytes + at, n)) {
      memmove(bytes + chosen, bytes + at, n);
      chosen += n;
    }
    at += n;
  }
  *rest = at;
  return chosen;
}

int kept_names_write(void)
{
  static char bytes[16384]; /* more than the longest line */
  size_t have = 0, rest;
  ssize_t n;
  int error = 0;
  while (held >= 0 && !error && (n = read(held, bytes + have, sizeof bytes - have)) > 0) {
    have += (size_t)n;
    size_t chosen = choose(bytes, have, &rest);
    error = chosen ? process_dir_append(bytes, chosen) : 0;
    memmove(bytes, bytes + rest, have - rest);
    have -= rest;
  }
  if (held >= 0)
    close(held);
  held = -1;
  return error;
}
