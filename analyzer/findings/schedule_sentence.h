/* The advice of heddle-schedule in words. */
#ifndef HEDDLE_ANALYZER_FINDINGS_SCHEDULE_SENTENCE_H
#define HEDDLE_ANALYZER_FINDINGS_SCHEDULE_SENTENCE_H

#include "analyzer/analyses/loops/schedule.h"

/* What to do about a loop. The caller frees the sentence. NULL: out of memory. */
char *schedule_sentence(const struct trace *trace, const struct schedule_loop *loop);

#endif
