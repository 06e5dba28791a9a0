/*
 * Semi-Markov models of program execution sequences. States are the states of the sequence (analyzer/models/sequences).
 * The transitions form a Markov chain, and each state has its own distribution of occupancy times. docs/models.md has
 * the formulas, and the decisions where definitions leave a choice. Only one thread at a time may use an object.
 */
#ifndef HEDDLE_ANALYZER_MODELS_MARKOV_MARKOV_H
#define HEDDLE_ANALYZER_MODELS_MARKOV_MARKOV_H

#include "analyzer/models/markov/chain.h"
#include "analyzer/models/markov/compare_groups.h"
#include "analyzer/models/markov/dependence.h"
#include "analyzer/models/markov/ensemble.h"
#include "analyzer/models/markov/file.h"
#include "analyzer/models/markov/higher_order.h"
#include "analyzer/models/markov/model.h"
#include "analyzer/models/markov/phases.h"
#include "analyzer/models/markov/rules.h"
#include "analyzer/models/markov/series.h"
#include "analyzer/models/markov/simulate.h"
#include "analyzer/models/markov/statistics.h"
#include "analyzer/models/markov/validate.h"

#endif
