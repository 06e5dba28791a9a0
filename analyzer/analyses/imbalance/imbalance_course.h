/* The tables of `heddle imbalance --over-time`. */
#ifndef HEDDLE_ANALYZER_ANALYSES_IMBALANCE_IMBALANCE_COURSE_H
#define HEDDLE_ANALYZER_ANALYSES_IMBALANCE_IMBALANCE_COURSE_H

#include "analyzer/analyses/imbalance/imbalance.h"
#include "analyzer/command/analysis.h"

/* order: constructs, `count` of them. The imbalance was found with the option `course`. */
void imbalance_course_put(const struct analysis_run *run, const struct imbalance *imbalance, const uint32_t *order,
                          uint32_t count);

#endif
