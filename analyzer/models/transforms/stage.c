#include "analyzer/models/transforms/stage.h"

static bool next(struct pes_stream *stream, struct pes_record *records, size_t *count, struct error *error)
{
  struct stage *stage = (struct stage *)stream;
  stage->out = records;
  stage->out_count = 0;
  while (!stage->over && stage_has_room(stage)) {
    if (stage->in_at == stage->in_count && !stage->source_over) {
      stage->in_at = 0;
      if (!pes_next(stage->source, stage->in, &stage->in_count, error))
        return false;
      stage->source_over = stage->in_count == 0;
      stage->stream.end = stage->source->end;
    }
    stage->over = stage->source_over;
    if (!(stage->source_over ? stage->class->finish(stage, error) : stage->class->take(stage, error)))
      return false;
  }
  *count = stage->out_count;
  return true;
}

static bool begin_again(struct pes_stream *stream, struct error *error)
{
  struct stage *stage = (struct stage *)stream;
  stage->in_at = stage->in_count = 0;
  stage->source_over = stage->over = false;
  return pes_rewind(stage->source, error) && stage->class->restart(stage, error);
}

static void close_stage(struct pes_stream *stream)
{
  struct stage *stage = (struct stage *)stream;
  struct pes_stream *source = stage->source;
  stage->class->destroy(stage);
  pes_close(source);
}

void stage_init(struct stage *stage, const struct stage_class *class, struct pes_stream *source, size_t most)
{
  static const struct pes_class streams = {next, begin_again, close_stage};
  stage->stream = (struct pes_stream){.class = &streams, .program = source->program, .states = source->states};
  stage->class = class;
  stage->source = source;
  stage->most = most;
}

bool stage_read_through(struct pes_stream *source, struct stage_measure *measure, struct error *error)
{
  struct pes_record records[PES_BATCH];
  struct stage_measure found = {0};
  size_t count;
  if (!pes_rewind(source, error))
    return false;
  do {
    if (!pes_next(source, records, &count, error))
      return false;
    if (found.count == 0 && count > 0)
      found.begin = records[0].entry;
    found.count += count;
  } while (count > 0);
  if (found.count == 0)
    found.begin = source->end.time;
  found.duration = source->end.time - found.begin;
  if (measure)
    *measure = found;
  return pes_rewind(source, error);
}
