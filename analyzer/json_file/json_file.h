/*
 * JSON files that Heddle writes and reads again: models, fits. When one is read, anybody may have written it. Texts may
 * be any bytes; those that are not UTF-8 are kept as {"hex": "..."}.
 */
#ifndef HEDDLE_ANALYZER_JSON_FILE_JSON_FILE_H
#define HEDDLE_ANALYZER_JSON_FILE_JSON_FILE_H

#include "base/error.h"

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

/* A file that is read. */
struct json_file {
  const char *path;    /* for messages */
  const char *kind;    /* what it should be: "model" is what `heddle model -o` writes */
  struct error *error; /* of the first thing that is wrong */
};

/* "PATH: is no sound KIND: ...", and: out of memory. Both return false. */
__attribute__((format(printf, 2, 3))) bool json_file_bad(const struct json_file *file, const char *format, ...);
bool json_file_no_memory(const struct json_file *file);

/* All of it, up to 256 MB; path "-" is standard input. The caller frees it. NULL: an error. */
char *json_file_bytes(const struct json_file *file, size_t *size);

/* The document, if it is one of this kind and version. The caller gives it back by json_decref(). NULL: an error. */
json_t *json_file_document(const struct json_file *file, const char *bytes, size_t size, int version);

/* An integer from 0 to max. */
bool json_file_number(const struct json_file *file, const json_t *value, const char *what, uint64_t max,
                      uint64_t *result);

/* The caller frees it. NULL: an error. */
char *json_file_text(const struct json_file *file, const json_t *value);

/* For documents that are written. NULL: no memory. */
json_t *json_file_from_number(uint64_t number);
json_t *json_file_from_text(const char *bytes);

/* "-" is standard output. False: an error; no file is left then. */
bool json_file_write(const json_t *document, const char *path, struct error *error);

#endif
