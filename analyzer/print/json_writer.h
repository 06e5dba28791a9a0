/*
 * JSON as a stream, for files that are too large to build in memory first. Commas, nesting and strings are right
 * whatever is written; the caller sees to it that names are not given twice. A name is ours and needs no escaping; it
 * is NULL inside an array and for the outermost value.
 */
#ifndef HEDDLE_ANALYZER_PRINT_JSON_WRITER_H
#define HEDDLE_ANALYZER_PRINT_JSON_WRITER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define JSON_WRITER_DEPTH 32 /* objects and arrays open at a time */

struct json_writer {
  FILE *file;
  unsigned depth;
  bool something[JSON_WRITER_DEPTH + 1]; /* what is open at that depth has a value already */
  bool array[JSON_WRITER_DEPTH + 1];
  bool failed; /* no memory, or nested too deeply; whether the file could be written is for its owner to ask */
};

static inline struct json_writer json_writer(FILE *file)
{
  return (struct json_writer){.file = file};
}

void json_put_object(struct json_writer *json, const char *name);
void json_put_array(struct json_writer *json, const char *name);
/* Ends the innermost object or array. */
void json_put_end(struct json_writer *json);

/* Text from anywhere; what is not UTF-8 is written as print/escape.h does. NULL: null. */
void json_put_text(struct json_writer *json, const char *name, const char *text);
void json_put_count(struct json_writer *json, const char *name, uint64_t count);
void json_put_signed(struct json_writer *json, const char *name, int64_t number);
void json_put_real(struct json_writer *json, const char *name, double number);
/* A value that is JSON already. NULL: null. */
void json_put_raw(struct json_writer *json, const char *name, const char *value);

#endif
