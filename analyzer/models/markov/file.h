/* Models as files: JSON, version 1, and version 2 for a series of several. docs/models.md describes it. All numbers in
 * it are integers but one. */
#ifndef HEDDLE_ANALYZER_MODELS_MARKOV_FILE_H
#define HEDDLE_ANALYZER_MODELS_MARKOV_FILE_H

#include "analyzer/models/markov/series.h"

enum { MARKOV_FILE_VERSION = 1, MARKOV_SERIES_VERSION = 2 };

/* "-" is standard output. False: an error; no file is left then. */
bool markov_write(const struct markov_series *series, const char *path, struct error *error);

/*
 * "-" is standard input. What it returns is sound, whatever the file holds: indices are of states that are there, and
 * the counts of states, transitions and runs fit together in each model. NULL: an error.
 */
struct markov_series *markov_read(const char *path, struct error *error);

/* The same from memory, for tests; `path` is for messages. */
struct markov_series *markov_read_bytes(const char *bytes, size_t size, const char *path, struct error *error);

#endif
