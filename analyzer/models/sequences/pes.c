#include "analyzer/models/sequences/pes.h"

#include "analyzer/models/sequences/binary.h"
#include "analyzer/models/sequences/csl.h"

#include <string.h>

struct pes_stream *pes_open(const char *path, struct error *error)
{
  struct input input;
  if (!input_open(&input, path, error)) {
    input_close(&input);
    return NULL;
  }
  input_peek(&input);
  if (input.count > 0 && input.bytes[0] == '{') { /* no sequence begins so, and models are mistaken for them */
    error_set(error, "%s: is a model or other JSON; give a sequence, as heddle pes writes it", path);
    input_close(&input);
    return NULL;
  }
  bool binary = input.count >= BINARY_MAGIC_LENGTH && memcmp(input.bytes, BINARY_MAGIC, BINARY_MAGIC_LENGTH) == 0;
  return binary ? binary_open(&input, error) : csl_open(&input, error);
}

bool pes_write(struct pes_stream *stream, const char *path, enum pes_form form, struct error *error)
{
  return form == PES_BINARY ? binary_write(stream, path, error) : csl_write(stream, path, form, error);
}
