/* Base64 (RFC 4648, with padding, one line), written as a stream. */
#ifndef HEDDLE_ANALYZER_REPORT_BASE64_H
#define HEDDLE_ANALYZER_REPORT_BASE64_H

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

/* How many characters so many bytes become. */
static inline uint64_t base64_size(uint64_t bytes)
{
  return (bytes + 2) / 3 * 4;
}

#endif
