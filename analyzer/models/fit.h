/* Functions of parameters as text, for `heddle fit`. */
#ifndef HEDDLE_ANALYZER_MODELS_FIT_H
#define HEDDLE_ANALYZER_MODELS_FIT_H

#include "analyzer/models/prediction/prediction.h"

enum { FIT_FORMULA_SIZE = 512 };

/*
 * "12.5 +3.1/x", or with two parameters "12.5 +3.1 size^2/threads". Coefficients are divided by `unit`. Returns `text`,
 * empty if memory ran out.
 */
const char *fit_formula(const struct prediction_data *data, const struct prediction_function *of, double unit,
                        char text[FIT_FORMULA_SIZE]);

#endif
