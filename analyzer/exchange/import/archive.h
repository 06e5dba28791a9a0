/* Private to import/: the archive that is written. One at a time, by one thread. */
#ifndef HEDDLE_ANALYZER_EXCHANGE_IMPORT_ARCHIVE_H
#define HEDDLE_ANALYZER_EXCHANGE_IMPORT_ARCHIVE_H

#include "analyzer/exchange/import/readers.h"

struct import_archive;

struct import_form {
  const char *process; /* the name of the only one */
  uint64_t ticks_per_second;
  bool points; /* events take no time, and the program logged them */
  bool sorted; /* the archive lists threads by name (numbers in it count), not as they come */
};

/* The texts of `form` outlive the archive. NULL: an error. */
struct import_archive *import_archive_open(const struct import_form *form, const char *directory, struct error *error);

/* An import_taker. */
bool import_archive_take(void *archive, const struct import_event *event, struct error *error);

/* No event of a thread so far follows: their buffers are freed. False: an error. */
bool import_archive_end_threads(struct import_archive *archive, struct error *error);

/* Completes the archive, or removes it: if `good` is false, or on failure. Frees it. False: it was removed. */
bool import_archive_close(struct import_archive *archive, bool good, struct error *error);

#endif
