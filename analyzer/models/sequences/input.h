/* Private to sequences/. Bytes of a file, from its beginning or from an offset that input_seek() chose. */
#ifndef HEDDLE_ANALYZER_MODELS_SEQUENCES_INPUT_H
#define HEDDLE_ANALYZER_MODELS_SEQUENCES_INPUT_H

#include "base/error.h"

#include <stdint.h>
#include <stdio.h>

struct input {
  FILE *file;
  char *path;           /* for messages */
  unsigned char *bytes; /* bytes of the last read */
  size_t at, count;
  uint64_t offset; /* of bytes[0] in the file */
};

/* "-" is standard input. False: an error. */
bool input_open(struct input *input, const char *path, struct error *error);
void input_close(struct input *input);

/* Reads more. False: the end of the file, or a failure (then ferror(input->file)). */
bool input_fill(struct input *input);

/* Returns the next byte without taking it, or -1. */
static inline int input_peek(struct input *input)
{
  return input->at < input->count || input_fill(input) ? input->bytes[input->at] : -1;
}

static inline int input_take(struct input *input)
{
  int byte = input_peek(input);
  input->at += byte >= 0;
  return byte;
}

static inline uint64_t input_tell(const struct input *input)
{
  return input->offset + input->at;
}

/* False: an error. */
bool input_seek(struct input *input, uint64_t offset, struct error *error);

/* Sets the error of a file that ends too early or cannot be read; returns false. */
bool input_failed(const struct input *input, struct error *error);

#endif
