/*
 * JSON files that Heddle writes and reads: models, fits. Files to read are untrusted. Texts may be any bytes; texts
 * that are not UTF-8 become {"hex": "..."}.
 */
#ifndef HEDDLE_ANALYZER_MODELS_JSON_FILE_JSON_FILE_H
#define HEDDLE_ANALYZER_MODELS_JSON_FILE_JSON_FILE_H

#include "base/error.h"

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

/* A file to read. */
struct json_file {
  const char *path;    /* for messages */
  const char *kind;    /* the expected kind: "model", which `heddle model -o` writes */
  struct error *error; /* the first error */
  const char *made_by; /* the command that writes it; NULL: `heddle KIND -o FILE` */
};

/* Set the error "PATH: damaged KIND: ..." and "PATH: out of memory". Return false. */
__attribute__((format(printf, 2, 3))) bool json_file_damaged(const struct json_file *file, const char *format, ...);
bool json_file_no_memory(const struct json_file *file);

/* Reads a whole file, up to 256 MiB; path "-" is standard input. The caller frees the bytes. NULL: an error. */
char *json_file_bytes(const struct json_file *file, size_t *size);

/*
 * Parses a document, which must have this kind and a version from 1 to `newest`. The caller calls json_decref(). NULL:
 * an error.
 */
json_t *json_file_document(const struct json_file *file, const char *bytes, size_t size, int newest);

/* Reads an integer from 0 to max. False: an error. */
bool json_file_number(const struct json_file *file, const json_t *value, const char *what, uint64_t max,
                      uint64_t *result);

/* Reads a text. The caller frees it. NULL: an error. */
char *json_file_text(const struct json_file *file, const json_t *value);

/* Make values of documents to write. NULL: out of memory. */
json_t *json_file_from_number(uint64_t number);
json_t *json_file_from_text(const char *bytes);

/* Writes a document; "-" is standard output. False: an error, and no file is left. */
bool json_file_write(const json_t *document, const char *path, struct error *error);

#endif
