/*
 * Files of observations and fits: JSON, version 1, or 2 with two parameters. docs/prediction.md describes the format.
 */
#ifndef HEDDLE_ANALYZER_MODELS_PREDICTION_FILE_H
#define HEDDLE_ANALYZER_MODELS_PREDICTION_FILE_H

#include "analyzer/models/prediction/fit.h"

/* A file's version is the number of its parameters. */
enum { PREDICTION_FILE_VERSION_MAX = PREDICTION_PARAMETERS_MAX };

/*
 * Writes the data and the functions (NULL: the values are no numbers). "-" is standard output. False: an error; no file
 * is left.
 */
bool prediction_write(const struct prediction_data *data, const struct prediction *prediction, const char *path,
                      struct error *error);

/*
 * Reads the data and groups them; functions are fitted anew from them. "-" is standard input. The file is untrusted;
 * the result is consistent: in each run, arrivals and departures of a state are equal, and every state can be reached.
 * NULL: an error.
 */
struct prediction_data *prediction_read(const char *path, struct error *error);

/* The same from memory, for tests; `path` is for messages. */
struct prediction_data *prediction_read_bytes(const char *bytes, size_t size, const char *path, struct error *error);

#endif
