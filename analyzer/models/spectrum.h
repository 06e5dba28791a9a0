/* The results of a periodogram as sentences. */
#ifndef HEDDLE_ANALYZER_MODELS_SPECTRUM_H
#define HEDDLE_ANALYZER_MODELS_SPECTRUM_H

#include "analyzer/models/spectrum/spectrum.h"

#define SPECTRUM_SENTENCE_SIZE 1024

/* Writes a sentence: whether there is a period, and with which significance. */
void spectrum_say_period(const struct spectrum *spectrum, enum spectrum_domain domain, uint64_t ticks_per_second,
                         char text[SPECTRUM_SENTENCE_SIZE]);

/* Writes sentences: how many lines were tested, how many records no sample covers, how exact the lines are. */
void spectrum_say_limits(const struct spectrum *spectrum, enum spectrum_domain domain,
                         char text[SPECTRUM_SENTENCE_SIZE]);

#endif
