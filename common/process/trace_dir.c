#include "common/process/trace_dir.h"

#include "common/process/kept_file.h"
#include "common/process/own_directory.h"
#include "common/process/text.h"

#define NAMES_MOST 100 /* tries of new names */

/* False: errno says why. */
static bool make(char *trace, size_t size, bool is_new)
{
  size_t length = strlen(trace);
  char random[OWN_RANDOM + 1];
  int made = mkdir(trace, 0700);
  for (int tries = 0; made != 0 && errno == EEXIST && is_new && tries < NAMES_MOST; tries++) {
    struct text path = {.bytes = trace, .size = size, .used = length};
    own_random(random);
    text_add(&path, "-");
    text_add(&path, random);
    made = path.cut ? -1 : mkdir(trace, 0700);
  }
  return made == 0 || (!is_new && errno == EEXIST);
}

/* Opens a directory that must be ours alone. */
static int open_own(int at, const char *name, const char **objection)
{
  int fd = kept_file_open(at, name, OWN_DIRECTORY_FLAGS);
  *objection = fd < 0 ? own_directory_refusal(at, name) : own_directory_objection(fd);
  if (fd < 0 || !*objection)
    return fd;
  close(fd);
  errno = EPERM;
  return -1;
}

int trace_dir_open_raw(char *trace, size_t size, bool is_new, const char **objection)
{
  *objection = NULL;
  int directory = make(trace, size, is_new) ? open_own(AT_FDCWD, trace, objection) : -1, raw = -1;
  if (directory >= 0 && (mkdirat(directory, "raw", 0700) == 0 || errno == EEXIST))
    raw = open_own(directory, "raw", objection);
  int error = errno;
  if (directory >= 0)
    close(directory);
  errno = error;
  return raw;
}
