/* What lies inside slow intervals, as `heddle intervals --inside` prints it. */
#ifndef HEDDLE_ANALYZER_ANALYSES_INTERVALS_INTERVALS_INSIDE_SHOW_H
#define HEDDLE_ANALYZER_ANALYSES_INTERVALS_INTERVALS_INSIDE_SHOW_H

#include "analyzer/analyses/intervals/inside.h"
#include "analyzer/analyses/intervals/intervals.h"
#include "analyzer/command/analysis.h"

void intervals_inside_show(const struct analysis_run *run, const struct intervals *intervals,
                           const struct inside *inside, const struct samples *samples);

#endif
