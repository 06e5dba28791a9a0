#include "analyzer/exchange/export/sink.h"

#include "analyzer/command/print/units.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

bool sink_open(struct sink *sink, const char *path, struct error *error)
{
  sink->used = 0;
  sink->failure = 0;
  return output_open(&sink->output, path, error);
}

static void write_out(struct sink *sink, const char *text, size_t length)
{
  errno = 0;
  if (fwrite(text, 1, length, sink->output.file) < length && sink->failure == 0)
    sink->failure = errno ? errno : EIO;
}

static void flush(struct sink *sink)
{
  write_out(sink, sink->room, sink->used);
  sink->used = 0;
}

bool sink_finish(struct sink *sink)
{
  flush(sink);
  errno = 0;
  if (fflush(sink->output.file) != 0 && sink->failure == 0)
    sink->failure = errno ? errno : EIO;
  return sink->failure == 0;
}

bool sink_fail(const struct sink *sink, struct error *error)
{
  return error_set(error, "%s: cannot write: %s", sink->output.path, strerror(sink->failure));
}

bool sink_close(struct sink *sink, bool good, struct error *error)
{
  sink_finish(sink);
  bool closed = output_close(&sink->output, good && sink->failure == 0, error);
  if (good && sink->failure != 0)
    return sink_fail(sink, error);
  return closed;
}

bool sink_is_file(const struct sink *sink)
{
  return sink->output.part;
}

static bool read_fully(int file, char *bytes, size_t length, off_t at)
{
  for (ssize_t got; length > 0; bytes += got, at += got, length -= (size_t)got)
    if ((got = pread(file, bytes, length, at)) <= 0)
      return false;
  return true;
}

static bool write_fully(int file, const char *bytes, size_t length, off_t at)
{
  for (ssize_t put; length > 0; bytes += put, at += put, length -= (size_t)put)
    if ((put = pwrite(file, bytes, length, at)) <= 0)
      return false;
  return true;
}

/* Moves the file's bytes from `at` on, the last ones first, through the sink's buffer. */
static bool move_rest(struct sink *sink, int file, off_t at, off_t by)
{
  off_t end = lseek(file, 0, SEEK_END);
  bool good = end >= at;
  while (good && end > at) {
    size_t length = end - at < SINK_ROOM ? (size_t)(end - at) : SINK_ROOM;
    end -= (off_t)length;
    good = read_fully(file, sink->room, length, end) && write_fully(file, sink->room, length, end + by);
  }
  return good;
}

void sink_replace_number(struct sink *sink, size_t at, uint64_t old, uint64_t number)
{
  char text[DIGITS_MOST];
  char *end = text + DIGITS_MOST, *begin = digits_before(end, old, 1);
  size_t before = (size_t)(end - begin);
  begin = digits_before(end, number, 1);
  size_t now = (size_t)(end - begin);
  if (!sink_finish(sink))
    return;
  int file = fileno(sink->output.file);
  errno = 0;
  bool good = now == before || move_rest(sink, file, (off_t)(at + before), (off_t)(now - before));
  if (!good || !write_fully(file, begin, now, (off_t)at))
    sink->failure = errno ? errno : EIO;
}

void sink_bytes(struct sink *sink, const char *text, size_t length)
{
  if (sink->used + length > SINK_ROOM)
    flush(sink);
  if (length > SINK_ROOM) {
    write_out(sink, text, length);
    return;
  }
  memcpy(sink->room + sink->used, text, length);
  sink->used += length;
}

void sink_number(struct sink *sink, uint64_t number)
{
  char text[DIGITS_MOST];
  char *begin = digits_before(text + DIGITS_MOST, number, 1);
  sink_bytes(sink, begin, (size_t)(text + DIGITS_MOST - begin));
}

void sink_signed(struct sink *sink, int64_t number)
{
  if (number < 0)
    sink_char(sink, '-');
  sink_number(sink, number < 0 ? -(uint64_t)number : (uint64_t)number);
}

void sink_fraction(struct sink *sink, uint64_t ns, unsigned digits)
{
  uint64_t one = 1;
  for (unsigned i = 0; i < digits; i++)
    one *= 10;
  char text[2 * DIGITS_MOST];
  char *begin = digits_before(text + sizeof text, ns % one, digits);
  *--begin = '.';
  begin = digits_before(begin, ns / one, 1);
  sink_bytes(sink, begin, (size_t)(text + sizeof text - begin));
}

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
