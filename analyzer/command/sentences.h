/*
 * Sentences of several commands about limits of the figures: restricted traces, processes without a recording, stolen
 * processor time. Others are about time that was not measured, and waits that count as RUN. Also cells of estimates.
 */
#ifndef HEDDLE_ANALYZER_COMMAND_SENTENCES_H
#define HEDDLE_ANALYZER_COMMAND_SENTENCES_H

#include "analyzer/analyses/omitted/estimates/estimate.h"
#include "analyzer/command/analysis.h"
#include "analyzer/command/print/print.h"
#include "analyzer/trace/definitions.h"
#include "base/statistics.h"

/* Returns the analyzed part of a restricted run (--from, --to, --only-threads, --only-processes), a sentence to be
 * freed. NULL: out of memory. */
char *restricted_sentence(const struct trace *trace);

/* Prints the number of incomplete executions of constructs in the part, which are not counted. JSON has a number, other
 * formats a sentence if it is not 0. */
void restricted_put_executions(const struct analysis_run *run, uint64_t excluded);

/* The same for requests of locks that are not granted by the end of the part. */
void restricted_put_requests(const struct analysis_run *run, uint64_t open);

/* Returns a sentence about processes in which recording never started, to be freed. NULL: there are none, or out of
 * memory. */
char *started_sentence(const struct trace *trace);

/* Returns a sentence about processor time that a hypervisor took, to be freed. NULL: it took little, the time is
 * unknown, or out of memory. */
char *stolen_sentence(const struct trace *trace);
/* Prints it, if there is one. */
void stolen_put(struct print *print, const struct trace *trace);

/* Returns a sentence about the `not_measured` ticks (above 0) of the `all` ticks of the threads' lifetimes, to be
 * freed. NULL: out of memory. */
char *not_measured_sentence(const struct trace *trace, wide_total not_measured, wide_total all);

/* Prints it, unless all is measured. False: out of memory. */
bool not_measured_put(struct print *print, const struct trace *trace, wide_total not_measured, wide_total all);

/* Returns a sentence about waits that count as RUN because the runtime does not report their begin: their number and
 * their longest possible time. The caller frees it. NULL: there are none. */
char *sinks_not_measured_sentence(const struct trace *trace);
/* Prints the sentence, if there is one. */
void sinks_not_measured_put(const struct analysis_run *run);

/* The number of all executions, including executions that are not recorded. It is exact, except for one of several
 * locks at a place. */
struct print_cell estimate_executions(uint64_t recorded, const struct estimate *more);

/* Another COUNT, or a DURATION: the recorded part, and the estimate of the rest. Exact figures stay exact. */
struct print_cell estimate_number(wide_total recorded, const struct estimate *more);

/* A SHARE of `of` ticks. */
struct print_cell estimate_share(wide_total recorded, const struct estimate *more, wide_total of);

#endif
