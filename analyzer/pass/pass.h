/* Passes over a trace: what their callers and their subscribers need. */
#ifndef HEDDLE_ANALYZER_PASS_PASS_H
#define HEDDLE_ANALYZER_PASS_PASS_H

#include "analyzer/pass/in_order.h"
#include "analyzer/pass/item_queue.h"
#include "analyzer/pass/lanes.h"
#include "analyzer/pass/locations.h"

#endif
