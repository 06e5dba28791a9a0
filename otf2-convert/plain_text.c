#include "otf2-convert/plain_text.h"

#include <stdio.h>
#include <string.h>

/* How many bytes the whole, printable UTF-8 character here has; 0: it is none. */
static size_t character(const unsigned char *at)
{
  size_t length = 0;
  if (at[0] >= 0x20 && at[0] < 0x7f)
    length = 1;
  else if (at[0] >= 0xc2 && at[0] < 0xe0)
    length = 2;
  else if (at[0] >= 0xe0 && at[0] < 0xf0)
    length = 3;
  else if (at[0] >= 0xf0 && at[0] < 0xf5)
    length = 4;
  for (size_t i = 1; i < length; i++)
    if ((at[i] & 0xc0) != 0x80)
      return 0;
  if (length == 2 && at[0] == 0xc2 && at[1] < 0xa0)
    return 0; /* C1 control characters */
  if ((at[0] == 0xe0 && length == 3 && at[1] < 0xa0) || (at[0] == 0xed && length == 3 && at[1] >= 0xa0))
    return 0; /* overlong; surrogates */
  if ((at[0] == 0xf0 && length == 4 && at[1] < 0x90) || (at[0] == 0xf4 && length == 4 && at[1] >= 0x90))
    return 0; /* overlong; beyond Unicode */
  return length;
}

void plain_text(const char *from, char *to, size_t size)
{
  const unsigned char *at = (const unsigned char *)from;
  size_t used = 0;
  while (*at != 0) {
    size_t n = character(at);
    if (used + (n != 0 ? n : 4) >= size)
      break;
    if (n != 0) {
      memcpy(to + used, at, n);
      used += n;
      at += n;
    } else {
      snprintf(to + used, 5, "\\x%02x", *at++);
      used += 4;
    }
  }
  to[used] = 0;
}
