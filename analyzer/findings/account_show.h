/* The account of a run as `heddle why` prints it: what the processors' time went to, and the first sentence. */
#ifndef HEDDLE_ANALYZER_FINDINGS_WHY_ACCOUNT_H
#define HEDDLE_ANALYZER_FINDINGS_WHY_ACCOUNT_H

#include "analyzer/analyses/account/account.h"
#include "analyzer/command/analysis.h"
#include "analyzer/findings/all_analyses.h"

/*
 * The sentence that all begins with: a deadlock's, if there is one; else by the account. The caller frees it. NULL: no
 * memory.
 */
char *why_account_sentence(const struct run_analyses *all, const struct account *account);
/* Prints the account; for programs also what the sentence is about. */
void why_account_put(const struct analysis_run *run, const struct run_analyses *all, const struct account *account,
                     const char *sentence);

#endif
