#include "jvmti-agent/weaver/moving.h"

struct place place_of(struct moving *moving, uint32_t pc)
{
  if (pc <= moving->what->method->code_size && moving->places[pc].edge != NO_PLACE)
    return moving->places[pc];
  moving->failed = true;
  return (struct place){0};
}

size_t begin_attribute(struct moving *moving, uint16_t name)
{
  buffer_u2(moving->out, name);
  buffer_u4(moving->out, 0);
  return moving->out->size - 4;
}

void end_attribute(struct moving *moving, size_t length_at)
{
  if (!moving->out->failed)
    buffer_set_u4(moving->out, length_at, (uint32_t)(moving->out->size - length_at - 4));
}
