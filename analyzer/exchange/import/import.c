#include "analyzer/exchange/import/import.h"

#include "analyzer/exchange/import/archive.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The thread of a log: `log.3` is thread 3; others have their number on the command line. */
static void name_thread(const char *file, size_t number, char *name, size_t size)
{
  const char *point = strrchr(file, '.');
  const char *digits = point && isdigit((unsigned char)point[1]) ? point + 1 : "";
  size_t count = strspn(digits, "0123456789");
  if (count > 0 && count < 10 && digits[count] == 0)
    snprintf(name, size, "thread %s", digits);
  else
    snprintf(name, size, "thread %zu", number);
}

static bool import_file(const struct import_how *how, const char *path, size_t number, struct import_archive *archive,
                        struct error *error)
{
  bool is_input = strcmp(path, "-") == 0, good;
  FILE *file = is_input ? stdin : fopen(path, "re");
  if (!file)
    return error_set(error, "%s: cannot open: %s", path, strerror(errno));
  if (how->format == IMPORT_CSV) {
    good = import_read_csv(file, path, how, import_archive_take, archive, error);
  } else {
    char thread[40];
    name_thread(path, number, thread, sizeof thread);
    good = import_read_glimpse(file, path, thread, how, import_archive_take, archive, error) &&
           import_archive_end_threads(archive, error);
  }
  if (!is_input)
    fclose(file);
  return good;
}

bool import_files(const struct import_how *how, char *const *files, size_t count, const char *directory,
                  struct error *error)
{
  static const struct import_form form = {.process = "imported", .ticks_per_second = 1000000000, .points = true};
  struct import_archive *archive = import_archive_open(&form, directory, error);
  bool good = archive;
  for (size_t i = 0; good && i < count; i++)
    good = import_file(how, files[i], i, archive, error);
  return archive && import_archive_close(archive, good, error);
}
