#include "otf2-convert/line_words.h"

#include <stdlib.h>
#include <string.h>

static int hex_digit(char c)
{
  return c >= '0' && c <= '9'   ? c - '0'
         : c >= 'a' && c <= 'f' ? c - 'a' + 10
         : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                : -1;
}

void line_unescape(char *text)
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

char *line_next_word(char **rest)
{
  char *at = *rest + strspn(*rest, " ");
  if (*at == 0)
    return NULL;
  char *end = at + strcspn(at, " ");
  *rest = *end == 0 ? end : end + 1;
  *end = 0;
  return at;
}

uint64_t line_next_number(char **rest, int base)
{
  *rest += strspn(*rest, " ");
  int first = hex_digit(**rest);
  return first >= 0 && first < base ? strtoull(*rest, rest, base) : 0;
}
