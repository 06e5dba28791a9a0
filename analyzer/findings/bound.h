/* Private to findings/: threads that are bound to fewer processors than they are. */
#ifndef HEDDLE_ANALYZER_FINDINGS_BOUND_H
#define HEDDLE_ANALYZER_FINDINGS_BOUND_H

#include "analyzer/findings/findings.h"

/* How many threads waited for a processor in a construct, whose rows (of->processors) are those from begin to end;
 * *processors: to how many they are bound, 0: not each is. */
uint32_t bound_threads(const struct analysis_results *of, size_t begin, size_t end, uint32_t *processors);

#endif
