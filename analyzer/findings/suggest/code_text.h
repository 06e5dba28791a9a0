/* A source of C or C++: its lines, and which bytes are code, neither comment nor literal. */
#ifndef HEDDLE_ANALYZER_FINDINGS_SUGGEST_CODE_TEXT_H
#define HEDDLE_ANALYZER_FINDINGS_SUGGEST_CODE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#define CODE_TEXT_MOST (4u << 20) /* bytes; larger ones are generated */

struct code_text {
  char *text;   /* size bytes and a zero */
  bool *code;   /* by byte */
  bool fortran; /* then `code` means nothing */
  size_t size;
  size_t *lines; /* where each begins; one more: the end */
  size_t line_count;
};

/* False: it cannot be read, is too large or no text, or out of memory. Free it in any case. */
bool code_text_read(struct code_text *source, const char *path);
/* The same of a text, which is copied. */
bool code_text_of_text(struct code_text *source, const char *text, size_t size);
void code_text_free(struct code_text *source);

/* The line, from 0 on, that a byte is in. */
size_t code_text_line_of(const struct code_text *source, size_t at);

/* The next byte of code that is no blank; size: none. */
size_t code_text_skip(const struct code_text *source, size_t at);

/* Behind the statement that begins there: a block, a loop with its body, or up to a semicolon. 0: not understood. */
size_t code_text_statement_end(const struct code_text *source, size_t at);

/* How often the identifier occurs in code between. */
unsigned code_text_count(const struct code_text *source, size_t from, size_t to, const char *name, size_t length);

#endif
