#include "analyzer/models/sequences/csl.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

bool csl_fail(const struct csl_lexer *lexer, struct error *error, const char *format, ...)
{
  char message[512];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  return error_set(error, "%s:%" PRIu64 ": %s", lexer->input.path, lexer->line, message);
}

static bool is_letter(int byte)
{
  return isalpha(byte) || byte == '_';
}

static bool add_byte(struct csl_lexer *lexer, size_t *length, int byte, struct error *error)
{
  if (*length == CSL_TEXT_LIMIT)
    return csl_fail(lexer, error, "a name is longer than %d bytes", CSL_TEXT_LIMIT);
  lexer->text[(*length)++] = (char)byte;
  return true;
}

static bool take_word(struct csl_lexer *lexer, struct error *error)
{
  size_t length = 0;
  lexer->token = CSL_WORD;
  for (int byte; is_letter(byte = input_peek(&lexer->input)) || isdigit(byte);)
    if (!add_byte(lexer, &length, input_take(&lexer->input), error))
      return false;
  lexer->text[length] = '\0';
  return true;
}

static int digit_of(int byte)
{
  return isdigit(byte) ? byte - '0' : isxdigit(byte) ? tolower(byte) - 'a' + 10 : -1;
}

/* Behind a backslash: another one, or xHH. */
static bool take_escape(struct csl_lexer *lexer, int *byte, struct error *error)
{
  int kind = input_take(&lexer->input);
  if (kind == '\\') {
    *byte = kind;
    return true;
  }
  int high = kind == 'x' ? digit_of(input_take(&lexer->input)) : -1;
  int low = high >= 0 ? digit_of(input_take(&lexer->input)) : -1;
  *byte = 16 * high + low;
  return (low >= 0 && *byte > 0) || csl_fail(lexer, error, "\\ stands before another \\ or xHH, not 00");
}

static bool take_quoted(struct csl_lexer *lexer, struct error *error)
{
  size_t length = 0;
  lexer->token = CSL_QUOTED;
  input_take(&lexer->input);
  for (;;) {
    int byte = input_take(&lexer->input);
    if (byte <= 0 || byte == '\n')
      return csl_fail(lexer, error, "a quoted name does not end on its line");
    if (byte == '\'') {
      if (input_peek(&lexer->input) != '\'')
        break;
      input_take(&lexer->input);
    }
    if (byte == '\\' && !take_escape(lexer, &byte, error))
      return false;
    if (!add_byte(lexer, &length, byte, error))
      return false;
  }
  lexer->text[length] = '\0';
  return true;
}

static bool take_digits(struct csl_lexer *lexer, struct error *error)
{
  lexer->token = CSL_NUMBER;
  lexer->number = 0;
  for (int byte; isdigit(byte = input_peek(&lexer->input)); input_take(&lexer->input)) {
    unsigned digit = (unsigned)byte - '0';
    if (lexer->number > (UINT64_MAX - digit) / 10)
      return csl_fail(lexer, error, "a number is larger than 2^64 - 1");
    lexer->number = 10 * lexer->number + digit;
  }
  return true;
}

bool csl_advance(struct csl_lexer *lexer, struct error *error)
{
  int byte;
  while (isspace(byte = input_peek(&lexer->input))) {
    input_take(&lexer->input);
    lexer->line += byte == '\n';
  }
  if (byte < 0) {
    lexer->token = CSL_END;
    return !ferror(lexer->input.file) || input_failed(&lexer->input, error);
  }
  if (isdigit(byte))
    return take_digits(lexer, error);
  if (is_letter(byte))
    return take_word(lexer, error);
  if (byte == '\'')
    return take_quoted(lexer, error);
  lexer->token = CSL_SIGN;
  lexer->sign = (char)byte;
  input_take(&lexer->input);
  if (byte != 0 && strchr(";:.,=<>-", byte))
    return true;
  lexer->token = CSL_BAD;
  return csl_fail(lexer, error, "unexpected %s%c", isprint(byte) ? "" : "byte ", isprint(byte) ? byte : '?');
}

bool csl_is_sign(const struct csl_lexer *lexer, char sign)
{
  return lexer->token == CSL_SIGN && lexer->sign == sign;
}

bool csl_is_word(const struct csl_lexer *lexer, const char *word)
{
  return lexer->token == CSL_WORD && strcasecmp(lexer->text, word) == 0;
}

bool csl_expect(struct csl_lexer *lexer, char sign, struct error *error)
{
  if (!csl_is_sign(lexer, sign))
    return csl_fail(lexer, error, "`%c` is missing", sign);
  return csl_advance(lexer, error);
}

bool csl_skip(struct csl_lexer *lexer, char sign, struct error *error)
{
  return !csl_is_sign(lexer, sign) || csl_advance(lexer, error);
}

bool csl_take_number(struct csl_lexer *lexer, uint64_t *number, const char *what, struct error *error)
{
  *number = 0;
  if (lexer->token != CSL_NUMBER)
    return csl_fail(lexer, error, "expected %s", what);
  *number = lexer->number;
  return csl_advance(lexer, error);
}

bool csl_take_integer(struct csl_lexer *lexer, int64_t *number, const char *what, struct error *error)
{
  bool negative = csl_is_sign(lexer, '-');
  uint64_t magnitude = 0;
  if (!csl_skip(lexer, '-', error) || !csl_take_number(lexer, &magnitude, what, error))
    return false;
  if (magnitude > (uint64_t)INT64_MAX + negative)
    return csl_fail(lexer, error, "%s is out of range", what);
  *number = (int64_t)(negative ? -magnitude : magnitude);
  return true;
}
