/*
 * Costs of an OpenMP runtime on this machine: making a task, fetching a chunk of a loop, a free lock; and of a free
 * mutex. A child process measures them once for each runtime, and they are kept in the user's cache directory.
 */
#ifndef HEDDLE_ANALYZER_RECORD_LAUNCH_RUNTIME_COSTS_H
#define HEDDLE_ANALYZER_RECORD_LAUNCH_RUNTIME_COSTS_H

#include "analyzer/record/launch/program_libraries.h"

#include <stdbool.h>

enum { RUNTIME_COSTS_SIZE = 128 };

/*
 * Writes the costs as PROCESS_COSTS has them, with a runtime if the program loads one.
 * False: they could not be measured. Takes up to half a second the first time, 1 ms without a runtime.
 */
bool runtime_costs_find(const struct program_libraries *libraries, char text[RUNTIME_COSTS_SIZE]);

#endif
