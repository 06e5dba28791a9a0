#include "analyzer/report/elements.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/types.h>
#include <zlib.h>

enum { GROUPS = 1024 /* written at once */ };

static void make_group(char text[4], const unsigned char *bytes, unsigned count)
{
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  unsigned group = (unsigned)bytes[0] << 16 | (count > 1 ? (unsigned)bytes[1] << 8 : 0) | (count > 2 ? bytes[2] : 0U);
  text[0] = digits[group >> 18];
  text[1] = digits[group >> 12 & 63];
  text[2] = count > 1 ? digits[group >> 6 & 63] : '=';
  text[3] = count > 2 ? digits[group & 63] : '=';
}

static void put_rest(struct base64 *base64)
{
  char text[4];
  make_group(text, base64->rest, base64->count);
  fwrite(text, 1, sizeof text, base64->file);
  base64->count = 0;
}

void base64_put(struct base64 *base64, const void *bytes, size_t size)
{
  const unsigned char *at = bytes, *end = at + size;
  char text[4 * GROUPS];
  while (base64->count > 0 && at < end) {
    base64->rest[base64->count++] = *at++;
    if (base64->count == 3)
      put_rest(base64);
  }
  while (end - at >= 3) {
    size_t used = 0;
    for (; end - at >= 3 && used < sizeof text; at += 3, used += 4)
      make_group(text + used, at, 3);
    fwrite(text, 1, used, base64->file);
  }
  while (at < end)
    base64->rest[base64->count++] = *at++;
}

void base64_end(struct base64 *base64)
{
  if (base64->count > 0)
    put_rest(base64);
}

enum { LEVEL = 4, WINDOW = -15 /* raw */, MEMORY = 8, FILE_STEP = 1 << 16 };

struct deflater {
  z_stream stream;
  size_t room;
  unsigned char out[];
};

struct deflater *deflater_create(size_t size)
{
  size_t room = size + size / 1000 + 64; /* deflate never needs more for what can't be compressed */
  struct deflater *deflater = calloc(1, sizeof *deflater + room);
  if (!deflater)
    return NULL;
  deflater->room = room;
  if (deflateInit2(&deflater->stream, LEVEL, Z_DEFLATED, WINDOW, MEMORY, Z_DEFAULT_STRATEGY) == Z_OK)
    return deflater;
  free(deflater);
  return NULL;
}

void deflater_destroy(struct deflater *deflater)
{
  if (!deflater)
    return;
  deflateEnd(&deflater->stream);
  free(deflater);
}

const unsigned char *deflater_piece(struct deflater *deflater, const void *bytes, size_t size, size_t *compressed)
{
  z_stream *stream = &deflater->stream;
  deflateReset(stream);
  stream->next_in = (Bytef *)bytes; /* the library only reads it */
  stream->avail_in = (uInt)size;
  stream->next_out = deflater->out;
  stream->avail_out = (uInt)deflater->room;
  deflate(stream, Z_FINISH);
  *compressed = deflater->room - stream->avail_out;
  return deflater->out;
}

/* State of the file of deflated_open(). */
struct sink {
  z_stream stream;
  unsigned char *bytes;
  size_t size, capacity;
  bool failed;
  unsigned char **bytes_out;
  size_t *size_out;
};

static bool grow(struct sink *sink)
{
  size_t capacity = 2 * sink->capacity + FILE_STEP;
  unsigned char *bytes = realloc(sink->bytes, capacity);
  if (!bytes)
    return false;
  sink->bytes = bytes;
  sink->capacity = capacity;
  return true;
}

/* Hands everything that is in stream->next_in to the library; with Z_FINISH until it is done. */
static bool deflated_push(struct sink *sink, int flush)
{
  int status;
  do {
    if (sink->capacity - sink->size < FILE_STEP && !grow(sink))
      return false;
    sink->stream.next_out = sink->bytes + sink->size;
    sink->stream.avail_out = FILE_STEP;
    status = deflate(&sink->stream, flush);
    sink->size += FILE_STEP - sink->stream.avail_out;
  } while (sink->stream.avail_out == 0 || (flush == Z_FINISH && status == Z_OK));
  return true;
}

static ssize_t write_sink(void *cookie, const char *bytes, size_t size)
{
  struct sink *sink = cookie;
  sink->stream.next_in = (Bytef *)bytes;
  sink->stream.avail_in = (uInt)size;
  if (deflated_push(sink, Z_NO_FLUSH))
    return (ssize_t)size;
  sink->failed = true;
  errno = ENOMEM;
  return 0;
}

static int close_sink(void *cookie)
{
  struct sink *sink = cookie;
  bool good = !sink->failed && deflated_push(sink, Z_FINISH);
  deflateEnd(&sink->stream);
  if (good) {
    *sink->bytes_out = sink->bytes;
    *sink->size_out = sink->size;
  } else {
    free(sink->bytes);
    errno = ENOMEM;
  }
  free(sink);
  return good ? 0 : -1;
}

FILE *deflated_open(unsigned char **bytes, size_t *size)
{
  struct sink *sink = calloc(1, sizeof *sink);
  *bytes = NULL;
  *size = 0;
  if (!sink)
    return NULL;
  sink->bytes_out = bytes;
  sink->size_out = size;
  if (deflateInit2(&sink->stream, LEVEL, Z_DEFLATED, WINDOW, MEMORY, Z_DEFAULT_STRATEGY) != Z_OK) {
    free(sink);
    return NULL;
  }
  FILE *file = fopencookie(sink, "w", (cookie_io_functions_t){.write = write_sink, .close = close_sink});
  if (file) {
    setvbuf(file, NULL, _IOFBF, FILE_STEP);
    return file;
  }
  deflateEnd(&sink->stream);
  free(sink);
  return NULL;
}
