/*
 * Import of events that other programs logged. The archive has the form of docs/otf2.md, so all commands read it.
 * Events are written as they are read: memory grows with threads and distinct names, not with events.
 */
#ifndef HEDDLE_ANALYZER_EXCHANGE_IMPORT_IMPORT_H
#define HEDDLE_ANALYZER_EXCHANGE_IMPORT_IMPORT_H

#include "analyzer/exchange/import/readers.h"

/*
 * Makes an archive of files. The directory is made if it does not exist, and must have no archive. "-" is standard
 * input. False: an error, and no archive is left.
 */
bool import_files(const struct import_options *options, char *const *files, size_t count, const char *directory,
                  struct error *error);

#endif
