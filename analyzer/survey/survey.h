/* The public headers of survey/: counts and sums that need no order of time across locations. */
#ifndef HEDDLE_ANALYZER_SURVEY_SURVEY_H
#define HEDDLE_ANALYZER_SURVEY_SURVEY_H

#include "analyzer/survey/census.h"
#include "analyzer/survey/list.h"
#include "analyzer/survey/sums.h"

#endif
