#include "analyzer/exchange/export/gzip.h"

#ifdef HEDDLE_NO_REPORT /* zlib is the report's */

bool gzip_write(struct sink *sink, const uint8_t *bytes, size_t count)
{
  sink_bytes(sink, (const char *)bytes, count);
  return true;
}

#else

#include <zlib.h>

enum { ROOM = 65536, GZIP = 16 + MAX_WBITS, MEMORY = 8, MOST_IN = 1 << 30 };

bool gzip_write(struct sink *sink, const uint8_t *bytes, size_t count)
{
  z_stream stream = {.next_in = (Bytef *)bytes};
  Bytef room[ROOM];
  int code;
  if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP, MEMORY, Z_DEFAULT_STRATEGY) != Z_OK)
    return false;
  do {
    if (stream.avail_in == 0) {
      stream.avail_in = count < MOST_IN ? (uInt)count : MOST_IN;
      count -= stream.avail_in;
    }
    stream.next_out = room;
    stream.avail_out = ROOM;
    code = deflate(&stream, count == 0 ? Z_FINISH : Z_NO_FLUSH);
    sink_bytes(sink, (const char *)room, ROOM - stream.avail_out);
  } while (code == Z_OK && !sink_failed(sink));
  deflateEnd(&stream);
  return true;
}

#endif
