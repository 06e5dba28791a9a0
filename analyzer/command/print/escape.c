#include "analyzer/command/print/escape.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The length of the valid UTF-8 character at `at`, or 0. */
static size_t character_length(const unsigned char *at)
{
  size_t length = at[0] < 0x80             ? 1
                  : (at[0] & 0xe0) == 0xc0 ? 2
                  : (at[0] & 0xf0) == 0xe0 ? 3
                  : (at[0] & 0xf8) == 0xf0 ? 4
                                           : 0;
  if (length < 2)
    return length;
  uint32_t code = at[0] & (0x7f >> length);
  for (size_t i = 1; i < length; i++) {
    if ((at[i] & 0xc0) != 0x80)
      return 0;
    code = code << 6 | (at[i] & 0x3f);
  }
  static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
  bool surrogate = code >= 0xd800 && code <= 0xdfff;
  return code < smallest[length] || code > 0x10ffff || surrogate ? 0 : length;
}

/* C0, DEL, C1 (U+0080 to U+009F), and what reorders or hides text: U+00AD, U+061C, U+180E, U+200B-F, U+2028-E,
 * U+2060-9, U+FEFF, U+E0000-7F. */
static bool is_harmless(const unsigned char *at, size_t length)
{
  if (length == 1)
    return at[0] >= 0x20 && at[0] != 0x7f;
  if (length == 2)
    return !(at[0] == 0xc2 && (at[1] < 0xa0 || at[1] == 0xad)) && !(at[0] == 0xd8 && at[1] == 0x9c);
  if (length == 3 && at[0] == 0xe2 && at[1] == 0x80)
    return !((at[2] >= 0x8b && at[2] <= 0x8f) || (at[2] >= 0xa8 && at[2] <= 0xae));
  if (length == 3 && at[0] == 0xe2 && at[1] == 0x81)
    return !(at[2] >= 0xa0 && at[2] <= 0xa9);
  if (length == 4)
    return !(at[0] == 0xf3 && at[1] == 0xa0 && (at[2] == 0x80 || at[2] == 0x81));
  return memcmp(at, "\xef\xbb\xbf", 3) != 0 && memcmp(at, "\xe1\xa0\x8e", 3) != 0;
}

char *escape_text(const char *text)
{
  char *escaped = malloc(4 * strlen(text) + 1);
  if (!escaped)
    return NULL;
  char *out = escaped;
  for (const unsigned char *at = (const unsigned char *)text; *at;) {
    size_t length = character_length(at);
    if (*at == '\\') {
      out = stpcpy(out, "\\\\");
      at++;
    } else if (length > 0 && is_harmless(at, length)) {
      memcpy(out, at, length);
      out += length;
      at += length;
    } else {
      size_t bytes = length > 0 ? length : 1;
      for (size_t i = 0; i < bytes; i++)
        out += sprintf(out, "\\x%02x", at[i]);
      at += bytes;
    }
  }
  *out = '\0';
  return escaped;
}

char *escape_invalid(const char *text)
{
  for (const unsigned char *at = (const unsigned char *)text; *at;) {
    size_t length = character_length(at);
    if (length == 0)
      return escape_text(text);
    at += length;
  }
  return strdup(text);
}

static bool is_plain_word(const char *text)
{
  static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+:,./-";
  return *text && text[strspn(text, plain)] == '\0';
}

static bool is_harmless_text(const char *text)
{
  for (const unsigned char *at = (const unsigned char *)text; *at;) {
    size_t length = character_length(at);
    if (length == 0 || !is_harmless(at, length))
      return false;
    at += length;
  }
  return true;
}

char *escape_shell(const char *text)
{
  if (is_plain_word(text))
    return strdup(text);
  char *word = malloc(4 * strlen(text) + 4);
  if (!word)
    return NULL;
  bool harmless = is_harmless_text(text);
  char *out = stpcpy(word, harmless ? "'" : "$'");
  for (const char *at = text; *at; at++) {
    if (*at == '\'')
      out = stpcpy(out, harmless ? "'\\''" : "\\'");
    else if (!harmless && (*at == '\\' || !is_harmless((const unsigned char *)at, 1) || (unsigned char)*at >= 0x80))
      out += sprintf(out, "\\%03o", (unsigned char)*at);
    else
      *out++ = *at;
  }
  stpcpy(out, "'");
  return word;
}

char *escape_json(const char *text)
{
  char *valid = escape_invalid(text);
  json_t *string = valid ? json_string(valid) : NULL;
  free(valid);
  char *literal = string ? json_dumps(string, JSON_ENCODE_ANY) : NULL;
  json_decref(string);
  return literal;
}

size_t escape_width(const char *text)
{
  size_t width = 0;
  for (const char *at = text; *at; at++)
    width += ((unsigned char)*at & 0xc0) != 0x80;
  return width;
}
