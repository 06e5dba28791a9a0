/*
 * Results of the subscribers at some locations of a trace, as if the others had no events, for the tests of merging.
 * They can be put together, and printed as text. Equal texts mean equal results to the last bit.
 */
#ifndef HEDDLE_TESTS_ANALYZER_PARTS_H
#define HEDDLE_TESTS_ANALYZER_PARTS_H

#include "analyzer/analyses/imbalance/imbalance.h"
#include "analyzer/analyses/locks/locks.h"
#include "analyzer/analyses/loops/schedule.h"
#include "analyzer/analyses/omitted/omitted.h"
#include "analyzer/analyses/states/survey.h"
#include "analyzer/report/teamwork.h"

/* What needs no order in time, of any locations. */
struct per_location {
  struct census census;
  struct states_sums sums;
  struct omitted omitted;
};

/* What needs it, of whole processes. */
struct in_order {
  struct imbalance imbalance;
  struct locks locks;
  struct running_analysis schedules;
  struct teamwork teamwork;
};

/* `chosen`: true, a location. False: the trace cannot be read, and there is nothing to free. */
bool per_location_find(const struct trace *trace, struct pool *pool, const bool *chosen, struct per_location *found);
bool in_order_find(const struct trace *trace, struct pool *pool, const bool *chosen, struct in_order *found);

/* Frees `from`. */
void per_location_merge(struct per_location *into, struct per_location *from);
void in_order_merge(struct in_order *into, struct in_order *from);

/* Frees what was found. The caller frees the text. */
char *per_location_text(struct per_location *found);
char *in_order_text(struct in_order *found);

#endif
