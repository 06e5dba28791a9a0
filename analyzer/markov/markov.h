/*
 * Semi-Markov models of program execution sequences: which state follows which, how often, and how long each lasts. The
 * states are those of the sequence (analyzer/pes), the moments of transition are a Markov chain, and the occupancy
 * times of a state have a distribution of their own. docs/models.md has the formulas and what was decided where the
 * definitions leave a choice. Nothing here is safe to be used by two threads at a time.
 */
#ifndef HEDDLE_ANALYZER_MARKOV_MARKOV_H
#define HEDDLE_ANALYZER_MARKOV_MARKOV_H

#include "analyzer/markov/carry.h"
#include "analyzer/markov/chain.h"
#include "analyzer/markov/dependence.h"
#include "analyzer/markov/ensemble.h"
#include "analyzer/markov/file.h"
#include "analyzer/markov/model.h"
#include "analyzer/markov/part.h"
#include "analyzer/markov/phases.h"
#include "analyzer/markov/rules.h"
#include "analyzer/markov/same.h"
#include "analyzer/markov/series.h"
#include "analyzer/markov/simulate.h"
#include "analyzer/markov/statistics.h"
#include "analyzer/markov/validate.h"
#include "analyzer/markov/whatif.h"

#endif
