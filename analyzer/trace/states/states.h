/* The public headers of states/: the states, the table of constructs, and the machine that applies it. */
#ifndef HEDDLE_ANALYZER_TRACE_STATES_STATES_H
#define HEDDLE_ANALYZER_TRACE_STATES_STATES_H

#include "analyzer/trace/states/machine.h"
#include "analyzer/trace/states/readings.h"
#include "analyzer/trace/states/state.h"

#endif
