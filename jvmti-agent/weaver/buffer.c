#include "jvmti-agent/weaver/buffer.h"

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
