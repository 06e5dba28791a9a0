/* Private to intervals/: names and types in conditions. */
#ifndef HEDDLE_ANALYZER_ANALYSES_INTERVALS_TERMS_H
#define HEDDLE_ANALYZER_ANALYSES_INTERVALS_TERMS_H

#include "analyzer/analyses/intervals/spec.h"

/* What names can stand for in a condition. */
struct term_scope {
  struct spec *spec;
  struct error *error;
  const struct spec_end *ends[SPEC_SIDES];   /* whose attributes may be asked for; NULL: nobody's */
  const char *refused;                       /* the label of an end that may not be named here; NULL: none */
  const struct spec_assertion *assertion;    /* attributes are those of an interval */
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
