/* Clauses of directives in Fortran, in free form: `!$omp do`. A directive that is not wholly understood is not edited.
 */
#include "analyzer/findings/suggest/fortran.h"

#include "analyzer/findings/suggest/directive.h"
#include "common/raw/archive_names.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#define FORTRAN_ABOVE  8   /* lines between a directive and the line that a compiler names */
#define FORTRAN_BEHIND 400 /* ... and its end directive */
#define FORTRAN_MOST   512 /* characters of a directive */
#define FORTRAN_LINE   132 /* ... and of a line */

/* A directive with its continued lines, in small letters and with single blanks: " do schedule(static)". */
struct fortran_directive {
  char text[FORTRAN_MOST];
  size_t first, last; /* lines */
  size_t end;         /* behind its last character, in the source */
};

bool fortran_is_source(const char *path)
{
  static const char *const endings[] = {".f90", ".f95", ".f03", ".f08"}; /* .f has a fixed form */
  const char *dot = strrchr(path, '.');
  for (size_t i = 0; dot && i < sizeof endings / sizeof *endings; i++)
    if (strcasecmp(dot, endings[i]) == 0)
      return true;
  return false;
}

/* Behind `!$omp` and an ampersand. SIZE_MAX: the line is none of a directive. */
static size_t sentinel_end(const struct code_text *source, size_t line)
{
  const char *at = source->text + source->lines[line];
  at += strspn(at, " \t");
  if (strncasecmp(at, NAME_OMP, 5) != 0 || !strchr(" \t&", at[5]) || at[5] == '\0')
    return SIZE_MAX;
  at += 5;
  at += strspn(at, " \t");
  return (size_t)(at + (*at == '&') - source->text);
}

/* Adds a line's part. *more: another line follows. False: it is not understood. */
static bool add_line(const struct code_text *source, size_t line, struct fortran_directive *directive, bool *more)
{
  size_t at = sentinel_end(source, line), length = strlen(directive->text);
  *more = false;
  if (at == SIZE_MAX)
    return false;
  for (; at < source->lines[line + 1] && source->text[at] != '\n' && source->text[at] != '!'; at++) {
    char c = source->text[at];
    if (c == '&')
      *more = true;
    else if (!strchr(" \t\r", c)) {
      if (*more || strchr("'\";", c) || length + 3 > sizeof directive->text)
        return false; /* an ampersand in the middle, a literal, another statement */
      bool apart = length > 0 && at > 0 && strchr(" \t&", source->text[at - 1]) &&
                   directive_is_letter(directive->text[length - 1]) && directive_is_letter(c);
      if (apart || length == 0)
        directive->text[length++] = ' ';
      directive->text[length++] = (char)tolower((unsigned char)c);
      directive->end = at + 1;
    }
  }
  directive->text[length] = '\0';
  directive->last = line;
  return true;
}

/* The directive that begins on a line. False: none, or not understood. */
static bool read_directive(const struct code_text *source, size_t line, struct fortran_directive *directive)
{
  bool more = true;
  *directive = (struct fortran_directive){.first = line};
  for (size_t at = line; more; at++)
    if (at >= source->line_count || !add_line(source, at, directive, &more))
      return false;
  return directive->text[0] != '\0';
}

/* Whether the text begins with the words, and another one, a clause or nothing follows. */
static const char *behind_words(const char *text, const char *words)
{
  size_t length = strlen(words);
  return strncmp(text, words, length) == 0 && !directive_is_letter(text[length]) ? text + length : NULL;
}

/* Whether a clause of the name stands outside of parentheses. */
static bool has_clause(const char *clauses, const char *name)
{
  int depth = 0;
  for (const char *at = clauses; *at; at++) {
    depth += *at == '(' ? 1 : *at == ')' ? -1 : 0;
    bool begins = at == clauses || !directive_is_letter(at[-1]);
    if (depth == 0 && begins && behind_words(at, name))
      return true;
  }
  return false;
}

static bool is_balanced(const char *text)
{
  int depth = 0;
  for (; *text && depth >= 0; text++)
    depth += *text == '(' ? 1 : *text == ')' ? -1 : 0;
  return depth == 0;
}

/* The first directive behind that begins with one of two spellings. False: none before another ` words`. */
static bool find_end(const struct code_text *source, size_t line, const char *words, const char *spelling,
                     const char *other, struct fortran_directive *end)
{
  for (size_t at = line; at < source->line_count && at < line + FORTRAN_BEHIND; at++) {
    if (sentinel_end(source, at) == SIZE_MAX)
      continue;
    if (!read_directive(source, at, end) || behind_words(end->text, words))
      return false;
    if (behind_words(end->text, spelling) || behind_words(end->text, other))
      return true;
    at = end->last;
  }
  return false;
}

/* A directive of its own line or above the line, with nothing but comments between. */
static bool find_above(const struct code_text *source, uint32_t line, struct fortran_directive *directive)
{
  for (size_t above = 0; above <= FORTRAN_ABOVE && above < line; above++) {
    size_t at = line - 1 - above;
    const char *text = source->text + source->lines[at];
    text += strspn(text, " \t\r");
    if (read_directive(source, at, directive)) {
      const char *before = source->text + source->lines[at > 0 ? at - 1 : 0];
      size_t length = at > 0 ? source->lines[at] - source->lines[at - 1] : 0;
      while (length > 0 && strchr(" \t\r\n", before[length - 1]))
        length--;
      if (length == 0 || before[length - 1] != '&') /* not a continued line of another one */
        return true;
    }
    if (above > 0 && *text != '!' && *text != '\n' && *text != '\0')
      return false;
  }
  return false;
}

/* The line on which the directive ends, with the clause. False: out of memory. */
static bool add_to(const struct code_text *source, const struct fortran_directive *directive, const char *clause,
                   struct change *change)
{
  size_t from = source->lines[directive->last], behind = source->lines[directive->last + 1];
  struct edit *edit = &change->edits[0];
  if (behind - from + strlen(clause) > FORTRAN_LINE)
    return true;
  edit->line = directive->last;
  edit->count = 1;
  snprintf(change->title, sizeof change->title, "%s", clause);
  int length = asprintf(&edit->text, "%.*s %s%.*s", (int)(directive->end - from), source->text + from, clause,
                        (int)(behind - directive->end), source->text + directive->end);
  change->count = length >= 0;
  return length >= 0;
}

/* A loop without a schedule, an order, and nowait at its end. */
static bool may_schedule(const struct code_text *source, const struct fortran_directive *directive)
{
  struct fortran_directive end;
  const char *clauses = behind_words(directive->text, " parallel do");
  if (!clauses)
    clauses = behind_words(directive->text, " do");
  if (!clauses || behind_words(clauses, " simd") || has_clause(clauses, "schedule") || has_clause(clauses, "ordered") ||
      has_clause(clauses, "nowait"))
    return false;
  return !behind_words(directive->text, " do") ||
         !find_end(source, directive->last + 1, " do", " end do", " enddo", &end) || !has_clause(end.text, "nowait");
}

bool fortran_add_clause(const struct code_text *source, uint32_t line, const char *clause, struct change *change)
{
  struct fortran_directive directive, end;
  *change = (struct change){.count = 0};
  if (line == 0 || line > source->line_count || !find_above(source, line, &directive) || !is_balanced(directive.text))
    return true;
  if (strncmp(clause, "schedule(", 9) == 0)
    return !may_schedule(source, &directive) || add_to(source, &directive, clause, change);
  if (strcmp(clause, "nowait") == 0)
    return !behind_words(directive.text, " single") || has_clause(directive.text, "nowait") ||
           has_clause(directive.text, "copyprivate") ||
           !find_end(source, directive.last + 1, " single", " end single", " endsingle", &end) ||
           strlen(end.text) > strlen(" end single") || add_to(source, &end, clause, change);
  const char *clauses = behind_words(directive.text, " taskloop");
  return !clauses || behind_words(clauses, " simd") || has_clause(clauses, "grainsize") ||
         has_clause(clauses, "num_tasks") || add_to(source, &directive, clause, change);
}
