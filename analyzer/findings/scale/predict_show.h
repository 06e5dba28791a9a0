/* Prints predictions of runs with more threads. */
#ifndef HEDDLE_ANALYZER_FINDINGS_SCALE_PREDICT_SHOW_H
#define HEDDLE_ANALYZER_FINDINGS_SCALE_PREDICT_SHOW_H

#include "analyzer/command/print/print.h"
#include "analyzer/findings/scale/scale.h"

#define SCALE_TICKS 1000000000 /* a second, of what the command prints */

void scale_put_predictions(struct print *print, const struct scale *scale, const struct scale_prediction *predictions,
                           size_t count);

#endif
