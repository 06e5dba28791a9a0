/* Private to intervals/: what lexer and grammar share while they read a specification. */
#ifndef HEDDLE_ANALYZER_ANALYSES_INTERVALS_READER_H
#define HEDDLE_ANALYZER_ANALYSES_INTERVALS_READER_H

#include "analyzer/analyses/intervals/spec.h"

/* Where a token or a rule stands in the text: its first byte, and the bytes from `begin` to `end`. */
struct spec_span {
  struct spec_place place;
  size_t begin, end;
};

struct spec_reader {
  struct spec *spec;
  const char *text; /* whole */
  struct error *error;
  bool failed;                      /* `error` has the first mistake */
  struct spec_place at;             /* of the next token, for the lexer */
  size_t offset;                    /* likewise */
  struct spec_interval *interval;   /* the last one, which options belong to */
  struct spec_assertion *assertion; /* likewise */
};

/* Reads the text, which ends with zeros behind its `size` bytes, and changes it meanwhile. False: a mistake, or out of
 * memory, which has no message. */
#define READER_MARKS 2 /* zeros */
bool reader_scan(struct spec_reader *reader, char *text, size_t size);

/* For the lexer and the grammar; the first message counts. */
__attribute__((format(printf, 3, 4))) void reader_fail(struct spec_reader *reader, struct spec_place place,
                                                       const char *format, ...);

/* Memory for `type`, or NULL after a message. */
#define reader_new(reader, type) ((type *)reader_allocate(reader, sizeof(type)))
void *reader_allocate(struct spec_reader *reader, size_t size);

/* A part of the text, and that of a token, as a text that lasts; NULL after a message. */
const char *reader_text(struct spec_reader *reader, size_t begin, size_t end);
const char *reader_word(struct spec_reader *reader, const struct spec_span *span);

/* Nodes of the tree; NULL after a message, or if an operand is NULL. */
struct spec_expr *reader_literal(struct spec_reader *reader, enum spec_op op, struct spec_place place);
struct spec_expr *reader_operator(struct spec_reader *reader, enum spec_op op, struct spec_place place,
                                  struct spec_expr *left, struct spec_expr *right);

#endif
