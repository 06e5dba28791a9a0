/* Evaluation of a condition or a term for given events, and names and types in it. */
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
 * Integers that do not fit become real numbers. A division is a division of real numbers, and has no value for a
 * divisor of 0.
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

/* Names and types in conditions. */

/* What names can stand for in a condition. */
struct term_scope {
  struct spec *spec;
  struct error *error;
  const struct spec_end *ends[SPEC_SIDES];   /* whose attributes may be asked for; NULL: nobody's */
  const char *refused;                       /* the label of an end that may not be named here; NULL: none */
  const struct spec_assertion *assertion;    /* attributes belong to an interval */
  struct spec_interval *interval;            /* its interval, once it is known; NULL: none was named yet */
  bool figures;                              /* figures were used */
  const struct spec_constant *constants_end; /* this constant and later ones have no value yet; NULL: all have */
};

/* Finds names and checks types, bottom up. False: a mistake. */
bool terms_check(struct term_scope *scope, struct spec_expr *expr);

/* The same, and it must be true or false. */
bool terms_check_condition(struct term_scope *scope, struct spec_expr *expr);

/* The label of an end. */
const char *end_label(const struct spec_end *end);

/* The number of an attribute in the specification's slots, which is added if it is new. False: out of memory. */
bool terms_slot(struct spec *spec, const char *name, bool intrinsic, uint32_t *slot);

struct spec_interval *find_interval(const struct spec *spec, const char *name);

#endif
