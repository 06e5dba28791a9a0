/*
 * How a program's states depend on a parameter of its runs: mean occupancy and visits of each state and the
 * probabilities of transitions, fitted as functions of the parameter, and predicted for values that were not
 * measured. docs/prediction.md has the formulas. Nothing here is safe to be used by two threads at a time.
 */
#ifndef HEDDLE_ANALYZER_MODELS_PREDICTION_PREDICTION_H
#define HEDDLE_ANALYZER_MODELS_PREDICTION_PREDICTION_H

#include "analyzer/models/prediction/data.h"
#include "analyzer/models/prediction/file.h"
#include "analyzer/models/prediction/fit.h"
#include "analyzer/models/prediction/form.h"
#include "analyzer/models/prediction/predict.h"

#endif
