/* What a fit says of a value of its parameter, and how that is shown: for `heddle predict` and reports. */
#ifndef HEDDLE_ANALYZER_COMMANDS_PREDICTION_SHOW_H
#define HEDDLE_ANALYZER_COMMANDS_PREDICTION_SHOW_H

#include "analyzer/prediction/prediction.h"
#include "analyzer/print/print.h"

/* What is asked: "threads=8" in two parts. */
struct prediction_asked {
  char *name, *value;
  bool extrapolate; /* also outside the measured values */
};

/* Takes NAME=VALUE apart, which is written to. Returns -1, or the exit status after saying what is wrong. */
int prediction_ask(struct prediction_asked *asked, const char *command, char *argument);

struct prediction_answer {
  const struct prediction_asked *asked; /* the caller keeps it */
  struct prediction_data *data;
  struct prediction_estimate *estimate;
  char outside[512]; /* how far outside the measured values that is; empty: inside */
};

/* Reads the fit and predicts. False: an error. prediction_answer_free() in any case. */
bool prediction_answer(struct prediction_answer *answer, const char *fit, const struct prediction_asked *asked,
                       struct error *error);
void prediction_answer_free(struct prediction_answer *answer);

/* All that `heddle predict` prints, the `top` states of most time. False: no memory. */
bool prediction_show(struct print *print, enum print_format format, const struct prediction_answer *answer,
                     uint64_t top);

#endif
