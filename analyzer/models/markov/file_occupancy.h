/* Private to markov/: reads the durations of a state from JSON that anybody may have written. */
#ifndef HEDDLE_ANALYZER_MODELS_MARKOV_FILE_OCCUPANCY_H
#define HEDDLE_ANALYZER_MODELS_MARKOV_FILE_OCCUPANCY_H

#include "analyzer/models/json_file/json_file.h"
#include "analyzer/models/markov/distribution.h"

/* `occupancy` is an empty one. False: an error. */
bool markov_read_occupancy(const struct json_file *file, const json_t *object, struct markov_distribution *occupancy);

#endif
