#include "tests/unit/analyzer/launch_files.h"
#include "tests/unit/unit.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char directory[] = "/tmp/heddle-unit-XXXXXX";

int enter_directory(void **state)
{
  (void)state;
  setenv("CC", HEDDLE_TEST_CC, 1);
  unsetenv("LD_LIBRARY_PATH");
  unsetenv("LD_PRELOAD");
  return mkdtemp(directory) && chdir(directory) == 0 ? 0 : -1;
}

int leave_directory(void **state)
{
  (void)state;
  char line[64];
  snprintf(line, sizeof line, "rm -r %s", directory);
  return chdir("/") == 0 ? system(line) : -1;
}

const char *at_directory(void)
{
  return directory;
}

void sh(const char *format, ...)
{
  char line[2048];
  va_list arguments;
  va_start(arguments, format);
  int size = vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  assert_in_range(size, 1, sizeof line - 1);
  if (system(line) != 0)
    fail_msg("%s", line);
}

void write_file(const char *path, const void *bytes, size_t size, unsigned mode)
{
  int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, mode);
  assert_true(fd >= 0 && write(fd, bytes, size) == (ssize_t)size);
  close(fd);
}

char *read_file(const char *path, size_t *size)
{
  struct stat status;
  int fd = open(path, O_RDONLY);
  assert_true(fd >= 0 && fstat(fd, &status) == 0);
  *size = (size_t)status.st_size;
  char *bytes = malloc(*size + 1);
  assert_non_null(bytes);
  assert_int_equal(read(fd, bytes, *size), *size);
  close(fd);
  return bytes;
}
