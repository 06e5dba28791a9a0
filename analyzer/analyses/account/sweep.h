/* The second pass of the account: books each tick of each processor, in order of time. */
#ifndef HEDDLE_ANALYZER_ANALYSES_ACCOUNT_SWEEP_H
#define HEDDLE_ANALYZER_ANALYSES_ACCOUNT_SWEEP_H

#include "analyzer/analyses/account/causes.h"
#include "analyzer/analyses/account/grain.h"
#include "analyzer/analyses/account/kept_steps.h"
#include "analyzer/analyses/account/releases.h"

/* Threads of the program that are selected; 0: all are. */
uint32_t selected_count(const struct trace *trace);

/*
 * Books into `causes` and `grain`, in fine ticks: in all, `processors` times the length of the part that is looked at.
 * steps: of the first pass. If they are not whole, the trace is read again. False: an error; both are to be freed in
 * any case.
 */
bool sweep_book(const struct releases *releases, struct kept_steps *steps, uint32_t processors, bool one_thread,
                struct pool *pool, struct causes *causes, struct grain *grain, struct error *error);

#endif
