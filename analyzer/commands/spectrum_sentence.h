/* What a periodogram says, in sentences. */
#ifndef HEDDLE_ANALYZER_COMMANDS_SPECTRUM_SENTENCE_H
#define HEDDLE_ANALYZER_COMMANDS_SPECTRUM_SENTENCE_H

#include "analyzer/spectrum/spectrum.h"

#define SPECTRUM_SENTENCE_SIZE 1024

/* Is there a period, and how sure is that? */
void spectrum_say_period(const struct spectrum *spectrum, enum spectrum_domain domain, uint64_t ticks_per_second,
                         char text[SPECTRUM_SENTENCE_SIZE]);

/* What was tested, and what was left out. */
void spectrum_say_limits(const struct spectrum *spectrum, enum spectrum_domain domain,
                         char text[SPECTRUM_SENTENCE_SIZE]);

#endif
