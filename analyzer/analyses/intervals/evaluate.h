/* The value of a condition or a term, for given events. */
#ifndef HEDDLE_ANALYZER_ANALYSES_INTERVALS_EVALUATE_H
#define HEDDLE_ANALYZER_ANALYSES_INTERVALS_EVALUATE_H

#include "analyzer/analyses/intervals/spec.h"

/* SPEC_ANY: no value, because an event lacks the attribute, or the operands do not go together. */
struct spec_value {
  enum spec_type type;
  union {
    int64_t integer; /* INTEGER, BOOLEAN */
    double real;     /* REAL, TIME in ns */
    const char *text;
  };
};

struct operands {
  const struct spec_value *values[SPEC_SIDES]; /* by slot; NULL: the term does not ask for that side */
  /* The figure of an interval; NULL: there are none. */
  struct spec_value (*figure)(const void *context, const struct spec_expr *expr);
  const void *context;
};

/*
 * A term without a value makes the terms around it have none, except `||` and `&&` where the other side decides.
 * Integers that do not fit become real numbers; a division is that of real numbers, and has no value for a divisor of
 * 0.
 */
struct spec_value evaluate(const struct spec_expr *expr, const struct operands *operands);

/* True if a condition holds; without a value it does not. */
bool evaluate_holds(const struct spec_expr *expr, const struct operands *operands);

/* Equal, also an integer and a real number; values without type, or of types that do not go together, are not. */
bool value_equal(const struct spec_value *a, const struct spec_value *b);
/* -1, 0 or 1. False: they cannot be compared. */
bool value_compare(const struct spec_value *a, const struct spec_value *b, int *order);
/* Equal values have equal hashes. */
uint64_t value_hash(const struct spec_value *value, uint64_t seed);

#endif
