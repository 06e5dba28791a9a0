#include "analyzer/analyses/events/relation.h"

#include "base/count_of.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* The operators, longer ones first. */
static const struct {
  char text[3];
  enum relation_operator relates;
} operators[] = {{"<=", RELATION_AT_MOST}, {">=", RELATION_AT_LEAST}, {"==", RELATION_EQUAL}, {"!=", RELATION_UNEQUAL},
                 {"<", RELATION_LESS},     {">", RELATION_MORE},      {"=", RELATION_EQUAL}};

static const char *past_blanks(const char *text)
{
  while (isspace((unsigned char)*text))
    text++;
  return text;
}

bool point_relation_read(const char *text, struct point_relation *relation)
{
  const char *begin = past_blanks(text), *at = strpbrk(begin, "<>=!");
  size_t known = COUNT_OF(operators), which = 0;
  if (!at)
    return false;
  while (which < known && strncmp(at, operators[which].text, strlen(operators[which].text)) != 0)
    which++;
  if (which == known)
    return false;
  size_t length = (size_t)(at - begin);
  while (length > 0 && isspace((unsigned char)begin[length - 1]))
    length--;
  const char *value = past_blanks(at + strlen(operators[which].text));
  char *end;
  long double number = strtold(value, &end);
  *relation = (struct point_relation){.name = begin,
                                      .length = length,
                                      .relates = operators[which].relates,
                                      .text = value,
                                      .numeric = end > value && !*past_blanks(end),
                                      .number = number};
  bool ordered = relation->relates != RELATION_EQUAL && relation->relates != RELATION_UNEQUAL;
  return length > 0 && *value && (relation->numeric || !ordered);
}

bool point_relation_is_about(const struct point_relation *relation, const char *name)
{
  return strncmp(name, relation->name, relation->length) == 0 && name[relation->length] == '\0';
}

static bool number_holds(enum relation_operator relates, long double left, long double right)
{
  switch (relates) {
  case RELATION_LESS:
    return left < right;
  case RELATION_AT_MOST:
    return left <= right;
  case RELATION_EQUAL:
    return left == right;
  case RELATION_AT_LEAST:
    return left >= right;
  case RELATION_MORE:
    return left > right;
  default:
    return left != right;
  }
}

bool point_relation_holds(const struct point_relation *relation, const struct trace_value *value)
{
  if (value->type == TRACE_TEXT) {
    bool equal = strcmp(value->text, relation->text) == 0;
    return relation->relates == RELATION_EQUAL ? equal : relation->relates == RELATION_UNEQUAL && !equal;
  }
  if (!relation->numeric)
    return relation->relates == RELATION_UNEQUAL;
  long double left = value->type == TRACE_INTEGER   ? (long double)value->integer
                     : value->type == TRACE_NATURAL ? (long double)value->natural
                                                    : (long double)value->real;
  return number_holds(relation->relates, left, relation->number);
}
