#include "analyzer/findings/suggest/edits.h"

#include "analyzer/findings/suggest/directive.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINES_ABOVE  8   /* a compiler has the line of the loop, or of a continued line */
#define LINES_AROUND 400 /* between a critical section and its loop */
#define NAME_MOST    64

void change_free(struct change *change)
{
  for (unsigned i = 0; i < change->count; i++)
    free(change->edits[i].text);
  *change = (struct change){.count = 0};
}

static bool parse_line(const struct code_text *source, size_t line, struct directive *directive)
{
  size_t begin = source->lines[line];
  const char *at = source->text + begin;
  size_t indent = strspn(at, " \t");
  return at[indent] == '#' && source->code[begin + indent] && directive_parse(at, source->size - begin, directive);
}

/* The directive of a line that a compiler names: there, or above it with nothing between. */
static bool find_directive(const struct code_text *source, uint32_t line, size_t *found, struct directive *directive)
{
  if (line == 0 || line > source->line_count)
    return false;
  for (size_t above = 0; above <= LINES_ABOVE && above < line; above++) {
    *found = line - 1 - above;
    if (!parse_line(source, *found, directive))
      continue;
    size_t next = source->lines[*found] + directive->next;
    return code_text_skip(source, next) >= source->lines[line - 1] || next > source->lines[line - 1];
  }
  return false;
}

/* The line on which a directive ends, with `clause` added; without one, no line of it. False: out of memory. */
static bool replace_directive(const struct code_text *source, size_t line, const struct directive *directive,
                              const char *clause, struct change *change)
{
  size_t begin = source->lines[line], next = begin + directive->next, end = begin + directive->end;
  size_t last = code_text_line_of(source, end - 1), from = source->lines[last], behind = source->lines[last + 1];
  struct edit *edit = &change->edits[change->count];
  edit->line = clause ? last : line;
  edit->count = clause ? 1 : code_text_line_of(source, next - 1) - line + 1;
  int length = clause ? asprintf(&edit->text, "%.*s %s%.*s", (int)(end - from), source->text + from, clause,
                                 (int)(behind - end), source->text + end)
                      : asprintf(&edit->text, "%s", "");
  change->count += length >= 0;
  return length >= 0;
}

/* Whether a clause may be added: what it needs, and what it does not go with. */
static bool may_have(const struct directive *directive, const char *clause)
{
  unsigned words = directive->words;
  if (strncmp(clause, "schedule(", 9) == 0)
    return words & DIRECTIVE_FOR && !(words & ~(unsigned)(DIRECTIVE_FOR | DIRECTIVE_PARALLEL | DIRECTIVE_SIMD)) &&
           !directive_has(directive, "schedule") && !directive_has(directive, "ordered") &&
           !directive_has(directive, "nowait"); /* a static loop after it may count on its shares */
  if (strcmp(clause, "nowait") == 0)
    return words == DIRECTIVE_SINGLE && !directive_has(directive, "nowait") && !directive_has(directive, "copyprivate");
  return words & DIRECTIVE_TASKLOOP && !(words & ~(unsigned)(DIRECTIVE_TASKLOOP | DIRECTIVE_SIMD)) &&
         !directive_has(directive, "grainsize") && !directive_has(directive, "num_tasks");
}

bool edit_add_clause(const struct code_text *source, uint32_t line, const char *clause, struct change *change)
{
  struct directive directive;
  size_t at;
  *change = (struct change){.count = 0};
  if (!find_directive(source, line, &at, &directive) || !may_have(&directive, clause))
    return true;
  snprintf(change->title, sizeof change->title, "%s", clause);
  return replace_directive(source, at, &directive, clause, change);
}

bool edit_taskloop(const struct code_text *source, const char *clause, struct change *change)
{
  struct directive directive;
  size_t found = 0, count = 0;
  *change = (struct change){.count = 0};
  for (size_t line = 0; line < source->line_count; line++) {
    if (!parse_line(source, line, &directive) || !(directive.words & (DIRECTIVE_TASKLOOP | DIRECTIVE_TASK)))
      continue;
    count += directive.words & DIRECTIVE_TASK ? 2 : 1;
    found = line;
  }
  return count != 1 || edit_add_clause(source, (uint32_t)found + 1, clause, change);
}

/* `name += ...;`, alone or in a block. *name stays in the source. False: it is something else. */
static bool take_sum(const struct code_text *source, size_t at, size_t *name, size_t *length)
{
  size_t end = code_text_statement_end(source, at);
  at = code_text_skip(source, at);
  bool block = end > 0 && source->text[at] == '{';
  if (block)
    at = code_text_skip(source, at + 1);
  *name = at;
  *length = 0;
  while (at < end && source->code[at] && directive_is_letter(source->text[at]))
    at++, (*length)++;
  at = code_text_skip(source, at);
  if (*length == 0 || *length > NAME_MOST || (source->text[*name] >= '0' && source->text[*name] <= '9') ||
      at + 1 >= end || source->text[at] != '+' || source->text[at + 1] != '=')
    return false;
  size_t behind = code_text_statement_end(source, *name);
  for (size_t i = at + 2; i < behind; i++) /* one expression, which changes nothing else, and calls nothing */
    if (source->text[i] == '(' && directive_is_letter(source->text[i - 1]))
      return false;
    else if (source->code[i] && (source->text[i] == '=' || source->text[i] == ',' || source->text[i] == '{' ||
                                 (source->text[i] == '+' && source->text[i + 1] == '+') ||
                                 (source->text[i] == '-' && source->text[i + 1] == '-')))
      return false;
  if (behind == 0 || code_text_count(source, at, behind, source->text + *name, *length) > 0)
    return false;
  return block ? source->text[code_text_skip(source, behind)] == '}' && code_text_skip(source, behind) + 1 == end
               : behind == end;
}

/* The innermost directive around `at` that a sum can be a reduction of. False: there is none. */
static bool find_around(const struct code_text *source, size_t line, size_t at, size_t *found, size_t *from, size_t *to,
                        struct directive *directive)
{
  for (size_t above = 1; above <= LINES_AROUND && above <= line; above++) {
    *found = line - above;
    if (!parse_line(source, *found, directive))
      continue;
    *from = source->lines[*found] + directive->next;
    *to = code_text_statement_end(source, *from);
    if (*to > at)
      return directive->words & (DIRECTIVE_FOR | DIRECTIVE_PARALLEL) &&
             !(directive->words & ~(unsigned)(DIRECTIVE_FOR | DIRECTIVE_PARALLEL | DIRECTIVE_SIMD));
  }
  return false;
}

bool edit_make_reduction(const struct code_text *source, uint32_t line, struct change *change)
{
  struct directive critical, around;
  size_t at, found, from, to, name, length;
  char clause[NAME_MOST + 24];
  *change = (struct change){.count = 0};
  if (!find_directive(source, line, &at, &critical) || critical.words != DIRECTIVE_CRITICAL ||
      critical.clause_count > 0)
    return true;
  size_t begin = source->lines[at];
  if (!take_sum(source, begin + critical.next, &name, &length) ||
      !find_around(source, at, begin, &found, &from, &to, &around))
    return true;
  const char *sum = source->text + name;
  if (directive_has(&around, "reduction") || directive_mentions(&around, sum, length) ||
      code_text_count(source, from, to, sum, length) != 1) /* its value is needed before the end */
    return true;
  snprintf(clause, sizeof clause, "reduction(+:%.*s)", (int)length, sum);
  snprintf(change->title, sizeof change->title, "%s", clause);
  return replace_directive(source, found, &around, clause, change) &&
         replace_directive(source, at, &critical, NULL, change);
}
