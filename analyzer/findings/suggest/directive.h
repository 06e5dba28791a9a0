/*
 * A directive of OpenMP in a source of C or C++: its words, its clauses, and where another clause fits. What is not
 * wholly understood is no directive.
 */
#ifndef HEDDLE_ANALYZER_FINDINGS_SUGGEST_DIRECTIVE_H
#define HEDDLE_ANALYZER_FINDINGS_SUGGEST_DIRECTIVE_H

#include <stdbool.h>
#include <stddef.h>

enum directive_word {
  DIRECTIVE_PARALLEL = 1,
  DIRECTIVE_FOR = 2,
  DIRECTIVE_SIMD = 4,
  DIRECTIVE_SINGLE = 8,
  DIRECTIVE_CRITICAL = 16,
  DIRECTIVE_TASKLOOP = 32,
  DIRECTIVE_TASK = 64,
  DIRECTIVE_OTHER = 128 /* any other word */
};

#define CLAUSES_MOST 32

struct clause {
  const char *name, *argument; /* within the text, not ended by a zero; argument NULL: it has none */
  size_t name_length, argument_length;
};

struct directive {
  unsigned words;
  unsigned clause_count;
  struct clause clauses[CLAUSES_MOST];
  size_t end;  /* behind the last word or clause */
  size_t next; /* the begin of the next line; a backslash at the end of a line goes on with the next one */
};

/* text: from the begin of a line on. False: this line is no directive, or not understood. */
bool directive_parse(const char *text, size_t size, struct directive *directive);

bool directive_has(const struct directive *directive, const char *clause);
/* True if an argument of a clause has the identifier. */
bool directive_mentions(const struct directive *directive, const char *name, size_t length);

static inline bool directive_is_letter(char c)
{
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$' ||
         (unsigned char)c >= 0x80;
}

#endif
