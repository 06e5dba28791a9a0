/* Private to import/: numbers for texts, from 0 in the order in which they come. */
#ifndef HEDDLE_ANALYZER_EXCHANGE_IMPORT_ARCHIVE_H
#define HEDDLE_ANALYZER_EXCHANGE_IMPORT_ARCHIVE_H

#include "analyzer/exchange/import/readers.h"
#include "base/error.h"
#include "base/hash_chain.h"
#include "base/vector.h"

struct import_name {
  struct hash_link link;
  uint32_t number;
  unsigned kind;
  char text[];
};

struct import_names {
  VECTOR(struct import_name *) items; /* by number */
  struct hash by_text;
};

/* The same text of two kinds has two numbers. Bytes that are not UTF-8 become \xHH. False: it would be one more than
 * `most`, or out of memory. */
bool import_names_number(struct import_names *names, unsigned kind, const char *text, uint32_t most, uint32_t *number,
                         struct error *error);
void import_names_free(struct import_names *names);

/* Private to import/: the archive that is written. One at a time, by one thread. */

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
