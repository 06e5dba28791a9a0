/* For tests: one subject alone, in a pass of its own; the commands ask for several in one pass. */
#ifndef HEDDLE_TESTS_ANALYZER_SUBJECTS_H
#define HEDDLE_TESTS_ANALYZER_SUBJECTS_H

#include "analyzer/analyses/imbalance/imbalance.h"
#include "analyzer/analyses/loops/schedule.h"

/* False: an error. Free with imbalance_free(), also then. */
bool find_imbalance(const struct trace *trace, struct pool *pool, struct imbalance *imbalance, struct error *error);

/* `threads`: further sizes of teams to simulate. False: an error. Free with schedules_free(), also then. */
bool find_schedules(const struct trace *trace, struct pool *pool, const uint32_t *threads, uint32_t thread_count,
                    struct schedules *schedules, struct error *error);

#endif
