/* Raw DEFLATE (RFC 1951, without header or checksum): what browsers call "deflate-raw". */
#ifndef HEDDLE_ANALYZER_REPORT_DEFLATED_H
#define HEDDLE_ANALYZER_REPORT_DEFLATED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Compresses one piece after the other; for one thread. */
struct deflater;

/* For pieces of up to `size` bytes. NULL: no memory. */
struct deflater *deflater_create(size_t size);
void deflater_destroy(struct deflater *deflater);

/* Returns the compressed bytes, good until the next call. */
const unsigned char *deflater_piece(struct deflater *deflater, const void *bytes, size_t size, size_t *compressed);

/*
 * A file to write to, which compresses into memory. After fclose() *bytes and *size are there, and the caller frees
 * *bytes; they may not move until then. fclose() fails if memory has run out, and then there are none. NULL: no memory.
 */
FILE *deflated_open(unsigned char **bytes, size_t *size);

#endif
