/* A file that is either complete or absent: it is written beside its place and renamed. "-" is standard output. */
#ifndef HEDDLE_ANALYZER_TRACE_OUTPUT_H
#define HEDDLE_ANALYZER_TRACE_OUTPUT_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct output {
  FILE *file;
  const char *path; /* the caller's; it outlives the output */
  char *part;       /* the file to rename at the end; NULL: none, as for standard output and devices */
};

/* False: an error. */
bool output_open(struct output *output, const char *path, struct error *error);

/* Ends the file; `good` false: removes it. False: it was removed, or there was an error. */
bool output_close(struct output *output, bool good, struct error *error);

/* Bytes on disk instead of in memory: appended to a nameless temporary file, and read back by their offset. */

struct spool;

/* In $TMPDIR, else /var/tmp (/tmp may be memory). NULL: an error. */
struct spool *spool_create(struct error *error);
void spool_destroy(struct spool *spool);

/* Any thread may append and read. False: an error; spool_fail() has it. */
bool spool_append(struct spool *spool, const void *bytes, size_t size, uint64_t *offset);
bool spool_read(const struct spool *spool, uint64_t offset, void *bytes, size_t size);

/* Bytes appended so far. */
uint64_t spool_size(const struct spool *spool);

/* Fills the error with the reason of the last failure. Returns false. */
bool spool_fail(const struct spool *spool, struct error *error);

#endif
