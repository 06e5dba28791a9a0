/* What lies inside slow intervals, as `heddle intervals --inside` prints it. */
#ifndef HEDDLE_ANALYZER_COMMANDS_INTERVALS_INSIDE_SHOW_H
#define HEDDLE_ANALYZER_COMMANDS_INTERVALS_INSIDE_SHOW_H

#include "analyzer/commands/analysis.h"
#include "analyzer/intervals/inside.h"
#include "analyzer/intervals/intervals.h"

void intervals_inside_show(const struct analysis_run *run, const struct intervals *intervals,
                           const struct inside *inside, const struct samples *samples);

#endif
