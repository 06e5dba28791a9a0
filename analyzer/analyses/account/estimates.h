/* Estimates in the account: instances whose sums alone were recorded, and the runtime's time inside of work. One
 * thread. */
#ifndef HEDDLE_ANALYZER_ANALYSES_ACCOUNT_ESTIMATES_H
#define HEDDLE_ANALYZER_ANALYSES_ACCOUNT_ESTIMATES_H

#include "analyzer/analyses/account/grain.h"

/*
 * After the second pass, before grain_apply(). Time in omitted instances goes to the causes that recorded instances of
 * the place have; it stays unknown if there are none. The runtime's measured costs (HEDDLE_COSTS) times their number
 * turn from work into ACCOUNT_RUNTIME, never more than the work there. Without costs in the trace nothing changes.
 * Where the kernel's switches are not recorded, work without a processor by readings is blocked, or lacks a processor.
 */
void estimates_apply(const struct grain *grain, const struct trace *trace, struct causes *causes);

#endif
