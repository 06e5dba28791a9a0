/* The first sentence of a run: what to look at, by the account, and what to change. */
#ifndef HEDDLE_ANALYZER_ANALYSES_ACCOUNT_SENTENCE_H
#define HEDDLE_ANALYZER_ANALYSES_ACCOUNT_SENTENCE_H

#include "analyzer/analyses/account/account.h"

/* Some sentences; where other programs take the processors, also what the program itself can change. Names in them are
 * not escaped. The caller frees them. NULL: no memory. */
char *account_sentence(const struct trace *trace, const struct account *account);
/* The same of any cause and so many ticks, without "Look first at". */
char *account_place_sentence(const struct trace *trace, const struct account *account,
                             const struct account_cause *cause, uint64_t ticks);

/* The name of the lock that a cause is about, or the class and field of a Java object; NULL: none, or unknown. */
const char *account_lock_name(const struct trace *trace, const struct account_cause *cause);

#endif
