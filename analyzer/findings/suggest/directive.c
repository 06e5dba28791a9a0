#include "analyzer/findings/suggest/directive.h"

#include <string.h>

struct directive_scan {
  const char *text;
  size_t at, size;
};

static char peek(const struct directive_scan *scan, size_t ahead)
{
  return scan->size - scan->at > ahead ? scan->text[scan->at + ahead] : '\n';
}

/* Blanks, continued lines, and comments that end on the line. False: a comment does not. */
static bool skip_blanks(struct directive_scan *scan)
{
  for (;;) {
    char c = peek(scan, 0);
    if (c == ' ' || c == '\t' || c == '\f' || c == '\v' || (c == '\r' && peek(scan, 1) == '\n')) {
      scan->at++;
    } else if (c == '\\' && peek(scan, 1) == '\n' && scan->size - scan->at > 1) {
      scan->at += 2;
    } else if (c == '\\' && peek(scan, 1) == '\r' && peek(scan, 2) == '\n' && scan->size - scan->at > 2) {
      scan->at += 3;
    } else if (c == '/' && peek(scan, 1) == '*') {
      scan->at += 2;
      while (peek(scan, 0) != '\n' && !(peek(scan, 0) == '*' && peek(scan, 1) == '/'))
        scan->at++;
      if (peek(scan, 0) == '\n')
        return false;
      scan->at += 2;
    } else {
      return true;
    }
  }
}

/* The next identifier; its length, 0: there is none. */
static size_t take_identifier(struct directive_scan *scan, const char **name)
{
  *name = scan->text + scan->at;
  size_t length = 0;
  while (directive_is_letter(peek(scan, 0))) {
    scan->at++;
    length++;
  }
  return length;
}

static bool is_word(const char *name, size_t length, const char *word)
{
  return strlen(word) == length && memcmp(name, word, length) == 0;
}

/* Behind the quote; a backslash takes the character behind it. False: it does not end on the line. */
static bool skip_literal(struct directive_scan *scan, char quote)
{
  for (scan->at++; peek(scan, 0) != quote; scan->at++) {
    if (peek(scan, 0) == '\\')
      scan->at++;
    if (peek(scan, 0) == '\n')
      return false;
  }
  scan->at++;
  return true;
}

/* Behind an open parenthesis up to the parenthesis that closes it. False: none does. */
static bool take_argument(struct directive_scan *scan, struct clause *clause)
{
  unsigned depth = 1;
  clause->argument = scan->text + ++scan->at;
  while (depth > 0) {
    if (!skip_blanks(scan))
      return false;
    char c = peek(scan, 0);
    if (c == '\n' || (c == '/' && peek(scan, 1) == '/'))
      return false;
    if (c == '"' || c == '\'') {
      if (!skip_literal(scan, c))
        return false;
      continue;
    }
    depth += c == '(' ? 1 : 0;
    depth -= c == ')' ? 1 : 0;
    scan->at++;
  }
  clause->argument_length = (size_t)(scan->text + scan->at - 1 - clause->argument);
  return true;
}

static unsigned word_of(const char *name, size_t length)
{
  static const struct {
    const char *name;
    unsigned word;
  } known[] = {{"parallel", DIRECTIVE_PARALLEL}, {"for", DIRECTIVE_FOR},           {"simd", DIRECTIVE_SIMD},
               {"single", DIRECTIVE_SINGLE},     {"critical", DIRECTIVE_CRITICAL}, {"taskloop", DIRECTIVE_TASKLOOP},
               {"sections", DIRECTIVE_OTHER},    {"section", DIRECTIVE_OTHER},     {"task", DIRECTIVE_TASK},
               {"taskgroup", DIRECTIVE_OTHER},   {"taskwait", DIRECTIVE_OTHER},    {"barrier", DIRECTIVE_OTHER},
               {"master", DIRECTIVE_OTHER},      {"masked", DIRECTIVE_OTHER},      {"teams", DIRECTIVE_OTHER},
               {"target", DIRECTIVE_OTHER},      {"distribute", DIRECTIVE_OTHER},  {"loop", DIRECTIVE_OTHER},
               {"atomic", DIRECTIVE_OTHER},      {"ordered", DIRECTIVE_OTHER},     {"scope", DIRECTIVE_OTHER}};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (is_word(name, length, known[i].name))
      return known[i].word;
  return 0;
}

/* `# pragma omp` */
static bool skip_begin(struct directive_scan *scan)
{
  const char *name;
  if (!skip_blanks(scan) || peek(scan, 0) != '#')
    return false;
  scan->at++;
  for (unsigned i = 0; i < 2; i++) {
    if (!skip_blanks(scan))
      return false;
    size_t length = take_identifier(scan, &name);
    if (!is_word(name, length, i == 0 ? "pragma" : "omp"))
      return false;
  }
  return true;
}

/* Behind the last word or clause: nothing but blanks and a comment. */
static bool skip_rest(struct directive_scan *scan)
{
  if (!skip_blanks(scan))
    return false;
  if (peek(scan, 0) == '/' && peek(scan, 1) == '/')
    while (peek(scan, 0) != '\n') {
      if (peek(scan, 0) == '\\') /* the comment may go on */
        return false;
      scan->at++;
    }
  return peek(scan, 0) == '\n';
}

bool directive_parse(const char *text, size_t size, struct directive *directive)
{
  struct directive_scan scan = {text, 0, size};
  *directive = (struct directive){.words = 0};
  if (!skip_begin(&scan))
    return false;
  for (;;) {
    struct clause clause = {.argument = NULL};
    bool comma = false;
    directive->end = scan.at;
    if (!skip_blanks(&scan))
      return false;
    if (directive->words != 0 && peek(&scan, 0) == ',') {
      comma = true;
      scan.at++;
      if (!skip_blanks(&scan))
        return false;
    }
    clause.name_length = take_identifier(&scan, &clause.name);
    if (clause.name_length == 0) {
      if (comma || !skip_rest(&scan))
        return false;
      break;
    }
    unsigned word = directive->clause_count == 0 && !comma ? word_of(clause.name, clause.name_length) : 0;
    if (word == 0 && directive->words == 0)
      return false;
    directive->words |= word;
    size_t behind = scan.at;
    bool argument = skip_blanks(&scan) && peek(&scan, 0) == '(';
    if (argument && !take_argument(&scan, &clause))
      return false;
    if (!argument)
      scan.at = behind;
    if (word != 0 && argument && word != DIRECTIVE_CRITICAL) /* as ordered(2) */
      directive->words |= DIRECTIVE_OTHER;
    if (word != 0)
      continue;
    if (directive->clause_count == CLAUSES_MOST)
      return false;
    directive->clauses[directive->clause_count++] = clause;
  }
  directive->next = scan.at < size ? scan.at + 1 : size;
  return directive->words != 0;
}

bool directive_has(const struct directive *directive, const char *clause)
{
  for (unsigned i = 0; i < directive->clause_count; i++)
    if (is_word(directive->clauses[i].name, directive->clauses[i].name_length, clause))
      return true;
  return false;
}

bool directive_mentions(const struct directive *directive, const char *name, size_t length)
{
  for (unsigned i = 0; i < directive->clause_count; i++) {
    struct directive_scan scan = {directive->clauses[i].argument, 0, directive->clauses[i].argument_length};
    while (scan.text && scan.at < scan.size) {
      const char *found;
      size_t own = take_identifier(&scan, &found);
      if (own == length && memcmp(found, name, length) == 0)
        return true;
      scan.at += own == 0;
    }
  }
  return false;
}
