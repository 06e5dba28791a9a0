/* Private to import/. Archive to write. Only one at a time, by one thread. */
#ifndef HEDDLE_ANALYZER_EXCHANGE_IMPORT_ARCHIVE_H
#define HEDDLE_ANALYZER_EXCHANGE_IMPORT_ARCHIVE_H

#include "analyzer/exchange/import/readers.h"
#include "base/error.h"

struct import_archive;

struct import_form {
  const char *process; /* name of the only process */
  uint64_t ticks_per_second;
  bool points; /* events take no time, and the program logged them */
  bool sorted; /* threads are listed by name (numbers in names count), not in order of appearance */
};

/* The texts of `form` outlive the archive. NULL: an error. */
struct import_archive *import_archive_open(const struct import_form *form, const char *directory, struct error *error);

/* Adds an event. It is an import_sink. */
bool import_archive_take(void *archive, const struct import_event *event, struct error *error);

/* Frees the buffers of all threads so far, which have no further events. False: an error. */
bool import_archive_end_threads(struct import_archive *archive, struct error *error);

/* Completes the archive; removes it if `good` is false, or on failure. Frees the handle. False: it was removed. */
bool import_archive_close(struct import_archive *archive, bool good, struct error *error);

#endif
