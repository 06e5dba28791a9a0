/*
 * Files of models: JSON, version 1, or 2 for a series of several models. docs/models.md describes the format. All its
 * numbers but one are integers.
 */
#ifndef HEDDLE_ANALYZER_MODELS_MARKOV_FILE_H
#define HEDDLE_ANALYZER_MODELS_MARKOV_FILE_H

#include "analyzer/models/markov/series.h"

enum { MARKOV_FILE_VERSION = 1, MARKOV_SERIES_VERSION = 2 };

/* Writes a series. "-" is standard output. False: an error; no file is left. */
bool markov_write(const struct markov_series *series, const char *path, struct error *error);

/*
 * Reads a series from an untrusted file; "-" is standard input. The result is consistent: indices are of existing
 * states, and the counts of states, transitions and runs agree in each model. NULL: an error.
 */
struct markov_series *markov_read(const char *path, struct error *error);

/* The same from memory, for tests; `path` is for messages. */
struct markov_series *markov_read_bytes(const char *bytes, size_t size, const char *path, struct error *error);

#endif
