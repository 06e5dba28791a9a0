#include "analyzer/report/base64.h"

static void put_group(FILE *file, const unsigned char *bytes, unsigned count)
{
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  unsigned group = (unsigned)bytes[0] << 16 | (count > 1 ? (unsigned)bytes[1] << 8 : 0) | (count > 2 ? bytes[2] : 0U);
  char text[4] = {digits[group >> 18], digits[group >> 12 & 63], count > 1 ? digits[group >> 6 & 63] : '=',
                  count > 2 ? digits[group & 63] : '='};
  fwrite(text, 1, sizeof text, file);
}

void base64_put(struct base64 *base64, const void *bytes, size_t size)
{
  const unsigned char *at = bytes, *end = at + size;
  while (base64->count > 0 && at < end) {
    base64->rest[base64->count++] = *at++;
    if (base64->count == 3) {
      put_group(base64->file, base64->rest, 3);
      base64->count = 0;
    }
  }
  for (; end - at >= 3; at += 3)
    put_group(base64->file, at, 3);
  while (at < end)
    base64->rest[base64->count++] = *at++;
}

void base64_end(struct base64 *base64)
{
  if (base64->count > 0)
    put_group(base64->file, base64->rest, base64->count);
  base64->count = 0;
}
