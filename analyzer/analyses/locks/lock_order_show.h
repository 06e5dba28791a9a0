/* Prints in which order threads acquired locks, as far as they may come to wait for each other for ever. */
#ifndef HEDDLE_ANALYZER_ANALYSES_LOCKS_LOCK_ORDER_SHOW_H
#define HEDDLE_ANALYZER_ANALYSES_LOCKS_LOCK_ORDER_SHOW_H

#include "analyzer/command/analysis.h"

/* Reads the trace, and prints. False: an error. */
bool lock_order_work(const struct analysis_run *run, struct error *error);

#endif
