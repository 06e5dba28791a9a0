#include "analyzer/models/sequences/stream.h"

bool pes_next(struct pes_stream *stream, struct pes_record *records, size_t *count, struct error *error)
{
  *count = 0;
  return stream->class->next(stream, records, count, error);
}

bool pes_read_through(struct pes_stream *stream, struct error *error)
{
  struct pes_record records[PES_BATCH];
  size_t count;
  do
    if (!pes_next(stream, records, &count, error))
      return false;
  while (count > 0);
  return true;
}

bool pes_rewind(struct pes_stream *stream, struct error *error)
{
  return stream->class->rewind(stream, error);
}

void pes_close(struct pes_stream *stream)
{
  if (stream)
    stream->class->close(stream);
}

bool pes_set_parameter(struct pes_stream *stream, const char *name, const char *value)
{
  /* Whoever opened a stream owns its program; it is constant for those that read it. */
  return pes_program_set_parameter((struct pes_program *)stream->program, name, value);
}
