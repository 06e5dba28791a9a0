/* Finds rules of the next state in a sequence. */
#ifndef HEDDLE_ANALYZER_MODELS_MARKOV_RULES_H
#define HEDDLE_ANALYZER_MODELS_MARKOV_RULES_H

#include "analyzer/models/markov/rule.h"

/* Reads the stream twice. NULL: an error. */
struct markov_rules *markov_rules_find(struct pes_stream *stream, uint32_t target, struct error *error);
void markov_rules_free(struct markov_rules *rules);

#endif
