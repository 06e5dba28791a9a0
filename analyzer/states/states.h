/* The public headers of states/: the states, the table of constructs, and the machine that applies it. */
#ifndef HEDDLE_ANALYZER_STATES_STATES_H
#define HEDDLE_ANALYZER_STATES_STATES_H

#include "analyzer/states/machine.h"
#include "analyzer/states/readings.h"
#include "analyzer/states/state.h"

#endif
