/* Functions of instrumented code, where each call is recorded. They nest in what is around them, as the program's own
 * regions do; the recorder tells of functions that were left by a jump. */
#include "otf2-convert/timeline/timeline_records.h"

void take_call_enter(struct timeline *t, const uint64_t *record, uint64_t time)
{
  uint64_t function = raw_value_of(record[0]), code = function;
  uint32_t region =
      definitions_region(t->on->definitions, &t->worker->regions, t->location->process->index, C_CALL, &code, 0);
  struct frame *frame = frame_push(t, F_CALL, 0, region, frame_enclosing_code(t));
  if (frame == NULL)
    return;
  frame->key = function;
  sink_enter(&t->sink, time, region);
}

/* The open call of the function inside the innermost construct; NO_FRAME: there is none. */
static uint32_t find_call(const struct timeline *t, uint64_t function)
{
  for (uint32_t i = t->frames.count; i-- > 0 && frame_is_users(&t->frames.items[i]);)
    if (t->frames.items[i].type == F_CALL && t->frames.items[i].key == function)
      return i;
  return NO_FRAME;
}

void take_call_leave(struct timeline *t, const uint64_t *record, uint64_t time)
{
  frame_end(t, F_CALL, find_call(t, raw_value_of(record[0])), time);
}
