/*
 * Check and plan of a specification. The plan says how an interval is matched. Parts of its condition concern one
 * event, become keys of a hash table, or order the events with equal keys. The others are tried pair by pair. Reads a
 * checked specification.
 */
#ifndef HEDDLE_ANALYZER_ANALYSES_INTERVALS_PLAN_H
#define HEDDLE_ANALYZER_ANALYSES_INTERVALS_PLAN_H

#include "analyzer/analyses/intervals/spec.h"

#include <stdio.h>

/*
 * Finds what the names in a specification mean and whether types go together, and fills in what spec.h calls `check`.
 * Afterwards any thread may read the specification.
 */

/* A constant from the command line, NAME=VALUE, which takes precedence over the specification's constant; before the
 * check. */
bool spec_define(struct spec *spec, const char *text, struct error *error);

/* False: a mistake, with its place. */
bool spec_check(struct spec *spec, struct error *error);

#define PLAN_KEYS_MOST 16 /* more equalities are tried one by one */

struct plan_terms {
  const struct spec_expr **list;
  uint32_t count;
};

/* A start and another event (the end, or one between them) go together. */
struct plan_join {
  enum spec_side other;
  struct plan_terms of_start, of_other;     /* conditions on one of them */
  struct plan_terms start_keys, other_keys; /* terms that must be equal, number by number */
  enum spec_op order; /* LT, LE, GT or GE: the start's term, this, the other's term; EQ: there is no order */
  const struct spec_expr *start_order, *other_order;
  struct plan_terms rest; /* conditions on both, tried one by one */
};

struct plan_interval {
  const struct spec_interval *interval;
  struct plan_join ends;
  struct plan_join *between; /* entries of interval->between, in that order */
  uint32_t between_count;
  /* The newest start of a key makes the older ones useless: only it is kept. */
  bool newest_only;
};

struct match_plan {
  struct plan_interval *intervals; /* entries of the specification, in its order */
  uint32_t count;
};

/* NULL: out of memory. The specification outlives the plan. */
struct match_plan *plan_create(const struct spec *spec);
void plan_free(struct match_plan *plan);

/* The plan of one interval for people: lines, each with two blanks in front. */
void plan_explain(const struct plan_interval *plan, FILE *file);

#endif
