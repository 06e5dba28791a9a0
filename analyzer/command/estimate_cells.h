/* Cells of figures of which a part is not recorded. Exact figures stay as they are. */
#ifndef HEDDLE_ANALYZER_COMMAND_ESTIMATE_CELLS_H
#define HEDDLE_ANALYZER_COMMAND_ESTIMATE_CELLS_H

#include "analyzer/analyses/unrecorded/estimates/estimate.h"
#include "analyzer/command/print/print.h"

/* A number of executions, recorded or not: exact, unless it is of one of several locks at a place. */
struct print_cell estimate_executions(uint64_t recorded, const struct estimate *more);

/* Another COUNT, or a DURATION: what is recorded, and the rest. */
struct print_cell estimate_number(wide_total recorded, const struct estimate *more);

/* A SHARE of `of` ticks. */
struct print_cell estimate_share(wide_total recorded, const struct estimate *more, wide_total of);

#endif
