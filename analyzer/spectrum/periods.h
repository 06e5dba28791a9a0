/* Private to spectrum/: the strongest lines, and the period that they tell. */
#ifndef HEDDLE_ANALYZER_SPECTRUM_PERIODS_H
#define HEDDLE_ANALYZER_SPECTRUM_PERIODS_H

#include "analyzer/spectrum/result.h"
#include "analyzer/spectrum/samples.h"

/*
 * Fills `strongest` and the verdict; power[] and the sums are there. Lines that are not exact yet are replaced in
 * power[] if they are among the strongest. False: no memory.
 */
bool periods_find(struct spectrum *spectrum, const struct samples *samples, unsigned top);

#endif
