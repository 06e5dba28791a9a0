/* What other folders may use of survey/: what can be counted on each location by itself. */
#ifndef HEDDLE_ANALYZER_SURVEY_SURVEY_H
#define HEDDLE_ANALYZER_SURVEY_SURVEY_H

#include "analyzer/survey/census.h"
#include "analyzer/survey/list.h"
#include "analyzer/survey/sums.h"

#endif
