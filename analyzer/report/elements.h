/*
 * Elements of a page that hold bytes: raw DEFLATE (RFC 1951, "deflate-raw" of browsers) in base64 (RFC 4648, with
 * padding) on one line. No name from outside stands in the HTML.
 */
#ifndef HEDDLE_ANALYZER_REPORT_ELEMENTS_H
#define HEDDLE_ANALYZER_REPORT_ELEMENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct base64 {
  FILE *file;
  unsigned char rest[3]; /* bytes that do not make a group yet */
  unsigned count;        /* of these */
};

static inline struct base64 base64(FILE *file)
{
  return (struct base64){.file = file};
}

/* Errors are the file's: ferror(). */
void base64_put(struct base64 *base64, const void *bytes, size_t size);
void base64_end(struct base64 *base64);

/* The number of characters of so many bytes. */
static inline uint64_t base64_size(uint64_t bytes)
{
  return (bytes + 2) / 3 * 4;
}

#define ELEMENT(id) "<script type=\"application/octet-stream;base64\" id=\"" id "\">"
#define ELEMENT_END "</script>\n"

/* Writes the whole element; `begin` is an ELEMENT(). The file's owner checks for write errors. */
static inline void element_put(FILE *file, const char *begin, const unsigned char *bytes, size_t size)
{
  struct base64 base = base64(file);
  fputs(begin, file);
  base64_put(&base, bytes, size);
  base64_end(&base);
  fputs(ELEMENT_END, file);
}

/* Compresses one piece after the other; for one thread. */
struct deflater;

/* For pieces of up to `size` bytes. NULL: out of memory. */
struct deflater *deflater_create(size_t size);
void deflater_destroy(struct deflater *deflater);

/* Returns the compressed bytes, good until the next call. */
const unsigned char *deflater_piece(struct deflater *deflater, const void *bytes, size_t size, size_t *compressed);

/*
 * A file to write to, which compresses into memory. After fclose() *bytes and *size are there, and the caller frees
 * *bytes; they may not move until then. fclose() fails if memory has run out, and then there are none. NULL: out of
 * memory.
 */
FILE *deflated_open(unsigned char **bytes, size_t *size);

#endif
