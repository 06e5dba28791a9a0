/* Cost of recording, measured in the process itself, so that the trace has how much it slowed the program down. */
#ifndef HEDDLE_COMMON_BUDGET_RECORDING_COST_H
#define HEDDLE_COMMON_BUDGET_RECORDING_COST_H

#include <stdint.h>

#define RECORDING_COST_RECORDS 256u

/* Cost of a call of the tool that records nothing, as a part of a record's cost; about. */
#define RECORDING_COST_OMITTED 0.25

/* Ticks that so many records of two words take, without what follows when the window is full. Takes some 10 us
 * the first time; a fork's child has its parent's. */
uint64_t recording_cost_measure(void);

#endif
