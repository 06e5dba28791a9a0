#include "analyzer/models/markov/steps.h"

#include <stdlib.h>

bool markov_steps(struct pes_stream *stream, const struct markov_model *run,
                  void (*take)(void *context, const struct markov_step *step), void *context, struct error *error)
{
  struct pes_record *records = malloc(PES_BATCH * sizeof *records);
  struct markov_step last = {.state = PES_NONE};
  size_t count = 1;
  bool good = records ? pes_rewind(stream, error) : error_set(error, "out of memory");
  while (good && count > 0) {
    good = pes_next(stream, records, &count, error);
    for (size_t i = 0; good && i < count; i++) {
      struct markov_step next = {.entry = records[i].entry, .state = records[i].state};
      if (last.state != PES_NONE) {
        last.ticks = next.entry - last.entry;
        last.edge = markov_edge_index(run, last.state, next.state);
        next.number = last.number + 1;
        take(context, &last);
      }
      last = next;
    }
  }
  if (good && last.state != PES_NONE) {
    last.ticks = stream->end.time - last.entry;
    last.edge = SIZE_MAX;
    take(context, &last);
  }
  free(records);
  return good;
}
