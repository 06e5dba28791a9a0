#include "analyzer/findings/suggest/code_text.h"

#include "analyzer/findings/suggest/directive.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DEPTH_MOST 64 /* statements in each other */

/* Behind a literal or a comment that begins at `at`; `at` itself: none does. */
static size_t literal_end(const struct code_text *source, size_t at)
{
  const char *text = source->text;
  size_t size = source->size;
  if (text[at] == '/' && at + 1 < size && text[at + 1] == '/') {
    while (at < size && text[at] != '\n')
      at += text[at] == '\\' && at + 1 < size ? 2 : 1;
    return at < size ? at : size;
  }
  if (text[at] == '/' && at + 1 < size && text[at + 1] == '*') {
    const char *end = memmem(text + at + 2, size - at - 2, "*/", 2);
    return end ? (size_t)(end - text) + 2 : size;
  }
  if (text[at] != '"' && (text[at] != '\'' || (at > 0 && directive_is_letter(text[at - 1])))) /* 1'000 */
    return at;
  char quote = text[at];
  for (at++; at < size && text[at] != quote && text[at] != '\n'; at++)
    at += text[at] == '\\' && at + 1 < size;
  return at < size ? at + 1 : size;
}

/* R"x( ... )x": behind it. `at`: none. */
static size_t raw_end(const struct code_text *source, size_t at)
{
  const char *text = source->text;
  char end[20] = ")";
  if (text[at] != 'R' || at + 2 >= source->size || text[at + 1] != '"' || (at > 0 && directive_is_letter(text[at - 1])))
    return at;
  size_t n = 0;
  while (n < 16 && at + 2 + n < source->size && text[at + 2 + n] != '(')
    n++;
  if (n == 16 || at + 2 + n >= source->size)
    return at;
  memcpy(end + 1, text + at + 2, n);
  end[n + 1] = '"';
  const char *found = memmem(text + at + 2 + n, source->size - at - 2 - n, end, n + 2);
  return found ? (size_t)(found - text) + n + 2 : source->size;
}

static bool mark(struct code_text *source)
{
  source->code = malloc(source->size + 1);
  source->lines = malloc((source->size + 2) * sizeof *source->lines);
  if (!source->code || !source->lines)
    return false;
  for (size_t at = 0; at < source->size;) {
    size_t end = raw_end(source, at);
    end = end == at ? literal_end(source, at) : end;
    if (end > at)
      memset(source->code + at, false, end - at);
    else
      source->code[end++] = true;
    at = end;
  }
  source->code[source->size] = false;
  source->lines[source->line_count++] = 0;
  for (size_t at = 0; at < source->size; at++)
    if (source->text[at] == '\n' && at + 1 < source->size)
      source->lines[source->line_count++] = at + 1;
  source->lines[source->line_count] = source->size;
  return true;
}

bool code_text_of_text(struct code_text *source, const char *text, size_t size)
{
  *source = (struct code_text){.size = size};
  if (size == 0 || size > CODE_TEXT_MOST || memchr(text, '\0', size) || !(source->text = malloc(size + 1)))
    return false;
  memcpy(source->text, text, size);
  source->text[size] = '\0';
  return mark(source);
}

bool code_text_read(struct code_text *source, const char *path)
{
  struct stat status;
  *source = (struct code_text){.text = NULL};
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0)
    return false;
  char *text = NULL;
  ssize_t got = -1;
  if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_size <= CODE_TEXT_MOST &&
      (text = malloc((size_t)status.st_size + 1)))
    got = read(fd, text, (size_t)status.st_size);
  close(fd);
  bool good = got > 0 && got == status.st_size && code_text_of_text(source, text, (size_t)got);
  free(text);
  return good;
}

void code_text_free(struct code_text *source)
{
  free(source->text);
  free(source->code);
  free(source->lines);
  *source = (struct code_text){.text = NULL};
}

size_t code_text_line_of(const struct code_text *source, size_t at)
{
  size_t low = 0, high = source->line_count;
  while (high - low > 1) {
    size_t middle = low + (high - low) / 2;
    *(source->lines[middle] <= at ? &low : &high) = middle;
  }
  return low;
}

size_t code_text_skip(const struct code_text *source, size_t at)
{
  while (at < source->size && (!source->code[at] || strchr(" \t\r\n\f\v", source->text[at])))
    at++;
  return at;
}

/* Behind the bracket that closes the one there; 0: none does, or a line of the preprocessor comes before. */
static size_t bracket_end(const struct code_text *source, size_t at)
{
  size_t depth = 0;
  for (; at < source->size; at++) {
    char c = source->text[at];
    struct directive directive;
    if (!source->code[at])
      continue;
    depth += strchr("([{", c) ? 1 : 0;
    if (strchr(")]}", c) && --depth == 0)
      return at + 1;
    if (c == '#') {
      size_t line = source->lines[code_text_line_of(source, at)];
      if (!directive_parse(source->text + line, source->size - line, &directive))
        return 0;
      at = line + directive.next - 1;
    }
  }
  return 0;
}

static bool is_keyword(const struct code_text *source, size_t at, const char *word)
{
  size_t length = strlen(word);
  return source->size - at > length && memcmp(source->text + at, word, length) == 0 &&
         !directive_is_letter(source->text[at + length]);
}

static size_t expression_end(const struct code_text *source, size_t at)
{
  while (at < source->size) {
    char c = source->text[at];
    if (!source->code[at])
      at++;
    else if (c == ';')
      return at + 1;
    else if (strchr("([{", c)) {
      if ((at = bracket_end(source, at)) == 0)
        return 0;
    } else if (strchr(")]}#", c))
      return 0;
    else
      at++;
  }
  return 0;
}

static size_t statement_end(const struct code_text *source, size_t at, unsigned depth)
{
  struct directive directive;
  at = code_text_skip(source, at);
  if (depth == DEPTH_MOST || at >= source->size)
    return 0;
  if (source->text[at] == '{')
    return bracket_end(source, at);
  if (source->text[at] == '#') {
    size_t line = source->lines[code_text_line_of(source, at)];
    return directive_parse(source->text + line, source->size - line, &directive)
               ? statement_end(source, line + directive.next, depth + 1)
               : 0;
  }
  bool loop = is_keyword(source, at, "for") || is_keyword(source, at, "while");
  bool choice = is_keyword(source, at, "if");
  if (!loop && !choice)
    return is_keyword(source, at, "do") || is_keyword(source, at, "else") ? 0 : expression_end(source, at);
  while (at < source->size && (!source->code[at] || source->text[at] != '('))
    at++;
  if (at >= source->size || (at = bracket_end(source, at)) == 0 || (at = statement_end(source, at, depth + 1)) == 0)
    return 0;
  size_t after = code_text_skip(source, at);
  return choice && after < source->size && is_keyword(source, after, "else")
             ? statement_end(source, after + 4, depth + 1)
             : at;
}

size_t code_text_statement_end(const struct code_text *source, size_t at)
{
  return statement_end(source, at, 0);
}

unsigned code_text_count(const struct code_text *source, size_t from, size_t to, const char *name, size_t length)
{
  unsigned count = 0;
  for (size_t at = from; at < to && at < source->size; at++) {
    if (!source->code[at] || !directive_is_letter(source->text[at]))
      continue;
    size_t end = at;
    while (end < source->size && source->code[end] && directive_is_letter(source->text[end]))
      end++;
    count += end - at == length && memcmp(source->text + at, name, length) == 0;
    at = end;
  }
  return count;
}
