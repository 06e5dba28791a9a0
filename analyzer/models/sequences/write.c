/* Writes a sequence in any form. */
#include "analyzer/models/sequences/binary.h"
#include "analyzer/models/sequences/csl.h"

bool pes_write(struct pes_stream *stream, const char *path, enum pes_form form, struct error *error)
{
  return form == PES_BINARY ? binary_write(stream, path, error) : csl_write(stream, path, form, error);
}
