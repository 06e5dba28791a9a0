/* The second pass of the account: books each tick of each processor, in order of time. */
#ifndef HEDDLE_ANALYZER_ANALYSES_ACCOUNT_SWEEP_H
#define HEDDLE_ANALYZER_ANALYSES_ACCOUNT_SWEEP_H

#include "analyzer/analyses/account/causes.h"
#include "analyzer/analyses/account/grain.h"
#include "analyzer/analyses/account/releases.h"

/*
 * Books into `causes` and `grain`, in fine ticks: in all, `processors` times the length of the part that is looked at.
 * False: an error; both are to be freed in any case.
 */
bool sweep_book(const struct releases *releases, uint32_t processors, bool one_thread, struct pool *pool,
                struct causes *causes, struct grain *grain, struct error *error);

#endif
