#include "analyzer/models/markov/part.h"

#include <stdlib.h>

struct part {
  struct pes_stream stream;
  struct pes_stream *source;
  uint64_t first, behind, number; /* number: of the source's next record */
  bool is_over;
};

/* Keeps of a batch what is in the part. Returns how many records that are. */
static size_t keep(struct part *part, struct pes_record *records, size_t count)
{
  size_t kept = 0;
  for (size_t i = 0; i < count && !part->is_over; i++) {
    uint64_t number = part->number++;
    if (number >= part->behind) {
      part->stream.end = (struct pes_end){.time = records[i].entry, .terminal = PES_NONE};
      part->is_over = true;
    } else if (number >= part->first) {
      records[kept++] = records[i];
    }
  }
  return kept;
}

static bool part_next(struct pes_stream *stream, struct pes_record *records, size_t *count, struct error *error)
{
  struct part *part = (struct part *)stream;
  *count = 0;
  while (*count == 0 && !part->is_over) {
    size_t read;
    if (!pes_next(part->source, records, &read, error))
      return false;
    if (read == 0) {
      part->stream.end = part->source->end;
      part->is_over = true;
    }
    *count = keep(part, records, read);
  }
  return true;
}

static bool part_begin_again(struct pes_stream *stream, struct error *error)
{
  struct part *part = (struct part *)stream;
  part->number = 0;
  part->is_over = false;
  return pes_rewind(part->source, error);
}

static void close_part(struct pes_stream *stream)
{
  free(stream);
}

struct pes_stream *markov_part(struct pes_stream *source, uint64_t first, uint64_t records, struct error *error)
{
  static const struct pes_class class = {part_next, part_begin_again, close_part};
  struct part *part = calloc(1, sizeof *part);
  if (!part) {
    error_set(error, "out of memory");
    return NULL;
  }
  *part = (struct part){.stream = {.class = &class,
                                   .program = source->program,
                                   .states = source->states,
                                   .has_all_states = source->has_all_states},
                        .source = source,
                        .first = first,
                        .behind = records > UINT64_MAX - first ? UINT64_MAX : first + records};
  return &part->stream;
}
