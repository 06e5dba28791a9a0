/*
 * libFuzzer target: any bytes as files of events of another program. The archive must be sound (otf2_checker), or
 * the files refused with their place. The first byte says how they are read (enum flags). Behind it are, for logs of
 * Glimpse, a specification and a byte of 0; then the file.
 */
#include "analyzer/analyses/intervals/plan.h"
#include "analyzer/exchange/import/directory.h"
#include "analyzer/exchange/import/import.h"
#include "tests/fuzz/otf2_checker.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Bits of the first byte; `@` is none of them. */
enum flags { GLIMPSE = 1, UNIT = 2 | 4, REVERSED = 8, TWICE = 16 };

int LLVMFuzzerInitialize(int *count, char ***arguments);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char part[] = "/dev/shm/heddle-fuzz-XXXXXX";

static void require(bool condition)
{
  if (!condition)
    abort();
}

static void remove_part(void)
{
  rmdir(part);
}

int LLVMFuzzerInitialize(int *count, char ***arguments)
{
  (void)count, (void)arguments;
  require(mkdtemp(part) && atexit(remove_part) == 0);
  checker_takes_control_characters = true;
  return 0;
}

/* In place of import/directory.c: there is one directory for all inputs. */
bool import_directory_make(struct import_directory *directory, const char *path, struct error *error)
{
  (void)error;
  *directory = (struct import_directory){.path = path, .part = part};
  return true;
}

bool import_directory_end(struct import_directory *directory, bool good, struct error *error)
{
  static const char *const made[] = {"traces.def", "traces.otf2"};
  char path[sizeof part + 16];
  (void)directory, (void)error;
  for (size_t i = 0; i < 2; i++) {
    snprintf(path, sizeof path, "%s/%s", part, made[i]);
    require((unlink(path) == 0) == good);
  }
  return good;
}

static void import(const struct import_options *options, const uint8_t *data, size_t size, size_t times)
{
  struct error error = {.message = ""};
  char path[40];
  int fd = memfd_create("events", MFD_CLOEXEC);
  require(fd >= 0 && write(fd, data, size) == (ssize_t)size);
  snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  char *const files[] = {path, path};
  bool good = import_files(options, files, times, "made", &error);
  require(good == (error.message[0] == '\0'));
  require(good || strncmp(error.message, path, strlen(path)) == 0 || strcmp(error.message, "there are no events") == 0);
  checker_forget();
  close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  struct error error;
  if (size == 0)
    return 0;
  uint8_t flags = data[0];
  struct import_options options = {.format = flags & GLIMPSE ? IMPORT_GLIMPSE : IMPORT_CSV,
                                   .unit_digits = 3u * ((flags & UNIT) / 2u),
                                   .ids = flags & REVERSED ? IMPORT_REVERSED : IMPORT_DECLARED};
  data++, size--;
  struct spec *spec = NULL;
  if (options.format == IMPORT_GLIMPSE) {
    const uint8_t *end = memchr(data, 0, size);
    if (!end)
      return 0;
    size_t length = (size_t)(end - data);
    options.spec = spec = spec_parse("f", (const char *)data, length, &error);
    data += length + 1, size -= length + 1;
  }
  if (options.format == IMPORT_CSV || (spec && spec_check(spec, &error)))
    import(&options, data, size, flags & TWICE ? 2 : 1);
  spec_free(spec);
  return 0;
}
