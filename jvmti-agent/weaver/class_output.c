#include "jvmti-agent/weaver/class_output.h"

#include "jvmti-agent/weaver/class_file.h"

#include <stdlib.h>
#include <string.h>

void buffer_add(struct buffer *buffer, const void *bytes, size_t n)
{
  if (buffer->failed || n == 0)
    return;
  if (n > buffer->room - buffer->size) {
    size_t room = 2 * buffer->room + n + 256;
    uint8_t *larger = realloc(buffer->bytes, room);
    if (!larger) {
      buffer->failed = true;
      return;
    }
    buffer->bytes = larger;
    buffer->room = room;
  }
  memcpy(buffer->bytes + buffer->size, bytes, n);
  buffer->size += n;
}

void buffer_u1(struct buffer *buffer, unsigned number)
{
  buffer_add(buffer, &(uint8_t){(uint8_t)number}, 1);
}

void buffer_u2(struct buffer *buffer, unsigned number)
{
  buffer_add(buffer, (uint8_t[]){(uint8_t)(number >> 8), (uint8_t)number}, 2);
}

void buffer_u4(struct buffer *buffer, uint32_t number)
{
  buffer_u2(buffer, number >> 16);
  buffer_u2(buffer, number & 0xffff);
}

void buffer_set_u2(struct buffer *buffer, size_t at, unsigned number)
{
  if (buffer->failed)
    return;
  buffer->bytes[at] = (uint8_t)(number >> 8);
  buffer->bytes[at + 1] = (uint8_t)number;
}

void buffer_set_u4(struct buffer *buffer, size_t at, uint32_t number)
{
  buffer_set_u2(buffer, at, number >> 16);
  buffer_set_u2(buffer, at + 2, number & 0xffff);
}

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

static uint16_t constants_utf8(struct constants *constants, struct span text)
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

/* The type that a descriptor has at *at, which goes behind it. 0: there is none. */
static char read_type(struct span descriptor, size_t *at)
{
  size_t begin = *at;
  while (*at < descriptor.size && descriptor.bytes[*at] == '[')
    ++*at;
  bool array = *at > begin;
  if (*at == descriptor.size)
    return 0;
  char type = descriptor.bytes[(*at)++];
  if (type == 0 || !strchr("ZBCSIJFDVL", type) || (array && type == 'V'))
    return 0;
  if (type == 'L') {
    const char *end = memchr(descriptor.bytes + *at, ';', descriptor.size - *at);
    if (!end)
      return 0;
    *at = (size_t)(end - descriptor.bytes) + 1;
  }
  return array ? 'L' : strchr("ZBCS", type) ? 'I' : type;
}

unsigned signature_words(char type)
{
  return type == 'V' ? 0 : type == 'J' || type == 'D' ? 2 : 1;
}

bool signature_read(struct signature *signature, struct span descriptor, bool has_this)
{
  size_t at = 1;
  signature->count = 0;
  signature->words = has_this;
  if (descriptor.size < 3 || descriptor.bytes[0] != '(')
    return false;
  while (at < descriptor.size && descriptor.bytes[at] != ')') {
    char type = read_type(descriptor, &at);
    if (signature->count == ARGUMENTS_MAX || type == 0 || type == 'V')
      return false;
    signature->arguments[signature->count++] = (struct argument){.type = type, .variable = signature->words};
    signature->words += signature_words(type);
  }
  at++; /* the closing parenthesis, or beyond the end */
  signature->result = at < descriptor.size ? read_type(descriptor, &at) : 0;
  return signature->result != 0 && at == descriptor.size;
}

/* The families have one instruction each for int, long, float, double and object, in this order. */
static void add_access(struct buffer *code, unsigned family, const struct argument *argument)
{
  unsigned op = family + (unsigned)(strchr("IJFDL", argument->type) - "IJFDL");
  if (argument->variable > UINT8_MAX) {
    buffer_u1(code, OP_WIDE);
    buffer_u1(code, op);
    buffer_u2(code, argument->variable);
  } else {
    buffer_u1(code, op);
    buffer_u1(code, argument->variable);
  }
}

void signature_load(struct buffer *code, const struct argument *argument)
{
  add_access(code, OP_ILOAD, argument);
}

void signature_store(struct buffer *code, const struct argument *argument)
{
  add_access(code, OP_ISTORE, argument);
}
