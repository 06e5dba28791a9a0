/* A relation between an attribute of an event and a number or a text: `norm > 0.5`, `object class == java.util.List`.
 */
#ifndef HEDDLE_ANALYZER_ANALYSES_EVENTS_RELATION_H
#define HEDDLE_ANALYZER_ANALYSES_EVENTS_RELATION_H

#include "analyzer/trace/attributes.h"

#include <stddef.h>

enum relation_operator {
  RELATION_LESS,
  RELATION_AT_MOST,
  RELATION_EQUAL,
  RELATION_AT_LEAST,
  RELATION_MORE,
  RELATION_UNEQUAL
};

/* Texts belong to what was read. */
struct point_relation {
  const char *name;
  size_t length; /* of the name */
  enum relation_operator relates;
  const char *text;   /* the right side */
  bool numeric;       /* which is also a number: */
  long double number; /* exact for integers of 64 bits */
};

/* Reads `NAME OPERATOR VALUE`, with or without blanks; = is ==. False: it is none. */
bool point_relation_read(const char *text, struct point_relation *relation);

/* True if it is about the attribute of this name. */
bool point_relation_is_about(const struct point_relation *relation, const char *name);

/* True if it holds for a value. Numbers are compared with numbers alone; texts are equal or not. */
bool point_relation_holds(const struct point_relation *relation, const struct trace_value *value);

#endif
