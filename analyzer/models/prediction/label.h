/* Private to prediction/: labels of states, by which states of runs with other vectors can be compared. */
#ifndef HEDDLE_ANALYZER_MODELS_PREDICTION_LABEL_H
#define HEDDLE_ANALYZER_MODELS_PREDICTION_LABEL_H

#include "analyzer/models/sequences/pes.h"

/*
 * The codes of a basic state, with commas between those that don't delimit themselves. A component that shares its
 * values with no other one (as those of heddle pes --vector counts) is left out where its code is empty: so a run in
 * which nothing of that kind happened has the same labels. Aggregates: what they stand for, because T1 of one run may
 * be T2 of the next. The caller frees it. NULL: no memory.
 */
char *prediction_label(const struct pes_program *program, const struct pes_states *states, uint32_t state);

#endif
