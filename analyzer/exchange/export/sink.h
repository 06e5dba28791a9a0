/*
 * Private to export/. Sink of a format: a file that is written text by text and number by number, much faster than with
 * printf(). It also writes messages of Protocol Buffers in memory.
 */
#ifndef HEDDLE_ANALYZER_EXCHANGE_EXPORT_SINK_H
#define HEDDLE_ANALYZER_EXCHANGE_EXPORT_SINK_H

#include "analyzer/trace/output.h"
#include "base/vector.h"

#include <stdint.h>
#include <string.h>

#define SINK_ROOM 65536

struct sink {
  struct output output;
  int failure; /* errno of the first write that failed; 0: none */
  size_t used;
  char room[SINK_ROOM];
};

/* As output_open(), output_close(). */
bool sink_open(struct sink *sink, const char *path, struct error *error);
/* Writes the rest, so that closing cannot fail for want of space. False: a write failed. */
bool sink_finish(struct sink *sink);
/* Fills in the reason of a failed write; returns false. */
bool sink_fail(const struct sink *sink, struct error *error);
bool sink_close(struct sink *sink, bool good, struct error *error);

/* True if written text can still be changed: not in a device, a pipe or standard output. */
bool sink_is_file(const struct sink *sink);
/* Replaces the number that was written at `at` in a file; nothing may be written after that. */
void sink_replace_number(struct sink *sink, size_t at, uint64_t old, uint64_t number);

void sink_bytes(struct sink *sink, const char *text, size_t length);
void sink_number(struct sink *sink, uint64_t number);
void sink_signed(struct sink *sink, int64_t number);
/* Writes ns as a decimal fraction with `digits` (1 to 9) behind the point: 3 us, 9 seconds. */
void sink_fraction(struct sink *sink, uint64_t ns, unsigned digits);

static inline void sink_text(struct sink *sink, const char *text)
{
  sink_bytes(sink, text, strlen(text));
}

static inline void sink_char(struct sink *sink, char character)
{
  sink_bytes(sink, &character, 1);
}

/* True if a write has failed; then going on is useless. */
static inline bool sink_failed(const struct sink *sink)
{
  return sink->failure != 0;
}

/*
 * Messages of Protocol Buffers, written field by field into memory. Nested messages are opened and closed; then their
 * lengths are known. Fields have the numbers of a .proto.
 */

/* All zeros: empty. */
struct protobuf {
  VECTOR(uint8_t) bytes;
  bool failed; /* out of memory: the content is useless */
};

/* Types of values in a field's key. */
enum { PROTOBUF_VARINT = 0, PROTOBUF_FIXED64 = 1, PROTOBUF_BYTES = 2 };
enum { PROTOBUF_VARINT_MOST = 10 };

void protobuf_free(struct protobuf *buffer);

/* Makes room for `more` bytes. False: out of memory. */
bool protobuf_grow(struct protobuf *buffer, size_t more);

void protobuf_string(struct protobuf *buffer, unsigned field, const char *text);
void protobuf_fixed64(struct protobuf *buffer, unsigned field, uint64_t value);

/* Ends a nested message; `begin` is the result of protobuf_open(). */
void protobuf_close(struct protobuf *buffer, size_t begin);

static inline bool protobuf_need(struct protobuf *buffer, size_t more)
{
  return buffer->bytes.room - buffer->bytes.count >= more || protobuf_grow(buffer, more);
}

/* There must be room. */
static inline void protobuf_put(struct protobuf *buffer, uint64_t value)
{
  uint8_t *at = buffer->bytes.items + buffer->bytes.count;
  for (; value >= 0x80; value >>= 7)
    *at++ = (uint8_t)(value | 0x80);
  *at++ = (uint8_t)value;
  buffer->bytes.count = (size_t)(at - buffer->bytes.items);
}

static inline void protobuf_key(struct protobuf *buffer, unsigned field, unsigned kind)
{
  protobuf_put(buffer, (uint64_t)field << 3 | kind);
}

/* uint32, uint64, bool, enums; also int32 and int64, which are their bits as uint64_t. */
static inline void protobuf_number(struct protobuf *buffer, unsigned field, uint64_t value)
{
  if (!protobuf_need(buffer, 2 * PROTOBUF_VARINT_MOST))
    return;
  protobuf_key(buffer, field, PROTOBUF_VARINT);
  protobuf_put(buffer, value);
}

/* Begins a nested message; the result is for protobuf_close(). One byte is kept for its length. */
static inline size_t protobuf_open(struct protobuf *buffer, unsigned field)
{
  if (!protobuf_need(buffer, 2 * PROTOBUF_VARINT_MOST))
    return 0;
  protobuf_key(buffer, field, PROTOBUF_BYTES);
  return ++buffer->bytes.count;
}

#endif
