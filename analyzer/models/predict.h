/* Prediction of a fit for values of its parameters, and its output, for `heddle predict` and reports. */
#ifndef HEDDLE_ANALYZER_MODELS_PREDICT_H
#define HEDDLE_ANALYZER_MODELS_PREDICT_H

#include "analyzer/command/print/print.h"
#include "analyzer/models/prediction/prediction.h"

/* Requested values: "threads=8" in two parts, and another one if the fit has two parameters. */
struct prediction_request {
  char *names[PREDICTION_PARAMETERS_MAX], *values[PREDICTION_PARAMETERS_MAX];
  uint32_t count;
  bool extrapolate;    /* also predict outside of the measured values */
  uint64_t confidence; /* of the intervals in percent; 0: 95 */
};

/* Splits NAME=VALUE; the strings stay in `argument`, which changes. Returns -1, or the exit status after a message. */
int prediction_request_add(struct prediction_request *asked, const char *command, char *argument);

struct prediction_answer {
  const struct prediction_request *asked;        /* the caller keeps it */
  const char *values[PREDICTION_PARAMETERS_MAX]; /* requested values, in the order of the fit's parameters */
  struct prediction_data *data;
  struct prediction_estimate *estimate;
  char outside[512]; /* a sentence on the distance from the measured values; empty: inside */
};

/* Reads the fit and predicts. False: an error. Call prediction_answer_free() in both cases. */
bool prediction_answer(struct prediction_answer *answer, const char *fit, const struct prediction_request *asked,
                       struct error *error);
void prediction_answer_free(struct prediction_answer *answer);

/* Prints what `heddle predict` prints, with the `top` states with the most time. False: out of memory. */
bool prediction_show(struct print *print, enum print_format format, const struct prediction_answer *answer,
                     uint64_t top);

#endif
