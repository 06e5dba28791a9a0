#include "analyzer/exchange/export/protobuf.h"

#include <string.h>

void protobuf_free(struct protobuf *buffer)
{
  vector_free(&buffer->bytes);
}

bool protobuf_grow(struct protobuf *buffer, size_t more)
{
  if (!buffer->failed)
    buffer->failed = !vector_make_room(&buffer->bytes, buffer->bytes.count + more);
  return !buffer->failed;
}

void protobuf_string(struct protobuf *buffer, unsigned field, const char *text)
{
  size_t length = strlen(text);
  if (!protobuf_need(buffer, length + 2 * PROTOBUF_VARINT_MOST))
    return;
  protobuf_key(buffer, field, PROTOBUF_BYTES);
  protobuf_put(buffer, length);
  memcpy(buffer->bytes.items + buffer->bytes.count, text, length);
  buffer->bytes.count += length;
}

void protobuf_fixed64(struct protobuf *buffer, unsigned field, uint64_t value)
{
  if (!protobuf_need(buffer, PROTOBUF_VARINT_MOST + sizeof value))
    return;
  protobuf_key(buffer, field, PROTOBUF_FIXED64);
  for (unsigned i = 0; i < sizeof value; i++)
    buffer->bytes.items[buffer->bytes.count++] = (uint8_t)(value >> 8 * i);
}

/* The message moves on when its length takes more than the byte that was kept, which is rare. */
void protobuf_close(struct protobuf *buffer, size_t begin)
{
  size_t length = buffer->bytes.count - begin;
  if (buffer->failed || (length >= 0x80 && !protobuf_need(buffer, PROTOBUF_VARINT_MOST)))
    return;
  size_t more = 0;
  for (size_t rest = length >> 7; rest > 0; rest >>= 7)
    more++;
  if (more > 0)
    memmove(buffer->bytes.items + begin + more, buffer->bytes.items + begin, length);
  buffer->bytes.count = begin - 1;
  protobuf_put(buffer, length);
  buffer->bytes.count += length;
}
