/* Bytes on disk instead of in memory: appended to a nameless temporary file, and read back by their offset. */
#ifndef HEDDLE_ANALYZER_TRACE_SPOOL_H
#define HEDDLE_ANALYZER_TRACE_SPOOL_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

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
