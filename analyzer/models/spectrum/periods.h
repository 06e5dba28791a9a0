/* Private to spectrum/: the strongest lines, and the period among them. */
#ifndef HEDDLE_ANALYZER_MODELS_SPECTRUM_PERIODS_H
#define HEDDLE_ANALYZER_MODELS_SPECTRUM_PERIODS_H

#include "analyzer/models/spectrum/periodogram.h"
#include "analyzer/models/spectrum/samples.h"

/*
 * Fills `strongest` and the verdict from power[] and the sums. The strongest lines become exact, also in power[].
 * False: no memory.
 */
bool periods_find(struct spectrum *spectrum, const struct samples *samples, unsigned top);

#endif
