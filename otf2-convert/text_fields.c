#include "otf2-convert/text_fields.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int hex_digit(char c)
{
  return c >= '0' && c <= '9'   ? c - '0'
         : c >= 'a' && c <= 'f' ? c - 'a' + 10
         : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                : -1;
}

void field_unescape(char *text)
{
  char *to = text;
  for (const char *from = text; *from != 0;) {
    int high = from[0] == '\\' && from[1] == 'x' ? hex_digit(from[2]) : -1;
    int low = high < 0 ? -1 : hex_digit(from[3]);
    if (low >= 0 && (high | low) != 0) {
      *to++ = (char)(high << 4 | low);
      from += 4;
    } else {
      *to++ = *from++;
    }
  }
  *to = 0;
}

char *field_next_word(char **rest)
{
  char *at = *rest + strspn(*rest, " ");
  if (*at == 0)
    return NULL;
  char *end = at + strcspn(at, " ");
  *rest = *end == 0 ? end : end + 1;
  *end = 0;
  return at;
}

uint64_t field_next_number(char **rest, int base)
{
  *rest += strspn(*rest, " ");
  int first = hex_digit(**rest);
  return first >= 0 && first < base ? strtoull(*rest, rest, base) : 0;
}

/* Returns the size of the printable UTF-8 character here; 0: it is none. */
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

void escape_control(const char *from, char *to, size_t size)
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
