/* Output of `heddle intervals`. */
#ifndef HEDDLE_ANALYZER_ANALYSES_INTERVALS_INTERVALS_SHOW_H
#define HEDDLE_ANALYZER_ANALYSES_INTERVALS_INTERVALS_SHOW_H

#include "analyzer/analyses/intervals/interval_contents.h"
#include "analyzer/analyses/intervals/intervals.h"
#include "analyzer/command/analysis.h"

struct intervals_shown {
  bool figures, histogram; /* assertions are shown in any case */
};

/* False: out of memory. */
bool intervals_show(const struct analysis_run *run, const struct intervals *intervals, struct intervals_shown shown);

/* How each interval is matched. False: out of memory. */
bool intervals_show_plan(const struct analysis_run *run, const struct match_plan *plan);

/* A table that grows while intervals are found; a sink for struct intervals_options. */
struct intervals_list {
  const struct analysis_run *run;
};

void intervals_list_begin(const struct intervals_list *list);
bool intervals_list_put(void *list, const struct spec_interval *interval, const struct match_point *start,
                        const struct match_point *end);
void intervals_list_end(const struct intervals_list *list);

/* What lies inside slow intervals, as `heddle intervals --inside` prints it. */

void intervals_inside_show(const struct analysis_run *run, const struct intervals *intervals,
                           const struct inside *inside, const struct samples *samples);

#endif
