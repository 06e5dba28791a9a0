#include "jvmti-agent/core/names.h"

#include "base/count_of.h"
#include "common/process/text.h"

#include <stdbool.h>
#include <string.h>

static bool continues(unsigned char c)
{
  return (c & 0xc0) == 0x80;
}

/* The length of the character at c, which is not below 0x80; 0: it is none. Reads no further than the zero. */
static size_t length_of(const unsigned char *c)
{
  size_t n = (c[0] & 0xe0) == 0xc0 ? 2 : (c[0] & 0xf0) == 0xe0 ? 3 : (c[0] & 0xf8) == 0xf0 ? 4 : 0;
  for (size_t i = 1; i < n; i++)
    if (!continues(c[i]))
      return 0;
  return n;
}

static unsigned names_code_of(const unsigned char *c, size_t n)
{
  unsigned code = n < 2 ? *c : *c & 0x7fu >> n;
  for (size_t i = 1; i < n; i++)
    code = code << 6 | (c[i] & 63u);
  return code;
}

/* Not one in more bytes than it needs, not half a pair, nothing beyond the last one. */
static bool is_character(unsigned code, size_t n)
{
  static const unsigned least[] = {0, 0, 0x80, 0x800, 0x10000};
  return n > 0 && code >= least[n] && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
}

/* True if the three bytes at c are the second half of a pair. */
static bool is_second_half(const unsigned char *c)
{
  return length_of(c) == 3 && names_code_of(c, 3) >= 0xdc00 && names_code_of(c, 3) < 0xe000;
}

void name_to_utf8(char *name)
{
  unsigned char *from = (unsigned char *)name, *to = from;
  while (*from) {
    size_t n = *from < 0x80 ? 1 : length_of(from);
    unsigned code = names_code_of(from, n);
    if (n == 3 && code >= 0xd800 && code < 0xdc00 && is_second_half(from + 3)) {
      code = 0x10000 + ((code - 0xd800) << 10) + (names_code_of(from + 3, 3) - 0xdc00);
      *to++ = (unsigned char)(0xf0 | code >> 18);
      *to++ = (unsigned char)(0x80 | (code >> 12 & 63));
      *to++ = (unsigned char)(0x80 | (code >> 6 & 63));
      *to++ = (unsigned char)(0x80 | (code & 63));
      from += 6;
    } else if (!is_character(code, n)) {
      *to++ = '?';
      from += n ? n : 1;
    } else {
      memmove(to, from, n);
      to += n;
      from += n;
    }
  }
  *to = '\0';
}

static const char *primitive(char letter)
{
  static const struct {
    char letter;
    const char *name;
  } all[] = {{'Z', "boolean"}, {'B', "byte"},  {'C', "char"},   {'S', "short"}, {'I', "int"},
             {'J', "long"},    {'F', "float"}, {'D', "double"}, {'V', "void"}};
  for (size_t i = 0; i < COUNT_OF(all); i++)
    if (all[i].letter == letter)
      return all[i].name;
  return "?";
}

void name_of_signature(const char *signature, char *name, size_t size)
{
  struct text text = {.bytes = name, .size = size};
  size_t dimensions = strspn(signature, "[");
  const char *element = signature + dimensions;
  name[0] = '\0';
  if (*element == 'L') {
    text_add_bytes(&text, element + 1, strcspn(element + 1, ";"));
    /* In the signature of a hidden class, '.' stands before its number: java.lang.Class.getName has '/' there. */
    for (char *c = name; *c; c++)
      *c = *c == '/' ? '.' : *c == '.' ? '/' : *c;
  } else {
    text_add(&text, primitive(*element));
  }
  for (size_t i = 0; i < dimensions; i++)
    text_add(&text, "[]");
  name_to_utf8(name);
}
