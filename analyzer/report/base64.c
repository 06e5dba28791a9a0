#include "analyzer/report/base64.h"

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
