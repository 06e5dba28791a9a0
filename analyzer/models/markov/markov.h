/*
 * Semi-Markov models of program execution sequences: which state follows which, how often, and how long each lasts. The
 * states are those of the sequence (analyzer/models/sequences), the moments of transition are a Markov chain, and the
 * occupancy times of a state have a distribution of their own. docs/models.md has the formulas and what was decided
 * where the definitions leave a choice. Nothing here is safe to be used by two threads at a time.
 */
#ifndef HEDDLE_ANALYZER_MODELS_MARKOV_MARKOV_H
#define HEDDLE_ANALYZER_MODELS_MARKOV_MARKOV_H

#include "analyzer/models/markov/higher_order.h"
#include "analyzer/models/markov/chain.h"
#include "analyzer/models/markov/dependence.h"
#include "analyzer/models/markov/ensemble.h"
#include "analyzer/models/markov/file.h"
#include "analyzer/models/markov/model.h"
#include "analyzer/models/markov/phases.h"
#include "analyzer/models/markov/rules.h"
#include "analyzer/models/markov/compare_groups.h"
#include "analyzer/models/markov/series.h"
#include "analyzer/models/markov/simulate.h"
#include "analyzer/models/markov/statistics.h"
#include "analyzer/models/markov/validate.h"

#endif
