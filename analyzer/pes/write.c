/* Writes a sequence in any form. */
#include "analyzer/pes/binary.h"
#include "analyzer/pes/csl.h"

bool pes_write(struct pes_stream *stream, const char *path, enum pes_form form, struct error *error)
{
  return form == PES_BINARY ? binary_write(stream, path, error) : csl_write(stream, path, form, error);
}
