/* `heddle export --to csv`: the tables beside that of the states. */
#ifndef HEDDLE_ANALYZER_EXCHANGE_EXPORT_COMMAND_H
#define HEDDLE_ANALYZER_EXCHANGE_EXPORT_COMMAND_H

#include "analyzer/trace/definitions.h"
#include "base/error.h"

/*
 * Writes the program's events, if it has any, and the intervals of a specification (a file's name; NULL: none). Their
 * files lie beside that of the states: `lu.csv` and `lu.states.csv` have `lu.events.csv` and `lu.intervals.csv`. Each
 * is complete or not there. Nothing is written beside standard output and devices. False: an error; `error` is empty if
 * it has been printed.
 */
bool export_tables(struct trace *trace, const char *file, const char *spec, struct error *error);

#endif
