/*
 * Calls of an archive of another tool whose compiler instrumentation wrote Enter and Leave for each function, as
 * Score-P does. All its regions are functions here, also constructs and calls of MPI, so that paths are whole.
 */
#ifndef HEDDLE_ANALYZER_ANALYSES_CALLS_ENTERED_H
#define HEDDLE_ANALYZER_ANALYSES_CALLS_ENTERED_H

#include "analyzer/analyses/calls/exact.h"

/* Whether the archive has such functions. */
bool calls_entered_has(const struct trace *trace);

/* Reads all events; calls_exact_free(), exact_calls_close(). NULL: an error. Memory depends on the number of paths. */
struct exact_calls *calls_entered_open(const struct trace *trace, struct calls_exact *exact, struct error *error);

#endif
