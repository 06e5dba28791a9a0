#include "analyzer/pes/stream.h"

bool pes_next(struct pes_stream *stream, struct pes_record *records, size_t *count, struct trace_error *error)
{
  *count = 0;
  return stream->class->next(stream, records, count, error);
}

bool pes_rewind(struct pes_stream *stream, struct trace_error *error)
{
  return stream->class->rewind(stream, error);
}

void pes_close(struct pes_stream *stream)
{
  if (stream)
    stream->class->close(stream);
}
