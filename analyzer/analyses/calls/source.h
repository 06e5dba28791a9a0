/* Sources of the calls of a run: exact calls beside the trace, Enter and Leave of another tool, or samples. */
#ifndef HEDDLE_ANALYZER_ANALYSES_CALLS_SOURCE_H
#define HEDDLE_ANALYZER_ANALYSES_CALLS_SOURCE_H

#include "analyzer/analyses/calls/exact.h"

/* Which of both is shown of a run that has samples and exact calls. */
enum calls_use { CALLS_USE_ANY, CALLS_USE_EXACT, CALLS_USE_SAMPLES };
#define CALLS_USE_WORDS "exact|samples" /* in this order, from 1 on */
bool calls_has_samples(const struct trace *trace);
bool calls_has_exact(const struct trace *trace);
/*
 * Reads the calls that are recorded beside the trace, or else the Enter and Leave of another tool (entered.h). NULL: an
 * error, or *none: the trace has no calls. calls_exact_free() in any case.
 */
struct exact_calls *calls_exact_read(const struct trace *trace, struct calls_exact *exact, bool *none,
                                     struct error *error);
/* ANY: exact calls, if there are any. False: the trace has none of both, or not what is wanted. */
bool calls_use_choose(const struct trace *trace, enum calls_use wanted, bool *exact, struct error *error);
/* Fails, because exact calls do not have what `option` asks for. Always false. */
bool calls_exact_refuse(const struct trace *trace, const char *option, struct error *error);

#endif
