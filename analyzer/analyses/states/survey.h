/* The public headers of survey/: counts and sums that need no order of time across locations. */
#ifndef HEDDLE_ANALYZER_ANALYSES_STATES_SURVEY_H
#define HEDDLE_ANALYZER_ANALYSES_STATES_SURVEY_H

#include "analyzer/analyses/states/census.h"
#include "analyzer/analyses/states/list.h"
#include "analyzer/analyses/states/sums.h"

#endif
