/*
 * JSON as a stream, for files that are too large for memory. The writer takes care of commas, nesting and strings, the
 * caller of unique names. Names need no escaping; they are NULL inside an array and for the outermost value.
 */
#ifndef HEDDLE_ANALYZER_COMMAND_PRINT_JSON_WRITER_H
#define HEDDLE_ANALYZER_COMMAND_PRINT_JSON_WRITER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define JSON_WRITER_DEPTH 32 /* objects and arrays open at a time */

struct json_writer {
  FILE *file;
  unsigned depth;
  bool something[JSON_WRITER_DEPTH + 1]; /* the object or array at this depth is not empty */
  bool array[JSON_WRITER_DEPTH + 1];
  bool failed; /* out of memory, or nested too deeply; the file's owner checks for write errors */
};

static inline struct json_writer json_writer(FILE *file)
{
  return (struct json_writer){.file = file};
}

void json_put_object(struct json_writer *json, const char *name);
void json_put_array(struct json_writer *json, const char *name);
/* Ends the innermost object or array. */
void json_put_end(struct json_writer *json);

/* Any text; if it is not valid UTF-8: escape_text() of it. NULL: null. */
void json_put_text(struct json_writer *json, const char *name, const char *text);
void json_put_count(struct json_writer *json, const char *name, uint64_t count);
void json_put_signed(struct json_writer *json, const char *name, int64_t number);
void json_put_real(struct json_writer *json, const char *name, double number);
/* A value in JSON. NULL: null. */
void json_put_raw(struct json_writer *json, const char *name, const char *value);

#endif
