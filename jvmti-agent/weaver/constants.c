#include "jvmti-agent/weaver/constants.h"

void constants_init(struct constants *constants, unsigned count)
{
  *constants = (struct constants){.count = count};
}

bool constants_are_sound(const struct constants *constants)
{
  return !constants->full && !constants->bytes.failed;
}

static uint16_t add(struct constants *constants, enum class_constant tag)
{
  if (constants->count >= UINT16_MAX) {
    constants->full = true;
    return 0;
  }
  buffer_u1(&constants->bytes, tag);
  return (uint16_t)constants->count++;
}

uint16_t constants_utf8(struct constants *constants, struct span text)
{
  if (text.size > UINT16_MAX) {
    constants->full = true;
    return 0;
  }
  uint16_t number = add(constants, CONSTANT_UTF8);
  buffer_u2(&constants->bytes, (unsigned)text.size);
  buffer_add(&constants->bytes, text.bytes, text.size);
  return number;
}

uint16_t constants_text(struct constants *constants, const char *text)
{
  return constants_utf8(constants, (struct span){.bytes = text, .size = strlen(text)});
}

uint16_t constants_integer(struct constants *constants, uint32_t value)
{
  uint16_t number = add(constants, CONSTANT_INTEGER);
  buffer_u4(&constants->bytes, value);
  return number;
}

uint16_t constants_long(struct constants *constants, uint64_t value)
{
  uint16_t number = add(constants, CONSTANT_LONG);
  buffer_u4(&constants->bytes, (uint32_t)(value >> 32));
  buffer_u4(&constants->bytes, (uint32_t)value);
  constants->count++; /* it counts twice */
  return number;
}

uint16_t constants_class(struct constants *constants, struct span name)
{
  uint16_t text = constants_utf8(constants, name);
  uint16_t number = add(constants, CONSTANT_CLASS);
  buffer_u2(&constants->bytes, text);
  return number;
}

uint16_t constants_method(struct constants *constants, uint16_t owner, uint16_t name, uint16_t descriptor)
{
  uint16_t names = add(constants, CONSTANT_NAME_AND_TYPE);
  buffer_u2(&constants->bytes, name);
  buffer_u2(&constants->bytes, descriptor);
  uint16_t number = add(constants, CONSTANT_METHOD);
  buffer_u2(&constants->bytes, owner);
  buffer_u2(&constants->bytes, names);
  return number;
}
