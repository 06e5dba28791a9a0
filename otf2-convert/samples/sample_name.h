/* What the function of a sample is called. */
#ifndef HEDDLE_OTF2_CONVERT_SAMPLES_SAMPLE_NAME_H
#define HEDDLE_OTF2_CONVERT_SAMPLES_SAMPLE_NAME_H

#include "otf2-convert/symbols/symbols.h"

/* path: of its module; NULL: in none that is known. construct: the name of the one that it was outlined for; NULL: not
 * known, or none: then `function (omp @file:line)`. */
void sample_name(const char *path, const struct code_function *function, const char *construct, char *name,
                 size_t size);

#endif
