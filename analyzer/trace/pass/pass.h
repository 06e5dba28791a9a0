/* Passes over a trace: what their callers and their subscribers need. */
#ifndef HEDDLE_ANALYZER_TRACE_PASS_PASS_H
#define HEDDLE_ANALYZER_TRACE_PASS_PASS_H

#include "analyzer/trace/pass/analysis.h"
#include "analyzer/trace/pass/in_order.h"
#include "analyzer/trace/pass/item_queue.h"
#include "analyzer/trace/pass/lanes.h"
#include "analyzer/trace/pass/locations.h"

#endif
