/* Which form a file has. */
#include "analyzer/pes/binary.h"
#include "analyzer/pes/csl.h"

#include <string.h>

struct pes_stream *pes_open(const char *path, struct error *error)
{
  struct input input;
  if (!input_open(&input, path, error)) {
    input_close(&input);
    return NULL;
  }
  input_peek(&input);
  bool binary = input.count >= BINARY_MAGIC_LENGTH && memcmp(input.bytes, BINARY_MAGIC, BINARY_MAGIC_LENGTH) == 0;
  return binary ? binary_open(&input, error) : csl_open(&input, error);
}
