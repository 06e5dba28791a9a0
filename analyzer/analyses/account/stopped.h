/* Processor time that a limit of the control group took from a run. */
#ifndef HEDDLE_ANALYZER_ANALYSES_ACCOUNT_STOPPED_H
#define HEDDLE_ANALYZER_ANALYSES_ACCOUNT_STOPPED_H

#include "analyzer/analyses/account/account.h"
#include "analyzer/trace/cpu_limit.h"

/*
 * Ticks of ACCOUNT_PROCESSORS that the limit is the reason of: as long as the kernel stopped the group. They are all if
 * the run's work fills the limit, since then nothing else can be the reason. 0: none.
 */
uint64_t account_stopped(const struct trace *trace, const struct account *account, struct cpu_limit *group);

#endif
